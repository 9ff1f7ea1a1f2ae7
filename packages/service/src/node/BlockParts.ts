/**
 * A block with its transactions from one node: in one response, or transaction by transaction where that is too large.
 *
 * Source: decision 0036.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Transaction } from "@daybook/schema/Transaction"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { NodeEndpoint } from "./NodeEndpoint.ts"

/** Transactions that are requested at once. */
const atOnce = 20

/**
 * True for a response that exceeds the bounds, where a smaller one may be had.
 */
export const isTooLarge = (error: CallError): boolean =>
  error._tag === "InvalidResponse" && error.reason === "too-large"

const transactionsOf = Effect.fnUntraced(function* (
  { limiter }: NodeEndpoint,
  hashes: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<Transaction | null>, CallError> {
  const found: Array<Transaction | null> = []
  for (let at = 0; at < hashes.length; at += atOnce) {
    const calls = hashes
      .slice(at, at + atOnce)
      .map((hash): Call => ({ method: "eth_getTransactionByHash", params: [hash] }))
    const { results } = yield* limiter.batch(calls)
    for (const result of results) {
      // Sound: the result is that of the method, which is decoded by its schema.
      found.push((yield* Effect.fromResult(Result.map(result, (value) => value as Transaction | null))) ?? null)
    }
  }
  return found
})

const inParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  number: number,
): Effect.fn.Return<HydratedBlock | null, CallError> {
  const block = yield* endpoint.calls.eth_getBlockByNumber(number, false)
  if (block === null) return null
  const transactions = yield* transactionsOf(endpoint, block.transactions)
  // A transaction that the node does not know any more: its chain has moved.
  if (transactions.includes(null)) return null
  // Sound: the block differs from a hydrated one in its transactions alone, and none of them is null.
  return Object.assign({}, block, { transactions }) as unknown as HydratedBlock
})

/**
 * Fetches a block; `null` when the node does not have it.
 *
 * **Errors**
 * - `CallError`: the node failed.
 */
export const fetch = (endpoint: NodeEndpoint, number: number): Effect.Effect<HydratedBlock | null, CallError> =>
  Effect.catchIf(endpoint.calls.eth_getBlockByNumber(number, true), isTooLarge, () => inParts(endpoint, number))
