/**
 * What is new on a chain, for all subscriptions of a process: polls the head of the nodes while there are subscriptions, and
 * gives each of them every block once, in order. After a reorg it gives the removed blocks first. Subscriptions to headers do not wait
 * for the logs of a block.
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

/** Receives what is new. */
export interface Listener {
  /** Receives blocks with their logs, once these are read, and without headers. Else with headers and without logs, at once. */
  readonly wantsLogs: boolean
  readonly onChange: (change: HeadChain.HeadChange) => void
  /** The feed cannot go on without a gap: nothing more is received. */
  readonly onLost: (reason: string) => void
}

/** What is new on a chain. */
export interface ChainFeed {
  /** Adds a listener, which receives the blocks after the last one that was given to those of its kind; gives what removes it. */
  readonly listen: (listener: Listener) => Effect.Effect<() => void, NodeBlocks.ReadError>
}

/** What a feed reads from. */
export interface Source extends Pick<ServedChain, "config" | "id" | "known" | "name"> {
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
            hasNonEmptyBloom: false,
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

const tooDeep = (name: string): string => `A reorg of ${name} is deeper than the blocks that are remembered`

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
      return { _tag: "Lost", reason: tooDeep(name) }
    }
    if (branch.length >= maxBranch) {
      return { _tag: "Lost", reason: `More than ${maxBranch} blocks of ${name} are new at once` }
    }
    branch.unshift(yield* NodeBlocks.parentOf(upstream, branch[0]!))
  }
})

/** Whether the bloom of a block is exactly that of its logs. Rules that an indexer would detect are not known here. */
const hasExactBloom = ({ config, id }: Source, { number }: HeadChain.HeadBlock): boolean =>
  HashRules.at(HashRules.ofChain(id, config.ethereumRules) ?? HashRules.none, BigInt(number)).blooms

/** Reads the logs of added blocks, and those of removed ones that are not remembered where a node still has them. */
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
    // Those that are added meanwhile begin with the next block.
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

/** The state of a feed while it runs. */
interface Run {
  /** The blocks that were given with headers. */
  heads: HeadChain.HeadChain
  /** The blocks that were given with logs, which may be behind. */
  logged: HeadChain.HeadChain
  /** Failed attempts to read the logs of the next blocks. */
  logAttempts: number
  /** Opened by each poll. */
  readonly polled: Latch.Latch
}

/** Gives headers of what is new at the nodes. */
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

/** Gives logs of the blocks whose headers were given, in one attempt to read them. */
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
    listeners.lose(`The nodes of ${source.name} do not give the logs of a block`, listeners.wantLogs())
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
  /** Succeeds when the feed has its first blocks; null while it does not run. */
  let ready: Deferred.Deferred<void, NodeBlocks.ReadError> | null = null

  const poll = Effect.fnUntraced(function* (run: Run) {
    while (listeners.all.size > 0) {
      yield* Effect.sleep(pollMillis)
      // A node that does not answer is asked again: the upstream reports it.
      yield* Effect.ignore(giveHeaders(source, run, listeners))
    }
    // In the same step as the last look at the listeners: the next one starts the feed again.
    ready = null
  })

  /** Beside the polls, which do not wait for a node that gives no logs, or gives them late. */
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
