/**
 * What is new on a chain, for all subscriptions of a process: polls the head of the nodes while there are subscriptions, and
 * gives each of them every block once, in order. After a reorg it gives the removed blocks first.
 *
 * Source: decision 0016.
 */
import * as Effect from "effect/Effect"
import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { ChainReader } from "../../store/ChainReader.ts"
import * as HashRules from "../../verification/HashRules.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { Turns } from "../admission/Turns.ts"
import * as HeadChain from "./HeadChain.ts"
import * as NodeBlocks from "./NodeBlocks.ts"
import type { Upstream } from "./Upstream.ts"

/** Receives what is new. */
export interface Listener {
  /** The logs of blocks are read while a listener wants them. */
  readonly wantsLogs: () => boolean
  readonly onChange: (change: HeadChain.HeadChange) => void
  /** The feed cannot go on without a gap: nothing more is received. */
  readonly onLost: (reason: string) => void
}

/** What is new on a chain. */
export interface ChainFeed {
  /** Adds a listener, which receives the blocks after the head at that time; gives what removes it. */
  readonly listen: (listener: Listener) => Effect.Effect<() => void, NodeBlocks.ReadError>
}

/** What a feed reads from. */
export interface Source extends Pick<ServedChain, "config" | "known" | "name"> {
  readonly upstream: Upstream
  readonly reader: Pick<ChainReader, "headers">
}

/** Blocks that a feed catches up with after its nodes were away. */
const maxBranch = 1_024
/** Blocks below the head with which a feed begins: of the index, else of the nodes. */
const [indexedBlocks, nodeBlocks] = [1_024, 16]
/** Time between two polls where the chain has longer blocks, or where its block time is not known. */
const [maxPollMillis, defaultPollMillis, minPollMillis] = [1_000, 500, 100]
/** Failed attempts to read the logs of a block after which its listeners are lost. */
const maxLogAttempts = 20

const pollMillisOf = ({ config, known }: Source): number => {
  const blockMillis = known === undefined ? defaultPollMillis : known.blockTimeMillis / 2
  return Math.min(maxPollMillis, Math.max(minPollMillis, config.pollMillis ?? blockMillis))
}

/** The blocks below a head that the index has; none where it does not have the parent of the head. */
const indexedBelow = ({ reader }: Source, head: HeadChain.HeadBlock): Effect.Effect<HeadChain.HeadChain> =>
  reader.headers(Math.max(0, head.number - indexedBlocks), head.number - 1).pipe(
    Effect.map((refs) =>
      refs.at(-1)?.hash === head.parentHash
        ? // The parent of the first one is not known.
          refs.slice(1).map((ref, at): HeadChain.HeadBlock => ({
            ...ref,
            parentHash: refs[at]!.hash,
            hasBloom: false,
            header: "",
            logs: undefined,
          }))
        : [],
    ),
    Effect.orElseSucceed(() => []),
  )

/** Up to so many blocks below a head by the nodes, as far as they have them. */
const nodeBelow = Effect.fnUntraced(function* ({ upstream }: Source, head: HeadChain.HeadBlock) {
  const blocks = [head]
  while (blocks.length <= nodeBlocks && blocks[0]!.number > 0) {
    const parent = yield* Effect.option(NodeBlocks.parentOf(upstream, blocks[0]!))
    if (parent._tag === "None") break
    blocks.unshift(parent.value)
  }
  return blocks.slice(0, -1)
})

/** The newest blocks, with which a feed begins. */
const begin = Effect.fnUntraced(function* (
  source: Source,
): Effect.fn.Return<HeadChain.HeadChain, NodeBlocks.ReadError> {
  const head = yield* NodeBlocks.newest(source.upstream)
  const indexed = head.number === 0 ? [] : yield* indexedBelow(source, head)
  const below = indexed.length > 0 ? indexed : yield* nodeBelow(source, head)
  return [...below, head]
})

/** Why a feed ends. */
interface Lost {
  readonly _tag: "Lost"
  readonly reason: string
}

/** What the head of the nodes changes in a chain. */
const nextChange = Effect.fnUntraced(function* (
  { name, upstream }: Source,
  chain: HeadChain.HeadChain,
): Effect.fn.Return<HeadChain.HeadChange | Lost | null, NodeBlocks.ReadError> {
  const branch = [yield* NodeBlocks.newest(upstream)]
  for (;;) {
    const relation = HeadChain.relate(chain, branch)
    if (relation._tag === "Known") return null
    if (relation._tag === "Joined") return relation.change
    if (relation._tag === "TooDeep") {
      return { _tag: "Lost", reason: `A reorg of ${name} is deeper than the blocks that are remembered` }
    }
    if (branch.length >= maxBranch) {
      return { _tag: "Lost", reason: `More than ${maxBranch} blocks of ${name} are new at once` }
    }
    branch.unshift(yield* NodeBlocks.parentOf(upstream, branch[0]!))
  }
})

