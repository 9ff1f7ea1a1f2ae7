/**
 * Keeps a chain's store in step with its nodes, for ever: looks at the node's head, appends what extends ours, and unwinds to
 * the common ancestor when the node's chain is another one. One turn of the loop does one of these; whatever fails is tried again.
 *
 * It moves the store by append and unwind alone, and both compare and set the checkpoint: a second indexer does no harm.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { Decoder } from "../decode/Decoder.ts"
import { redecode } from "../decode/Redecode.ts"
import * as BatchFetcher from "../node/BatchFetcher.ts"
import type { Header, Node, NodeError } from "../node/Node.ts"
import {
  type BlockRef,
  type BlockRows,
  type Checkpoint,
  type CheckpointConflict,
  Store,
  StoreError,
} from "../store/Store.ts"
import * as CommonAncestor from "./CommonAncestor.ts"
import type * as BlockVerifier from "../verification/BlockVerifier.ts"
import * as BlockFetcher from "./BlockFetcher.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as StatusReporter from "./StatusReporter.ts"
import * as HashRules from "../verification/HashRules.ts"
import * as StartBlock from "./StartBlock.ts"

/**
 * How to index a chain.
 */
export interface Options extends Omit<BlockVerifier.Options, "rules"> {
  /** What can be computed of the chain's blocks; `learn` finds out from the newest. Default: nothing. */
  readonly rules?: HashRules.HashRules | "learn"
  /** The chain's name, for messages. */
  readonly chain: string
  /** First block to index. Default 0. */
  readonly fromBlock?: number
  /** Index from the first block at or after this instant instead, in seconds since 1970. */
  readonly fromTimestamp?: number
  /** Only what belongs to one of these wallets; `null` or left out for all. Lower case. */
  readonly watch?: ReadonlySet<string> | null
  /** Time between two looks at the node's head, in milliseconds. Default 2000, and 250 where the nodes are on this machine. */
  readonly pollMillis?: number
  readonly decoder: Decoder
  /** Also store STATICCALL and DELEGATECALL frames. Default false. */
  readonly allFrames?: boolean
  /** Blocks on top of one after which it is final, where the node has no such tag. Default 64. */
  readonly finalityBlocks?: number
  /** Portions of blocks that are fetched at the same time at most; the node's answers decide how large they are. Default 8. */
  readonly concurrency?: number
  /** Who this indexer is; the right to index is given to one owner at a time. */
  readonly owner: string
  /** Told of each step. */
  readonly onEvent?: StatusReporter.OnEvent
}

type TurnError = NodeError | InvalidBlock | BlockFetcher.BlockNotFound | StoreError | CheckpointConflict

const leaseMillis = 5_000
/** Blocks after which a turn ends, so that the node's head is looked at again. */
const turnBlocks = 2_000
const batchBlocks = 100
const batchTransactions = 1_000
const batchMillis = 500
const redecodeRows = 100
/** New blocks that are stored one by one, so that they are served at once. */
const followedBlocks = 8
/** Times that answers may fail to fit before the operator is told. */
const patience = 3

const backoffMillis = (failures: number, isLocal: boolean): number =>
  Math.min(isLocal ? 1_000 : 10_000, 50 * 2 ** Math.min(failures, 10))

/** The chain's block and ours differ in what comes after `parent`. */
interface Broken {
  readonly _tag: "Broken"
  readonly found: BlockRows
}

/**
 * Indexes until it is interrupted.
 *
 * **Errors**
 * - `StoreError`: the database failed and will not work again by itself. Everything else is tried again and reported.
 */
