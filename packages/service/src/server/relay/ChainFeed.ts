/**
 * New blocks of a chain for all subscriptions of a process. Polls the nodes' head while there are subscriptions, and delivers every block
 * to each of them once, in order. After a reorg it delivers the removed blocks first. Header subscriptions do not wait for the logs of a
 * block.
 *
 * Source: decision 0016.
 */
import * as Effect from "effect/Effect"
import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { ChainReader } from "../../store/ChainReader.ts"
import * as HashRules from "../../verification/HashRules.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { Turns } from "../admission/Turns.ts"
import * as HeadChain from "./HeadChain.ts"
import * as NodeBlocks from "./NodeBlocks.ts"
import type { Upstream } from "./Upstream.ts"

/** Receives new blocks. */
export interface Listener {
  /**
   * True to receive blocks with their logs, once these are read, and without headers. False to receive blocks at once, with headers and
   * without logs.
   */
  readonly wantsLogs: boolean
  readonly onChange: (change: HeadChain.HeadChange) => void
  /** Called if the feed cannot continue without a gap; nothing more is received. */
  readonly onLost: (reason: string) => void
}

/** Feed of new blocks of a chain. */
export interface ChainFeed {
  /** Adds a listener, which receives the blocks after the last one delivered to listeners of its kind; returns an effect that removes it. */
  readonly listen: (listener: Listener) => Effect.Effect<() => void, NodeBlocks.ReadError>
}

/** What a feed reads from. */
export interface Source extends Pick<ServedChain, "config" | "id" | "known" | "name"> {
  readonly upstream: Upstream
  readonly reader: Pick<ChainReader, "headers">
}

/** Maximum number of blocks that a feed catches up on after its nodes were unavailable. */
const maxBranch = 1_024
/** Number of blocks below the head with which a feed begins: from the index, otherwise from the nodes. */
const [indexedBlocks, nodeBlocks] = [1_024, 16]
/** Poll interval: the maximum for chains with longer block times, the default for unknown block times, and the minimum. */
const [maxPollMillis, defaultPollMillis, minPollMillis] = [1_000, 500, 100]
/** Number of failed attempts to read a block's logs after which its listeners are lost. */
const maxLogAttempts = 20

const pollMillisOf = ({ config, known }: Source): number => {
  const blockMillis = known === undefined ? defaultPollMillis : known.blockTimeMillis / 2
  return Math.min(maxPollMillis, Math.max(minPollMillis, config.pollMillis ?? blockMillis))
}

/** Blocks below a head from the index; none if it does not have the head's parent. */
const indexedBelow = ({ reader }: Source, head: HeadChain.HeadBlock): Effect.Effect<HeadChain.HeadChain> =>
  reader.headers(Math.max(0, head.number - indexedBlocks), head.number - 1).pipe(
    Effect.map((refs) =>
      refs.at(-1)?.hash === head.parentHash
        ? // The parent of the first one is unknown.
          refs.slice(1).map((ref, at): HeadChain.HeadBlock => ({
            ...ref,
            parentHash: refs[at]!.hash,
            hasNonEmptyBloom: false,
            header: "",
            logs: undefined,
          }))
        : [],
    ),
    Effect.orElseSucceed(() => []),
  )

/** Up to a number of blocks below a head from the nodes, as far as they have them. */
const nodeBelow = Effect.fnUntraced(function* ({ upstream }: Source, head: HeadChain.HeadBlock) {
  const blocks = [head]
  while (blocks.length <= nodeBlocks && blocks[0]!.number > 0) {
    const parent = yield* Effect.option(NodeBlocks.parentOf(upstream, blocks[0]!))
    if (parent._tag === "None") break
    blocks.unshift(parent.value)
  }
  return blocks.slice(0, -1)
})

/** Reads the newest blocks, with which a feed begins. */
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

const tooDeep = (name: string): string => `A reorg of ${name} is deeper than the remembered blocks`

/** What the nodes' head changes in a chain. */
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
      return { _tag: "Lost", reason: tooDeep(name) }
    }
    if (branch.length >= maxBranch) {
      return { _tag: "Lost", reason: `More than ${maxBranch} blocks of ${name} arrived at once` }
    }
    branch.unshift(yield* NodeBlocks.parentOf(upstream, branch[0]!))
  }
})

/** Whether the bloom of a block is exactly that of its logs. Rules that an indexer would detect are unknown here. */
const hasExactBloom = ({ config, id }: Source, { number }: HeadChain.HeadBlock): boolean =>
  HashRules.at(HashRules.ofChain(id, config.ethereumRules) ?? HashRules.none, BigInt(number)).blooms

/** Reads the logs of added blocks, and those of removed blocks that are not remembered, if a node still has them. */
const withLogs = Effect.fnUntraced(function* (
  source: Source,
  { added, removed }: HeadChain.HeadChange,
): Effect.fn.Return<HeadChain.HeadChange, NodeBlocks.ReadError> {
  const read = (block: HeadChain.HeadBlock) =>
    block.logs === undefined
      ? Effect.map(
          NodeBlocks.logsOf(source.upstream, block, block.hasNonEmptyBloom && hasExactBloom(source, block)),
          (logs) => ({ ...block, logs }),
        )
      : Effect.succeed(block)
  return {
    removed: yield* Effect.forEach(removed, (block) => Effect.orElseSucceed(read(block), () => block)),
    added: yield* Effect.forEach(added, read),
  }
})

