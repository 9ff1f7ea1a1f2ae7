/**
 * Name, symbol and decimals of tokens, read once at a block.
 *
 * Source: ERC-20 (name, symbol, decimals); decision 0047.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import * as Calls from "../node/Calls.ts"
import * as TokenText from "./TokenText.ts"

const selectors = { name: "0x06fdde03", symbol: "0x95d89b41", decimals: "0x313ce567" } as const

/** Gas limit of a call: a token that needs more has no such text. */
const gas = 5_000_000

/** The response was too large, perhaps only because of other calls in the batch. */
const isTooLarge = (error: CallError): boolean =>
  (error._tag === "RpcError" && error.kind === "tooLarge") ||
  (error._tag === "InvalidResponse" && error.reason === "too-large")

/** An error that the token causes: it has no such text. */
const isAnswer = (error: CallError): boolean => isTooLarge(error) || (error._tag === "RpcError" && !error.isRetryable)

/** An error that the token causes. A node without the state of the block knows nothing about the token. */
export const isOfToken = (error: CallError): boolean =>
  isAnswer(error) && !(error._tag === "RpcError" && error.kind === "pruned")

const valueOf = (result: Result.Result<unknown, CallError>): unknown => Result.getOrElse(result, () => null)

/**
 * Reads the metadata that tokens return at a block, by address.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or there are too many.
 */
export const read = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  tokens: ReadonlyArray<string>,
  block: number,
  isResult: (error: CallError) => boolean = isAnswer,
): Effect.fn.Return<ReadonlyMap<string, TokenMetadata>, Calls.CallsError> {
  const calls = tokens.flatMap((to) =>
    Object.values(selectors).map((data) => ({
      method: "eth_call" as const,
      params: [{ to, data, gas }, block] as const,
    })),
  )
  const task = { what: "read tokens", block, isResult }
  const results = [...(yield* Calls.send(budgeted, calls, task))]
  // One token must not hide others: its long texts may leave no room for other results in a response.
  for (const [at, result] of results.entries()) {
    if (Result.isSuccess(result) || !isTooLarge(result.failure)) continue
    const [alone] = yield* Calls.send(budgeted, [calls[at]!], task)
    results[at] = alone!
  }
  const metadataAt = (at: number): TokenMetadata => {
    const [name, symbol, decimals] = results.slice(at * 3, at * 3 + 3).map(valueOf)
    return {
      name: TokenText.fromResult(name),
      symbol: TokenText.fromResult(symbol),
      decimals: TokenText.decimalsOf(decimals),
      block,
    }
  }
  return new Map(tokens.map((token, at) => [token, metadataAt(at)]))
})