export const run = Effect.fn("Indexer.run")(function* (
  node: Node,
  options: Options,
): Effect.fn.Return<never, StoreError, Store> {
  const store = yield* Store
  const { chain, decoder, fromTimestamp, owner, concurrency = 8, finalityBlocks = 64 } = options
  const { checks = "standard", watch = null } = options
  const pollMillis = options.pollMillis ?? (node.isLocal ? 250 : 2_000)
  const report = yield* StatusReporter.make({
    chain,
    store,
    pollMillis,
    onEvent: options.onEvent ?? (() => Effect.void),
  })
  const assembling = { decoder, allFrames: options.allFrames ?? false, checks, watch }
  let rules = options.rules === "learn" ? null : (options.rules ?? HashRules.none)
  let fromBlock = options.fromBlock ?? 0
  let isBeginKnown = fromTimestamp === undefined
  let finalizedAt = ""
  let isDecoded = false

  const finalize = Effect.fnUntraced(function* (first: number, head: number, remote: number) {
    if (`${head} ${remote}` === finalizedAt) return
    const final = Math.min(head, (yield* node.finalized) ?? remote - finalityBlocks)
    if (final >= first) {
      // The chain may have moved while the node was asked: a block of ours is final only when it is the node's too.
      const header = yield* node.header(final)
      const [local] = yield* store.headers(final, final)
      if (header === null || header.hash !== local?.hash) return
      yield* store.finalize(final)
    }
    finalizedAt = `${head} ${remote}`
  })

  /** Decodes rows of an older decoder again, for as long as the time between two looks lasts. */
  const decodeAgain = Effect.fnUntraced(function* () {
    const until = (yield* Clock.currentTimeMillis) + pollMillis
    let done = 0
    while (!isDecoded && (yield* Clock.currentTimeMillis) < until) {
      const rows = yield* store.staleRows(decoder.revision, redecodeRows)
      const bodies = yield* Effect.try({
        try: () => rows.map((row) => ({ ...row, body: redecode(row.body, decoder) })),
        catch: (cause) =>
          new StoreError({ message: "A stored transaction is damaged: it is not JSON.", isRetryable: false, cause }),
      })
      yield* store.updateDecoded(decoder.revision, bodies)
      done += rows.length
      isDecoded = rows.length < redecodeRows
      yield* Effect.yieldNow
    }
    if (done > 0) yield* Effect.logInfo(`${chain}: decoded ${done} transactions again`)
  })

  const follow = Effect.fnUntraced(function* (first: number, local: number, remote: number, note?: string) {
    yield* report.following(local, remote, note)
    yield* finalize(first, local, remote)
    if (!isDecoded) yield* decodeAgain()
    yield* Effect.sleep(pollMillis)
  })

  /** Removes our blocks that the node's chain does not have. Its head is at `reach` or above, and differs from ours there. */
  const reorganise = Effect.fnUntraced(function* (
    { first, head }: Checkpoint,
    reach: number,
    found: BlockRef,
  ): Effect.fn.Return<void, TurnError> {
    yield* node.checkChain
    const highest = Math.min(head.number, reach)
    let search = CommonAncestor.start(first, highest)
    for (let number = CommonAncestor.next(search); number !== null; number = CommonAncestor.next(search)) {
      const remote = yield* node.header(number)
      if (remote === null) return yield* new BlockFetcher.BlockNotFound({ block: number })
      const [local] = yield* store.headers(number, number)
      search = CommonAncestor.compared(search, number, local?.hash === remote.hash)
    }
    const ancestor = CommonAncestor.ancestor(search)
    // Nothing differs: the node tells two stories, and no block of ours is removed for that.
    if (ancestor === highest) {
      const what = `it does not fit to our block ${ancestor}, which the node has too`
      return yield* new InvalidBlock({ block: found.number, hash: found.hash, what })
    }
    const [to = null] = ancestor === null ? [] : yield* store.headers(ancestor, ancestor)
    yield* store.unwind(head, to)
    finalizedAt = ""
    yield* report.reorganised(head, to)
  })

  /** The blocks that are fetched together from one on, and what comes after them. */
  const portionAt = Effect.fnUntraced(function* (at: number, to: number, isFollowing: boolean) {
    if (at > to) return undefined
    const bulk = isFollowing ? BatchFetcher.none : yield* node.bulk(at)
    const numbers = Array.from({ length: Math.min(bulk.size, to - at + 1) }, (_, index) => at + index)
    return [{ bulk, numbers }, at + numbers.length] as const
  })

  /** Appends the blocks above ours; stops at one that does not extend the one before it, and gives it. */
  const grow = Effect.fnUntraced(function* (
    tip: BlockRef | null,
    remote: number,
  ): Effect.fn.Return<BlockRows | null, TurnError> {
    const from = tip === null ? fromBlock : tip.number + 1
    const to = Math.min(remote, from + turnBlocks - 1)
    const isFollowing = to - from < followedBlocks
    let head = tip
    let batch: Array<BlockRows> = []
    let transactions = 0
    let since = yield* Clock.currentTimeMillis

    const flush = Effect.fnUntraced(function* () {
      if (batch.length === 0) return
      const rows = batch
      batch = []
      transactions = 0
      since = yield* Clock.currentTimeMillis
      yield* store.append(head, rows)
      head = rows.at(-1)!
      yield* report.indexed(rows, remote)
      yield* store.lease(owner, leaseMillis)
    })

    const take = Effect.fnUntraced(function* (rows: BlockRows): Effect.fn.Return<void, TurnError | Broken> {
      const previous = batch.at(-1) ?? head
      if (previous !== null && previous.hash !== rows.parentHash) {
        return yield* Effect.fail<Broken>({ _tag: "Broken", found: rows })
      }
      batch.push(rows)
      transactions += rows.transactions.length
      const isFull = batch.length >= batchBlocks || transactions >= batchTransactions
      if (isFollowing || isFull || (yield* Clock.currentTimeMillis) - since >= batchMillis) yield* flush()
    })

    const making = { ...assembling, rules: rules ?? HashRules.none }
    return yield* Stream.unfold(from, (at) => portionAt(at, to, isFollowing)).pipe(
      Stream.mapEffect(({ bulk, numbers }) => BlockFetcher.portion(node, bulk, numbers, making), { concurrency }),
      Stream.runForEach(({ failure, rows }) =>
        Effect.andThen(
          Effect.forEach(rows, take, { discard: true }),
          failure === null ? Effect.void : Effect.fail(failure),
        ),
      ),
      Effect.as(null),
      Effect.catchTag("Broken", ({ found }) => Effect.succeed(found)),
      Effect.tap(flush),
      Effect.tapError((error) =>
        error._tag === "StoreError" || error._tag === "CheckpointConflict" ? Effect.void : flush(),
      ),
    )
  })

  const extend = Effect.fnUntraced(function* (remote: Header): Effect.fn.Return<void, TurnError> {
    const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
    const broken = yield* grow(checkpoint?.head ?? null, remote.number)
    if (broken === null) return
    const now = yield* store.snapshot((snapshot) => snapshot.checkpoint)
    if (now !== null) yield* reorganise(now, remote.number, broken)
  })

  /** Finds the block of the date that indexing begins with; false while the chain has not reached it. */
  const findBegin = Effect.fnUntraced(function* (remote: Header): Effect.fn.Return<boolean, TurnError> {
    if (isBeginKnown || fromTimestamp === undefined) return true
    const found = yield* StartBlock.atOrAfter(node, remote, fromTimestamp)
    const date = new Date(fromTimestamp * 1000).toISOString()
    if (found === null) {
      yield* report.expecting(`The node is at block ${remote.number}, before ${date}, where indexing begins.`)
      yield* Effect.sleep(pollMillis)
      return false
    }
    yield* Effect.logInfo(`${chain}: block ${found} is the first at or after ${date}; indexing begins there`)
    fromBlock = found
    isBeginKnown = true
    return true
  })

  let isLeaseTold = false
  let isStarted = false
  const turn = Effect.fnUntraced(function* (): Effect.fn.Return<void, TurnError> {
    if (!(yield* store.lease(owner, leaseMillis))) {
      if (!isLeaseTold) yield* Effect.logInfo(`${chain}: another process indexes this chain; waiting for it to end`)
      isLeaseTold = true
      return yield* Effect.sleep(Math.min(pollMillis, 1_000))
    }
    isLeaseTold = false
    if (!isStarted) yield* report.starting
    isStarted = true
    const remote = yield* node.head
    rules ??= yield* HashRules.detect(node, remote.number)
    yield* report.connected(yield* node.traceSource, HashRules.skipped(rules, checks))
    const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
    if (checkpoint === null) {
      if (!(yield* findBegin(remote))) return
      if (remote.number >= fromBlock) return yield* extend(remote)
      yield* report.expecting(
        `The node is at block ${remote.number}; waiting for block ${fromBlock}, where indexing begins.`,
      )
      return yield* Effect.sleep(pollMillis)
    }
    const { first, head } = checkpoint
    if (remote.number > head.number) {
      if (remote.number - head.number > turnBlocks) yield* finalize(first, head.number, remote.number)
      return yield* extend(remote)
    }
    if (remote.number < first) {
      const message = `The node is at block ${remote.number}, below the first indexed block ${first}.`
      yield* report.waiting(message, "the node is below the index")
      return yield* Effect.sleep(pollMillis)
    }
    const [local] = yield* store.headers(remote.number, remote.number)
    if (local?.hash !== remote.hash) return yield* reorganise(checkpoint, remote.number, remote)
    const lag = head.number - remote.number
    yield* follow(
      first,
      head.number,
      remote.number,
      lag === 0 ? undefined : `The node lags ${lag} blocks behind our block ${head.number}.`,
    )
  })

  const recover = Effect.fnUntraced(function* (error: TurnError, failures: number): Effect.fn.Return<void, StoreError> {
    const wait = Effect.sleep(backoffMillis(failures, node.isLocal))
    switch (error._tag) {
      case "WrongChain":
        yield* report.refused(error.message)
        return yield* wait
      case "NodeFailed":
        yield* report.waiting(error.message)
        return yield* wait
      case "BlockNotFound":
      case "InvalidBlock":
        yield* Effect.logDebug(`${chain}: ${error.message}`)
        if (failures >= patience) yield* report.waiting(error.message)
        return yield* wait
      case "CheckpointConflict":
        yield* Effect.logInfo(`${chain}: ${error.message}`)
        return yield* wait
      case "StoreError":
        if (!error.isRetryable) return yield* error
        if (failures < patience) yield* Effect.logWarning(`${chain}: ${error.message} Tried again.`)
        else yield* report.waiting(error.message)
        return yield* wait
    }
  })

  const loop = Effect.gen(function* () {
    for (let failures = 0; ;) {
      const outcome = yield* Effect.result(turn())
      if (outcome._tag === "Success") failures = 0
      else yield* recover(outcome.failure, failures++)
    }
  })
  const working = Effect.scoped(Effect.andThen(Effect.forkScoped(report.beating), loop))
  return yield* Effect.onExit(working, (exit) =>
    Effect.andThen(Exit.hasInterrupts(exit) ? report.stopped : Effect.void, Effect.ignore(store.lease(owner, 0))),
  )
})
