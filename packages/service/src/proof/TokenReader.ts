/**
 * Reads the self-descriptions of tokens at a final block, for permanent storage. A node that lacks the state of the block must not be
 * mistaken for a token without a name.
 *
 * Source: decision 0054.
 */
import * as Effect from "effect/Effect"
import * as AccountCalls from "../discovery/AccountCalls.ts"
import * as Calls from "../node/Calls.ts"
import { ChainReorganized } from "../node/CallsError.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import * as MetadataReader from "../token/MetadataReader.ts"
import type * as Proof from "./Proof.ts"

/** Why tokens could not be read. */
export type TokenError = Proof.ProofError | ChainReorganized

/**
 * Reads the self-descriptions of tokens at a block, by address. A contract that returns no text or number has none.
 *
 * **Errors**
 * - `StateUnavailable`: no node has the state of the block.
 * - `ChainReorganized`: the node's block differs from it.
 */
export const read = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  tokens: ReadonlyArray<string>,
  { hash, number }: BlockRef,
): Effect.fn.Return<ReadonlyMap<string, TokenMetadata>, TokenError> {
  const [token] = tokens
  if (token === undefined) return new Map()
  const code = { method: "eth_getCode", params: [token, number] } as const
  yield* AccountCalls.readState(budgeted, [{ address: token, block: number, call: code }], number)
  const found = yield* MetadataReader.read(budgeted, tokens, number, MetadataReader.isOfToken)
  const header = yield* Calls.withRetries(budgeted, budgeted.node.header(number))
  if (header?.hash === hash) return found
  return yield* new ChainReorganized({ block: number, expected: hash, received: header?.hash ?? "no block" })
})
