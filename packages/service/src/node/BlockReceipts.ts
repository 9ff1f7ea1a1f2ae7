/**
 * Receipts of a block from one node: by block if the node has `eth_getBlockReceipts`, otherwise one by one for its transactions.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockRef } from "../block/BlockRows.ts"
import { isTooLarge } from "./BlockParts.ts"
import * as LenientReceipts from "./LenientReceipts.ts"
import type { NodeEndpoint } from "./NodeEndpoint.ts"
import * as HexQuantity from "./HexQuantity.ts"

/**
 * A block with the hashes of its transactions, in order.
 */
export interface BlockTransactions extends BlockRef {
  readonly transactions: ReadonlyArray<string>
}

/**
 * What the endpoint pool remembers about a node.
 */
export interface Support {
  /** The node has reported the method as unsupported. */
  readonly isUnsupported: (method: string) => boolean
  /** Remembers that the node does not support the method. */
  readonly note: (method: string) => void
}

/** The method that returns all receipts of a block. */
export const byBlock = "eth_getBlockReceipts"
/** The method that returns one receipt. */
export const byTransaction = "eth_getTransactionReceipt"

/** Maximum number of single-receipt calls in one request. */
const maxCalls = 100

/**
 * Calls that return the receipts of a block, in transaction order.
 */
export const callsOf = ({ rejectsHashes }: NodeEndpoint, block: BlockTransactions, isSingle: boolean): Array<Call> =>
  isSingle
    ? block.transactions.map((hash): Call => ({ method: byTransaction, params: [hash] }))
    : [{ method: byBlock, params: [rejectsHashes ? block.number : block.hash] }]

/** Without the receipt of the block itself, which Celo appends and which belongs to no transaction. */
const ofTransactions = (receipts: ReadonlyArray<Receipt>): ReadonlyArray<Receipt> => {
  const last = receipts.at(-1)
  return last !== undefined && last.transactionHash === last.blockHash ? receipts.slice(0, -1) : receipts
}

/**
 * Receipts of a block from the results of `callsOf`; `null` when one is missing.
 */
export const fromResults = (
  results: ReadonlyArray<Result.Result<unknown, CallError>>,
  isSingle: boolean,
): ReadonlyArray<Receipt> | null => {
  // Sound: the results are those of the two methods, which are decoded by their schemas.
  const values = results.map((result) => (Result.isSuccess(result) ? result.success : null))
  if (!isSingle) return values[0] == null ? null : ofTransactions(values[0] as ReadonlyArray<Receipt>)
  return values.includes(null) ? null : (values as ReadonlyArray<Receipt>)
}

const batched = Effect.fnUntraced(function* (
  { limiter }: NodeEndpoint,
  hashes: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<Receipt> | null, CallError> {
  const responses = yield* Effect.forEach(
    Arr.chunksOf(hashes, maxCalls),
    (chunk) => limiter.batch(chunk.map((hash): Call => ({ method: byTransaction, params: [hash] }))),
    { concurrency: 4 },
  )
  const results = responses.flatMap((response) => response.results)
  const failed = results.find(Result.isFailure)
  return failed === undefined ? fromResults(results, true) : yield* Effect.fail(failed.failure)
})

/**
 * Receipts one by one; `null` if one is missing. With `isDoubtful`, the first one is requested alone, so that a node without it gets a
 * single call.
 */
const single = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  { transactions }: BlockTransactions,
  isDoubtful: boolean,
): Effect.fn.Return<ReadonlyArray<Receipt> | null, CallError> {
  const [first, ...others] = transactions
  if (first === undefined) return []
  if (!isDoubtful) return yield* batched(endpoint, transactions)
  const receipt = yield* endpoint.calls.eth_getTransactionReceipt(first)
  if (receipt === null) return null
  const rest = yield* batched(endpoint, others)
  return rest === null ? null : [receipt, ...rest]
})

/** Kinds of errors that concern one block, not the method or its parameters. */
const aboutBlock: ReadonlySet<string> = new Set(["notFound", "pruned", "tooLarge"])

/** Receipts by block hash, or by block number if the node does not accept hashes. */
const whole = (
  endpoint: NodeEndpoint,
  { hash, number }: BlockRef,
): Effect.Effect<ReadonlyArray<Receipt> | null, CallError> => {
  const byNumber = endpoint.calls.eth_getBlockReceipts(number)
  if (endpoint.rejectsHashes) return byNumber
  return endpoint.calls
    .eth_getBlockReceipts(hash)
    .pipe(
      Effect.catchTag("RpcError", (error) =>
        error.isRetryable || aboutBlock.has(error.kind) || error.kind === "methodUnsupported"
          ? Effect.fail(error)
          : Effect.tap(byNumber, () => Effect.sync(() => (endpoint.rejectsHashes = true))),
      ),
    )
}

