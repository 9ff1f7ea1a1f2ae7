/**
 * Name, symbol and decimals of tokens, read once at a block.
 *
 * Source: ERC-20 (name, symbol, decimals); decision 0047.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Calls from "../discovery/Calls.ts"
import * as TokenText from "./TokenText.ts"

/**
 * How a token describes itself. Anyone can create a token with the name of another one: its address identifies it.
 */
export interface TokenMetadata {
  readonly name: string | null
  readonly symbol: string | null
  /** `null` where the token has none: amounts are in its smallest unit. */
  readonly decimals: number | null
  /** The block it was read at. */
  readonly block: number
}

const selectors = { name: "0x06fdde03", symbol: "0x95d89b41", decimals: "0x313ce567" } as const

/** Gas of a call: a token that takes more has no such text. */
const gas = 5_000_000

const isAnswer = (error: CallError): boolean =>
  (error._tag === "RpcError" && !error.isRetryable) ||
  (error._tag === "InvalidResponse" && error.reason === "too-large")

const valueOf = (result: Result.Result<unknown, CallError> | undefined): unknown =>
  result !== undefined && Result.isSuccess(result) ? result.success : null

/**
 * Reads what tokens return of themselves at a block, by address.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 */
export const read = (
  budgeted: Calls.Budgeted,
  tokens: ReadonlyArray<string>,
  block: number,
): Effect.Effect<ReadonlyMap<string, TokenMetadata>, Calls.CallsError> => {
  const calls = tokens.flatMap((to) =>
    Object.values(selectors).map((data) => ({
      method: "eth_call" as const,
      params: [{ to, data, gas }, block] as const,
    })),
  )
  return Effect.map(Calls.send(budgeted, calls, { what: "read tokens", block, isResult: isAnswer }), (results) => {
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
}
