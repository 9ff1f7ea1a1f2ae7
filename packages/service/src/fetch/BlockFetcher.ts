/**
 * Fetches blocks with their receipts and traces from a node and assembles their rows: a single block, or a range of blocks in few requests.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Semaphore from "effect/Semaphore"
import type { BatchFetcher } from "../node/BatchFetcher.ts"
import type { BlockTransactions } from "../node/BlockReceipts.ts"
import type { Node } from "../node/Node.ts"
import * as NodeError from "../node/NodeError.ts"
import * as TraceFailure from "../node/TraceFailure.ts"
import type { Traces } from "../block/Traces.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import * as Steps from "../supervision/Steps.ts"
import * as Deviation from "../block/Deviation.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"
import type { Doubt } from "../verification/Placement.ts"
import * as TrieRoot from "../verification/TrieRoot.ts"
import * as Undecoded from "../verification/Undecoded.ts"
import * as BlockAssembler from "./BlockAssembler.ts"
import { BlockNotFound } from "./BlockNotFound.ts"
import * as ReceiptRecovery from "./ReceiptRecovery.ts"
import * as TraceRecovery from "./TraceRecovery.ts"

/**
 * How to assemble blocks, and where to report deviations of accepted blocks.
 */
export interface Options extends BlockAssembler.Options {
  /** Default: deviations are not reported. */
  readonly onDeviation?: Deviation.Reporter
  /** Whether the node may omit the parents of blocks, as development nodes do: see `withParent`. Default false. */
  readonly mayLackParents?: boolean
  /** Number of turns that have already failed on the first of the blocks: see `TraceFailure`. Default 0. */
  readonly failures?: number
  /**
   * Runs whenever blocks of a range were fetched, so that progress of a slow node is visible long before the range is complete. Default:
   * nothing.
   */
  readonly onFetched?: Effect.Effect<void>
  /**
   * Ranges that share it are assembled one at a time. If ranges that arrived together were assembled in alternating steps, they would
   * finish together, and the node would be idle meanwhile. Default: each range is assembled at once.
   */
  readonly assembly?: Semaphore.Semaphore
}

/** A block, as far as it decodes. */
interface FetchedBlock {
  readonly block: HydratedBlock
  readonly undecoded: Undecoded.Undecoded
}

/** Receipts, as far as they decode; `isPartial` if some are missing and unavailable. */
interface FetchedReceipts {
  readonly receipts: ReadonlyArray<Receipt>
  readonly undecoded: ReadonlyArray<Undecoded.UndecodedPart>
  readonly isPartial: boolean
}

/**
 * Number of blocks fetched concurrently, each on its own.
 */
export const concurrency = 8

type FetchError = BlockNotFound | InvalidBlock | NodeError.NodeError

const isEmpty = ({ transactions, transactionsRoot }: HydratedBlock): boolean =>
  transactions.length === 0 && transactionsRoot === TrieRoot.empty

/** Assembles a block without transactions, which needs neither receipts nor traces. */
const assembleAlone = (
  block: HydratedBlock,
  options: BlockAssembler.Options,
): Result.Result<BlockAssembler.Assembled, InvalidBlock> =>
  Steps.runSync(BlockAssembler.steps({ block, receipts: [], traces: null }, options))

/** Reports the deviations of an accepted block. */
const report = ({ deviations, rows }: BlockAssembler.Assembled, { onDeviation }: Options): Effect.Effect<BlockRows> => {
  if (deviations.length === 0 || onDeviation === undefined) return Effect.succeed(rows)
  return Effect.as(onDeviation(rows.number, deviations), rows)
}

const hashesOf = ({ transactions }: HydratedBlock): ReadonlyArray<string> => transactions.map(({ hash }) => hash)

/** The nodes, if they have pruned what is missing. */
const hostsIf = ({ hosts }: Node, isPruned: boolean) => (isPruned ? { hosts } : {})

/** Number of failed turns after which a node that does not respond is no longer waited for, if others respond with data that does not decode. */
const maxFailures = 4

/** True if the decodable part of a response is used because no node returns all of it. */
const isTakenInParts = (error: NodeError.NodeError, failures: number): boolean => {
  const undecodable = NodeError.undecodable(error)
  return undecodable === "all" || (undecodable === "some" && failures >= maxFailures)
}

/** Finds a block, as far as it decodes. */
const findBlock = (
  node: Node,
  number: number,
  failures: number,
): Effect.Effect<FetchedBlock | null, NodeError.NodeError> =>
  node.block(number).pipe(
    Effect.map((block) => (block === null ? null : { block, undecoded: Undecoded.none })),
    Effect.catchIf(
      (error) => isTakenInParts(error, failures),
      () => node.lenientBlock(number),
    ),
  )

