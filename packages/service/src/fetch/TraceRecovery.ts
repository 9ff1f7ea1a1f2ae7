/**
 * Traces transactions one by one if a block could not be traced as a whole. What cannot be traced this way remains a gap of the block.
 *
 * Source: decision 0035.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import { excessPrefix } from "../block/Traces.ts"
import * as TraceFailure from "../node/TraceFailure.ts"
import * as InternalTransactions from "../block/InternalTransactions.ts"
import type { BlockGap, BlockRef, BlockRows } from "../block/BlockRows.ts"
import * as BlockFacts from "../block/BlockFacts.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as LedgerSource from "../ledger/LedgerSource.ts"
import * as Steps from "../supervision/Steps.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as BlockAssembler from "./BlockAssembler.ts"

/** How to recover. */
export interface Options
  extends InternalTransactions.Options, Pick<BlockAssembler.Options, "kept" | "ledger" | "watch"> {
  /** Number of turns that have already failed; see `TraceFailure`. */
  readonly failures?: number
  /** Whether the nodes would fail on the block again; false if the tracer failed inside a successful response. Default false. */
  readonly isCertain?: boolean
}

/** Rows of a transaction, and whether the nodes would return the same again. */
interface Attempt {
  readonly rows: InternalTransactions.TransactionRows
  readonly isCertain: boolean
}

/** Number of transactions tried for a block whose traces all fail: its state is missing, and each call costs the node work. */
const maxFailures = 2
const concurrency = 4

const none: InternalTransactions.Untraced = { reason: "No node has a trace of the transaction." }

const isExcess = ({ reason }: InternalTransactions.Untraced): boolean => reason.startsWith(excessPrefix)

/** Rows of a transaction, or why there are none. */
const traceOne = Effect.fnUntraced(function* (
  node: Node,
  block: HydratedBlock,
  ref: BlockRef,
  hash: string,
  options: Options,
): Effect.fn.Return<InternalTransactions.TransactionRows, NodeError> {
  const transaction = block.transactions.find((one) => one.hash === hash)
  if (transaction === undefined) return none
  const trace = yield* node.transactionTrace(hash, ref)
  if (trace === null) return none
  const mined = { number: BigInt(ref.number), hash: ref.hash as InternalTransactions.TracedBlock["hash"] }
  const rows = InternalTransactions.fromTransactionTrace(mined, transaction, trace, options)
  return Result.getOrElse(rows, ({ what }) => ({ reason: what }))
})

/** Traces a transaction; a failure that concerns the transaction becomes a reason. */
const tryOne = (
  node: Node,
  block: HydratedBlock,
  ref: BlockRef,
  { reason, transaction = "" }: BlockGap,
  options: Options,
): Effect.Effect<Attempt, NodeError> =>
  traceOne(node, block, ref, transaction, options).pipe(
    // A node that does not know the transaction may be lagging.
    Effect.map((rows): Attempt => ({ rows, isCertain: rows !== none || options.isCertain === true })),
    Effect.catchTag("NodeFailed", (error) => {
      const { cause } = error
      if (cause._tag === "RateLimited" || cause._tag === "TransportError") return Effect.fail(error)
      // Without a method for single transactions, the reason for the block is more specific.
      return TraceFailure.kindOfAll(error) === "unavailable"
        ? Effect.succeed<Attempt>({ rows: { reason }, isCertain: options.isCertain === true })
        : Effect.succeed<Attempt>({
            rows: { reason: TraceFailure.reasonOf(cause) },
            isCertain: TraceFailure.isFinal(error, 0),
          })
    }),
  )

/** Traces the transactions of gaps, the first ones sequentially. */
const attemptAll = Effect.fnUntraced(function* (
  node: Node,
  block: HydratedBlock,
  rows: BlockRows,
  gaps: ReadonlyArray<BlockGap>,
  options: Options,
): Effect.fn.Return<ReadonlyMap<string, Attempt>, NodeError> {
  const found = new Map<string, Attempt>()
  const isHopeless = () =>
    found.size >= maxFailures &&
    [...found.values()].every(({ rows: own }) => InternalTransactions.isUntraced(own) && !isExcess(own))
  const attempt = (gap: BlockGap) =>
    Effect.suspend(() =>
      isHopeless()
        ? Effect.void
        : Effect.map(tryOne(node, block, rows, gap, options), (own) => void found.set(gap.transaction ?? "", own)),
    )
  yield* Effect.forEach(gaps.slice(0, maxFailures), attempt, { discard: true })
  yield* Effect.forEach(gaps.slice(maxFailures), attempt, { concurrency, discard: true })
  return found
})