/** True for errors with which nodes and gateways reject a method for every block. */
const refusesMethod = (error: CallError): boolean => {
  if (error._tag === "Unauthorized") return true
  if (error._tag === "InvalidResponse") return [403, 404, 405, 501].includes(error.status ?? 0)
  return error._tag === "RpcError" && !error.isRetryable && !aboutBlock.has(error.kind)
}

/** Errors after which single receipts may be had: all that are not about the connection or the rate, and responses too large. */
const isOfMethod = (error: CallError): boolean => error._tag === "RpcError" || isTooLarge(error) || refusesMethod(error)

/** Tries single receipts if the block returned none. If there are none either, the block's result stands. */
const singleInstead = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  block: BlockTransactions,
  support: Support,
  outcome: Result.Result<ReadonlyArray<Receipt> | null, CallError>,
): Effect.fn.Return<ReadonlyArray<Receipt> | null, CallError> {
  const receipts = yield* Effect.result(single(endpoint, block, true))
  if (Result.isFailure(receipts) || receipts.success === null) return yield* Effect.fromResult(outcome)
  if (Result.isFailure(outcome) && refusesMethod(outcome.failure)) support.note(byBlock)
  return receipts.success
})

/** Receipts of a node without `eth_getBlockReceipts`. */
const known = Effect.fnUntraced(function* (endpoint: NodeEndpoint, block: BlockTransactions) {
  const receipts = yield* single(endpoint, block, endpoint.missedReceipts)
  endpoint.missedReceipts = receipts === null
  return receipts
})

/**
 * Fetches the receipts of a block; `null` when the node does not have them.
 *
 * **Details** If a node fails on `eth_getBlockReceipts` or returns nothing, the receipt of the first transaction is requested, and the
 * others if it has that one. Once a node has rejected the method and returned single receipts, only these are requested.
 *
 * **Errors**
 * - `CallError`: the node failed both ways.
 */
export const fetch = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  block: BlockTransactions,
  support: Support,
): Effect.fn.Return<ReadonlyArray<Receipt> | null, CallError> {
  if (support.isUnsupported(byBlock)) return yield* known(endpoint, block)
  const outcome = yield* Effect.result(whole(endpoint, block))
  if (Result.isSuccess(outcome)) {
    if (outcome.success !== null) return ofTransactions(outcome.success)
    return yield* singleInstead(endpoint, block, support, Result.succeed(null))
  }
  const { failure } = outcome
  if (!isOfMethod(failure)) return yield* Effect.fail(failure)
  const kind = failure._tag === "RpcError" ? failure.kind : undefined
  if (kind === "methodUnsupported") {
    support.note(byBlock)
    return yield* known(endpoint, block)
  }
  return yield* singleInstead(endpoint, block, support, kind === "notFound" ? Result.succeed(null) : outcome)
})

/** A receipt as received, or only its hash if it exceeds the bounds. */
const rawReceipt = ({ limiter }: NodeEndpoint, hash: string): Effect.Effect<unknown, CallError> =>
  Effect.catchIf(limiter.request({ method: byTransaction, params: [hash] }), isTooLarge, () =>
    Effect.succeed({ transactionHash: hash }),
  )

const rawReceipts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  block: BlockTransactions,
  support: Support,
): Effect.fn.Return<ReadonlyArray<unknown> | null, CallError> {
  if (!support.isUnsupported(byBlock)) {
    const id = endpoint.rejectsHashes ? HexQuantity.of(block.number) : block.hash
    const whole = yield* Effect.option(endpoint.limiter.request({ method: byBlock, params: [id] }))
    if (whole._tag === "Some" && Array.isArray(whole.value)) return whole.value
  }
  const receipts = yield* Effect.forEach(block.transactions, (hash) => rawReceipt(endpoint, hash), { concurrency: 20 })
  return receipts.includes(null) ? null : receipts
})

/**
 * Fetches the receipts of a block as far as they decode; `null` when the node does not have all of them.
 *
 * **Errors**
 * - `CallError`: the node failed.
 */
export const fetchLenient = (
  endpoint: NodeEndpoint,
  block: BlockTransactions,
  support: Support,
): Effect.Effect<LenientReceipts.LenientReceipts | null, CallError> =>
  Effect.map(rawReceipts(endpoint, block, support), (raw) => {
    if (raw === null) return null
    const { receipts, undecoded } = LenientReceipts.read(raw)
    return { receipts: ofTransactions(receipts), undecoded }
  })