/** Finds a block with its withdrawals, which are read from the first other node that has them if one omits the list. */
const findWithWithdrawals = Effect.fnUntraced(function* (
  node: Node,
  number: number,
  options: Options,
): Effect.fn.Return<FetchedBlock | null, NodeError.NodeError> {
  const { failures = 0 } = options
  const found = yield* findBlock(node, number, failures)
  if (found === null || !Deviation.lacksWithdrawals(found.block, options)) return found
  for (const one of node.each ?? []) {
    const other = yield* Effect.orElseSucceed(findBlock(one, number, failures), () => null)
    const isSame = other?.block.hash === found.block.hash
    if (other !== null && isSame && !Deviation.lacksWithdrawals(other.block, options)) return other
  }
  return found
})

const whole = (receipts: ReadonlyArray<Receipt>): FetchedReceipts => ({ receipts, undecoded: [], isPartial: false })

const partial = (receipts: ReadonlyArray<Receipt>): FetchedReceipts => ({ receipts, undecoded: [], isPartial: true })

/** True if a transaction has no receipt. */
const lacksOne = ({ transactions }: BlockTransactions, receipts: ReadonlyArray<Receipt>): boolean => {
  const hashes: ReadonlySet<string> = new Set(receipts.map(({ transactionHash }) => transactionHash))
  return transactions.some((hash) => !hashes.has(hash))
}

/** Receipts as far as they decode; `null` if they are missing. */
const receiptsInParts = (
  node: Node,
  ref: BlockTransactions,
): Effect.Effect<FetchedReceipts | null, NodeError.NodeError> =>
  Effect.map(node.lenientReceipts(ref), (found) =>
    found === null ? null : { ...found, isPartial: found.undecoded.some(({ isLeftOut }) => isLeftOut) },
  )

/** Finds the receipts of a block. */
const findReceipts = Effect.fnUntraced(function* (
  node: Node,
  ref: BlockTransactions,
  failures: number,
): Effect.fn.Return<FetchedReceipts, BlockNotFound | NodeError.NodeError> {
  const { hash, number } = ref
  const outcome = yield* Effect.result(node.receipts(ref))
  if (Result.isSuccess(outcome) && outcome.success !== null) {
    if (!lacksOne(ref, outcome.success)) return whole(outcome.success)
    const completed = yield* ReceiptRecovery.complete(node, ref, outcome.success)
    if (completed !== null) return whole(completed)
    const others = yield* ReceiptRecovery.recover(node, ref, failures)
    return others === null ? whole(outcome.success) : partial(others)
  }
  if (Result.isFailure(outcome)) {
    const { failure } = outcome
    const inParts = isTakenInParts(failure, failures) ? yield* receiptsInParts(node, ref) : null
    if (inParts !== null) return inParts
    const isOfBlock = failure._tag === "NodeFailed" && TraceFailure.kindOfAll(failure) !== "unavailable"
    const found = isOfBlock ? yield* ReceiptRecovery.recover(node, ref, failures) : null
    return found === null ? yield* Effect.fail(failure) : partial(found)
  }
  const header = yield* node.header(number)
  const found = header?.hash === hash ? yield* ReceiptRecovery.recover(node, ref, failures) : null
  if (found !== null) return partial(found)
  const isPruned = header?.hash === hash && node.isSettled(number)
  return yield* new BlockNotFound({ block: number, what: "receipts", ...hostsIf(node, isPruned) })
})

/** How to recover traces: the nodes cannot trace the block, or a response lacks some. */
const recovering = (options: Options, traces: Traces | null): TraceRecovery.Options => ({
  ...options,
  isCertain: traces?._tag === "Untraced",
})

/** Assembles a block, in short steps regardless of its size. */
const assemble = (
  responses: BlockAssembler.Responses,
  options: Options,
): Effect.Effect<BlockAssembler.Assembled, InvalidBlock> =>
  Effect.flatMap(
    Steps.run(() => BlockAssembler.steps(responses, options)),
    Effect.fromResult,
  )

/** Nodes whose traces did not match the previous block, which was stored without them; the next block is retried for one turn. */
const contradicting = new WeakSet<Node>()