const fill = (rows: BlockRows, found: ReadonlyMap<string, InternalTransactions.TransactionRows>): BlockRows => {
  const { gaps: before = [], ledger, ...others } = rows
  const gaps = before.flatMap((gap): ReadonlyArray<BlockGap> => {
    const own = gap.kind === "trace" ? found.get(gap.transaction ?? "") : undefined
    if (own === undefined) return [gap]
    return InternalTransactions.isUntraced(own) ? [{ ...gap, reason: own.reason }] : []
  })
  const transactions = rows.transactions.map((row) => {
    const own = found.get(row.hash)
    return own === undefined || InternalTransactions.isUntraced(own) ? row : { ...row, internal: JSON.stringify(own) }
  })
  // The ledger was made without the traces, so it is derived again from the texts, which now have them.
  const isSame = ledger !== undefined && [...found.values()].every(InternalTransactions.isUntraced)
  return { ...others, transactions, ledger: isSame ? ledger : undefined, gaps: gaps.length === 0 ? undefined : gaps }
}

/** Facts of the remaining transactions; `undefined` if they cannot be read, in which case no transaction is dropped. */
const factsWithout = (text: string | undefined, leftOut: ReadonlySet<number>): string | undefined => {
  const facts = text === undefined ? null : BlockFacts.fromText(text)
  if (facts === null) return undefined
  return BlockFacts.textOf({ ...facts, transactions: facts.transactions.filter(({ index }) => !leftOut.has(index)) })
}

/**
 * Drops rows of an index of watched wallets whose traces show that no watched wallet has a role in them. Without facts, which name
 * authorities, that is unknown, and all rows remain.
 */
const select = Effect.fnUntraced(function* (rows: BlockRows, { kept, ledger, watch }: Options) {
  if (watch == null || rows.ledger !== undefined) return rows
  const roles = ledger === undefined ? [] : yield* Steps.run(() => Ledger.steps(LedgerSource.fromRows(rows), ledger))
  const concerned = new Set(roles.flatMap(({ index, wallet }) => (watch.has(wallet) ? [index] : [])))
  const leftOut = rows.transactions.filter(
    ({ addresses, hash, index, internal }) =>
      addresses.length === 0 &&
      internal !== BlockAssembler.untraced &&
      kept?.has(hash) !== true &&
      !concerned.has(index),
  )
  if (leftOut.length === 0) return rows
  const indexes = new Set(leftOut.map(({ index }) => index))
  const facts = factsWithout(rows.facts, indexes)
  if (facts === undefined) return rows
  return { ...rows, facts, transactions: rows.transactions.filter(({ index }) => !indexes.has(index)) }
})

/**
 * Fills the gaps of transactions that the nodes can trace one by one, and returns the rows.
 *
 * **Errors**
 * - `InvalidBlock`: a transaction could not be traced, and another attempt may help.
 * - `NodeFailed`, `WrongChain`: no node answered.
 */
export const recover = Effect.fn("TraceRecovery.recover")(function* (
  node: Node,
  block: HydratedBlock,
  rows: BlockRows,
  options: Options,
): Effect.fn.Return<BlockRows, NodeError | InvalidBlock> {
  const missing = (rows.gaps ?? []).filter(
    // A transaction that exceeds the bounds in the trace of its block also does so on its own.
    ({ kind, reason }) => kind === "trace" && (options.isCertain === true || !isExcess({ reason })),
  )
  if (missing.length === 0) return rows
  const found = yield* attemptAll(node, block, rows, missing, options)
  const doubtful = [...found.values()].find((own) => InternalTransactions.isUntraced(own.rows) && !own.isCertain)
  if (doubtful !== undefined && (options.failures ?? 0) < TraceFailure.maxFailures) {
    const what = InternalTransactions.isUntraced(doubtful.rows) ? doubtful.rows.reason : ""
    return yield* new InvalidBlock({ block: rows.number, hash: rows.hash, what, isOfTraces: true })
  }
  return yield* select(fill(rows, new Map([...found].map(([hash, own]) => [hash, own.rows]))), options)
})