/** The listeners of a feed. */
interface Listeners {
  readonly all: Set<Listener>
  readonly wantLogs: () => ReadonlyArray<Listener>
  readonly wantHeaders: () => ReadonlyArray<Listener>
  readonly give: (change: HeadChain.HeadChange, receivers: ReadonlyArray<Listener>) => Effect.Effect<void>
  readonly lose: (reason: string, lost: Iterable<Listener>) => void
}

const makeListeners = (turns: Turns): Listeners => {
  const all = new Set<Listener>()
  return {
    all,
    wantLogs: () => [...all].filter(({ wantsLogs }) => wantsLogs),
    wantHeaders: () => [...all].filter(({ wantsLogs }) => !wantsLogs),
    // Listeners added meanwhile begin with the next block.
    give: (change, receivers) =>
      Effect.forEach(
        receivers,
        (listener) => turns.run(Effect.sync(() => all.has(listener) && listener.onChange(change))),
        { discard: true },
      ),
    lose: (reason, lost) => {
      for (const listener of lost) {
        all.delete(listener)
        listener.onLost(reason)
      }
    },
  }
}

/** State of a running feed. */
interface Run {
  /** Blocks delivered with headers. */
  heads: HeadChain.HeadChain
  /** Blocks delivered with logs, which may be behind. */
  logged: HeadChain.HeadChain
  /** Number of failed attempts to read the logs of the next blocks. */
  logAttempts: number
  /** Opened by each poll. */
  readonly polled: Latch.Latch
}

/** Delivers the headers of new blocks. */
const giveHeaders = Effect.fnUntraced(function* (
  source: Source,
  run: Run,
  listeners: Listeners,
): Effect.fn.Return<void, NodeBlocks.ReadError> {
  const found = yield* nextChange(source, run.heads)
  if (found !== null && "_tag" in found) return listeners.lose(found.reason, listeners.all)
  if (found !== null) {
    yield* listeners.give(found, listeners.wantHeaders())
    run.heads = HeadChain.apply(run.heads, found)
  }
  run.polled.openUnsafe()
})

/** Delivers the logs of blocks whose headers were delivered, with one attempt to read them. */
const giveLogs = Effect.fnUntraced(function* (source: Source, run: Run, listeners: Listeners) {
  const { heads } = run
  const relation = HeadChain.relateState(run.logged, heads)
  if (relation._tag === "Known") return
  if (relation._tag !== "Joined") {
    listeners.lose(tooDeep(source.name), listeners.wantLogs())
    run.logged = heads
    return
  }
  const { change } = relation
  const areWanted = listeners.wantLogs().length > 0
  const read = yield* Effect.exit(areWanted ? withLogs(source, change) : Effect.succeed(change))
  run.logAttempts = Exit.isSuccess(read) ? 0 : run.logAttempts + 1
  if (Exit.isFailure(read) && run.logAttempts < maxLogAttempts) return
  if (Exit.isFailure(read)) {
    listeners.lose(`The nodes of ${source.name} do not return the logs of a block`, listeners.wantLogs())
    run.logAttempts = 0
  }
  const given = Exit.isSuccess(read) ? read.value : change
  yield* listeners.give(given, listeners.wantLogs())
  run.logged = HeadChain.apply(run.logged, given)
})

/** Makes the feed of a chain, which polls within a scope. */
export const make = (source: Source, turns: Turns, scope: Scope.Scope): ChainFeed => {
  const pollMillis = pollMillisOf(source)
  const listeners = makeListeners(turns)
  /** Succeeds when the feed has its first blocks; null while it is not running. */
  let ready: Deferred.Deferred<void, NodeBlocks.ReadError> | null = null

  const poll = Effect.fnUntraced(function* (run: Run) {
    while (listeners.all.size > 0) {
      yield* Effect.sleep(pollMillis)
      // An unresponsive node is polled again: the upstream reports it.
      yield* Effect.ignore(giveHeaders(source, run, listeners))
    }
    // Set in the same step as the last check for listeners: the next listener restarts the feed.
    ready = null
  })

  /** Runs in parallel with the polls, which do not wait for a node that returns logs late or not at all. */
  const followLogs = (run: Run) =>
    Effect.forever(
      Effect.andThen(
        run.polled.await,
        Effect.suspend(() => {
          run.polled.closeUnsafe()
          return giveLogs(source, run, listeners)
        }),
      ),
    )

  const start = Effect.fnUntraced(function* (begun: Deferred.Deferred<void, NodeBlocks.ReadError>) {
    const first = yield* Effect.exit(begin(source))
    if (Exit.isFailure(first)) {
      ready = null
      yield* Deferred.failCause(begun, first.cause)
      return
    }
    yield* Deferred.succeed(begun, undefined)
    const run: Run = { heads: first.value, logged: first.value, logAttempts: 0, polled: Latch.makeUnsafe(false) }
    yield* Effect.raceFirst(poll(run), followLogs(run))
  })

  const ended = () =>
    Effect.sync(() => {
      ready = null
      listeners.lose("The subscriptions of this process ended", listeners.all)
    })

  return {
    listen: Effect.fnUntraced(function* (listener) {
      listeners.all.add(listener)
      if (ready === null) {
        ready = Deferred.makeUnsafe()
        yield* Effect.forkIn(Effect.onError(start(ready), ended), scope)
      }
      yield* Effect.onError(Deferred.await(ready), () => Effect.sync(() => listeners.all.delete(listener)))
      return () => void listeners.all.delete(listener)
    }),
  }
}