/** Assembles a block; without traces, if they repeatedly do not match it. */
const assembleTraced = (node: Node, responses: BlockAssembler.Responses, options: Options) =>
  assemble(responses, options).pipe(
    Effect.tap(() => Effect.sync(() => contradicting.delete(node))),
    Effect.catchIf(
      ({ isOfTraces = false }) =>
        isOfTraces && (options.failures ?? 0) >= (contradicting.has(node) ? 1 : TraceFailure.maxFailures),
      ({ what }) => {
        contradicting.add(node)
        return assemble({ ...responses, traces: { _tag: "Untraced", reason: what } }, options)
      },
    ),
  )

/** Fetches the rows of a block that needs receipts and traces. */
const fetchParts = Effect.fnUntraced(function* (
  node: Node,
  { block, undecoded }: FetchedBlock,
  ref: BlockTransactions,
  options: Options,
): Effect.fn.Return<BlockRows, FetchError> {
  const { failures = 0 } = options
  // Conflux has no traces for a block without transactions, although its root is not that of an empty list.
  const tracing = ref.transactions.length === 0 ? Effect.succeed(null) : node.traces(ref, failures)
  const [found, traces] = yield* Effect.all([findReceipts(node, ref, failures), tracing], { concurrency: 2 })
  const { isPartial, receipts } = found
  const verifying = {
    ...options,
    undecoded: { ...undecoded, receipts: found.undecoded },
    allowMissing: options.allowMissing === true || isPartial,
  }
  const assembled = yield* assembleTraced(node, { block, receipts, traces }, verifying)
  const rows = yield* report(assembled, options)
  return yield* TraceRecovery.recover(node, block, rows, recovering(options, traces))
})

const fetchOne = Effect.fnUntraced(function* (
  node: Node,
  number: number,
  options: Options,
): Effect.fn.Return<BlockRows, FetchError> {
  const found = yield* findWithWithdrawals(node, number, options)
  if (found === null) {
    return yield* new BlockNotFound({ block: number, what: "block", ...hostsIf(node, node.isSettled(number)) })
  }
  const { block, undecoded } = found
  const hash = block.hash ?? "no hash"
  if (block.number !== BigInt(number)) {
    return yield* new InvalidBlock({
      block: number,
      hash,
      what: `number: expected ${number}, received ${block.number}`,
    })
  }
  const reading = { ...options, undecoded }
  if (!isEmpty(block)) {
    return yield* fetchParts(node, found, { number, hash, transactions: hashesOf(block) }, options)
  }
  return yield* report(yield* Effect.fromResult(assembleAlone(block, reading)), options)
})

/** Parent hash that hardhat reports for a block mined together with others by `hardhat_mine`. */
const noParent = `0x${"0".repeat(64)}`

const lacksParent = ({ number, parentHash }: BlockRows, { mayLackParents = false }: Options): boolean =>
  mayLackParents && number > 0 && parentHash === noParent

/** Replaces the parent by the node's block of that number. The rows were verified as received. */
const withParent = Effect.fnUntraced(function* (
  node: Node,
  rows: BlockRows,
): Effect.fn.Return<BlockRows, NodeError.NodeError> {
  const parent = yield* node.header(rows.number - 1)
  return parent === null ? rows : { ...rows, parentHash: parent.hash }
})

/**
 * Number of failed turns after which doubtful parts are accepted if the nodes always return them: 13 seconds.
 */
export const failuresBeforeAcceptance = 8

/** Doubts that nodes raise each time, so that later blocks are not delayed by them. */
const knownDoubts = new WeakMap<Node, Set<Doubt>>()

const rememberDoubts = (node: Node, doubts: ReadonlyArray<Doubt>): void => {
  const known = knownDoubts.get(node) ?? new Set()
  for (const kind of doubts) known.add(kind)
  knownDoubts.set(node, known)
}

/** Fetches a block as all nodes repeatedly return it, with a mark. Doubts found afterwards must then be accepted too. */
const fetchDoubtful = (
  node: Node,
  number: number,
  options: Options,
  invalid: InvalidBlock,
): Effect.Effect<BlockRows, FetchError> =>
  Effect.suspend(() => {
    const { doubts } = invalid
    const { acceptedDoubts = [], failures = 0 } = options
    if (doubts === undefined) return Effect.fail(invalid)
    const known = knownDoubts.get(node)
    if (failures < failuresBeforeAcceptance && !doubts.every((kind) => known?.has(kind))) return Effect.fail(invalid)
    const accepting = { ...options, acceptedDoubts: new Set([...acceptedDoubts, ...doubts]) }
    return fetchOne(node, number, accepting).pipe(
      Effect.tap(() => Effect.sync(() => rememberDoubts(node, doubts))),
      Effect.catchTag("InvalidBlock", (other) => fetchDoubtful(node, number, accepting, other)),
    )
  })