/** Whether blooms of a chain are those of its logs. */
const areBloomsKept = ({ config: { ethereumRules }, known }: Source, { number }: HeadChain.HeadBlock): boolean =>
  ethereumRules ?? HashRules.at(known?.hashRules ?? HashRules.none, BigInt(number)).blooms

/** Reads the logs of added blocks, and those of removed ones that are not remembered where a node still has them. */
const withLogs = Effect.fnUntraced(function* (
  source: Source,
  { added, removed }: HeadChain.HeadChange,
): Effect.fn.Return<HeadChain.HeadChange, NodeBlocks.ReadError> {
  const read = (block: HeadChain.HeadBlock) =>
    block.logs === undefined
      ? Effect.map(
          NodeBlocks.logsOf(source.upstream, block, block.hasBloom && areBloomsKept(source, block)),
          (logs) => ({ ...block, logs }),
        )
      : Effect.succeed(block)
  return {
    removed: yield* Effect.forEach(removed, (block) => Effect.orElseSucceed(read(block), () => block)),
    added: yield* Effect.forEach(added, read),
  }
})

/** Makes the feed of a chain, which polls within a scope. */
export const make = (source: Source, turns: Turns, scope: Scope.Scope): ChainFeed => {
  const pollMillis = pollMillisOf(source)
  const listeners = new Set<Listener>()
  /** Succeeds when the feed has its first blocks; null while it does not run. */
  let ready: Deferred.Deferred<void, NodeBlocks.ReadError> | null = null
  let logAttempts = 0

  const lose = (reason: string, lost: Iterable<Listener>) => {
    for (const listener of lost) {
      listeners.delete(listener)
      listener.onLost(reason)
    }
  }

  const wantLogs = () => [...listeners].filter((listener) => listener.wantsLogs())

  /** The change with logs where they are wanted; null where they cannot be read yet. */
  const complete = Effect.fnUntraced(function* (
    change: HeadChain.HeadChange,
  ): Effect.fn.Return<HeadChain.HeadChange | null> {
    if (wantLogs().length === 0) return change
    const read = yield* Effect.exit(withLogs(source, change))
    logAttempts = Exit.isSuccess(read) ? 0 : logAttempts + 1
    if (Exit.isSuccess(read)) return read.value
    if (logAttempts < maxLogAttempts) return null
    logAttempts = 0
    lose(`The nodes of ${source.name} do not give the logs of a block`, wantLogs())
    return change
  })

  /** Gives listeners what is new; returns the chain after it. */
  const step = Effect.fnUntraced(function* (
    chain: HeadChain.HeadChain,
  ): Effect.fn.Return<HeadChain.HeadChain, NodeBlocks.ReadError> {
    const found = yield* nextChange(source, chain)
    if (found === null) return chain
    if ("_tag" in found) {
      lose(found.reason, listeners)
      return chain
    }
    const change = yield* complete(found)
    if (change === null) return chain
    // Those that are added meanwhile begin with the next block.
    const receivers = Array.from(listeners)
    for (const listener of receivers) {
      yield* turns.run(Effect.sync(() => listeners.has(listener) && listener.onChange(change)))
    }
    return HeadChain.apply(chain, change)
  })

  const run = Effect.fnUntraced(function* (begun: Deferred.Deferred<void, NodeBlocks.ReadError>) {
    const first = yield* Effect.exit(begin(source))
    if (Exit.isFailure(first)) {
      ready = null
      yield* Deferred.failCause(begun, first.cause)
      return
    }
    yield* Deferred.succeed(begun, undefined)
    let chain = first.value
    while (listeners.size > 0) {
      yield* Effect.sleep(pollMillis)
      // A node that does not answer is asked again: the upstream reports it.
      chain = yield* Effect.orElseSucceed(step(chain), () => chain)
    }
    ready = null
  })

  const ended = () =>
    Effect.sync(() => {
      ready = null
      lose("The subscriptions of this process ended", listeners)
    })

  return {
    listen: Effect.fnUntraced(function* (listener) {
      listeners.add(listener)
      if (ready === null) {
        ready = Deferred.makeUnsafe()
        yield* Effect.forkIn(Effect.onError(run(ready), ended), scope)
      }
      yield* Effect.onError(Deferred.await(ready), () => Effect.sync(() => listeners.delete(listener)))
      return () => void listeners.delete(listener)
    }),
  }
}