/**
 * Fetches the rows of a block. An invalid block is fetched from each node separately, since another one may return a valid block.
 *
 * **Errors**
 * - `BlockNotFound`: no node has the block, or its receipts.
 * - `InvalidBlock`: the block of every node is invalid.
 * - `NodeFailed`, `WrongChain`: no node answered.
 */
export const block = (node: Node, number: number, options: Options): Effect.Effect<BlockRows, FetchError> =>
  fetchOne(node, number, options).pipe(
    Effect.catchTag("InvalidBlock", (invalid) => {
      const others = (node.each ?? []).map((one) => Effect.mapError(fetchOne(one, number, options), () => invalid))
      return others.length === 0 ? Effect.fail(invalid) : Effect.firstSuccessOf(others)
    }),
    Effect.catchTag("InvalidBlock", (invalid) => fetchDoubtful(node, number, options, invalid)),
    Effect.flatMap((rows) => (lacksParent(rows, options) ? withParent(node, rows) : Effect.succeed(rows))),
  )

/**
 * Rows of consecutive blocks, and why they end early.
 */
export interface FetchedRange {
  readonly rows: ReadonlyArray<BlockRows>
  readonly failure: FetchError | null
}

const refOf = (block: HydratedBlock | null): ReadonlyArray<BlockTransactions> =>
  block !== null && block.hash !== null && !isEmpty(block)
    ? [{ number: Number(block.number), hash: block.hash, transactions: hashesOf(block) }]
    : []

/** Rows of blocks fetched together; `null` for one that is missing or invalid. */
const fetchBatch = Effect.fnUntraced(function* (
  node: Node,
  fetcher: BatchFetcher,
  numbers: ReadonlyArray<number>,
  options: Options,
): Effect.fn.Return<ReadonlyArray<BlockRows | null>> {
  const fetched = yield* fetcher.blocks(numbers)
  const blocks = numbers.map((number, at) => {
    const found = fetched[at] ?? null
    const isUsable = found !== null && found.hash !== null && found.number === BigInt(number)
    return isUsable && !(node.each !== undefined && Deviation.lacksWithdrawals(found, options)) ? found : null
  })
  const refs = blocks.flatMap(refOf)
  const parts = yield* fetcher.parts(refs)
  const partsByHash = new Map(refs.map(({ hash }, at) => [hash, parts[at] ?? null]))
  const assembleOne = (found: HydratedBlock | null) => {
    const own = found === null || found.hash === null ? null : partsByHash.get(found.hash)
    if (found === null || own === null) return Effect.succeed(null)
    const assembled =
      own === undefined ? Effect.fromResult(assembleAlone(found, options)) : assemble({ block: found, ...own }, options)
    return assembled.pipe(
      Effect.flatMap((one) => report(one, options)),
      Effect.map((rows) => ({ block: found, rows, traces: own?.traces ?? null })),
      Effect.orElseSucceed(() => null),
    )
  }
  const all = Effect.forEach(blocks, assembleOne)
  const assembled = yield* options.assembly === undefined ? all : options.assembly.withPermits(1)(all)
  return yield* Effect.forEach(assembled, (one) => {
    if (one === null) return Effect.succeed(null)
    const recovered = TraceRecovery.recover(node, one.block, one.rows, recovering(options, one.traces))
    return Effect.orElseSucceed(recovered, () => null)
  })
})

/** A block of a batch. A missing block is fetched on its own; one without its parent is completed. */
const complete = (
  node: Node,
  number: number,
  batched: BlockRows | null,
  options: Options,
): Effect.Effect<BlockRows, FetchError> => {
  const { onFetched = Effect.void } = options
  if (batched === null) return Effect.tap(block(node, number, options), onFetched)
  return lacksParent(batched, options) ? withParent(node, batched) : Effect.succeed(batched)
}

/**
 * Fetches the rows of consecutive blocks in few requests. A missing or invalid block is fetched on its own: see `block`.
 */
export const range = Effect.fnUntraced(function* (
  node: Node,
  fetcher: BatchFetcher,
  numbers: ReadonlyArray<number>,
  options: Options,
): Effect.fn.Return<FetchedRange> {
  const batched = yield* fetchBatch(node, fetcher, numbers, options)
  if (batched.some((fetched) => fetched !== null)) yield* options.onFetched ?? Effect.void
  const rows: Array<BlockRows> = []
  for (const [at, number] of numbers.entries()) {
    const completed = yield* Effect.result(complete(node, number, batched[at] ?? null, options))
    if (Result.isFailure(completed)) return { rows, failure: completed.failure }
    rows.push(completed.success)
  }
  return { rows, failure: null }
})
