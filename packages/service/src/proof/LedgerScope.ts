/**
 * Blocks of an index that a proof covers: from the first one to the last final one with a derived ledger.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import type { Scope } from "./Reconciliation.ts"

/** The index lacks the blocks of a proof. */
export class NotIndexed extends Data.TaggedError("NotIndexed")<{
  readonly chain: string
  /** Extent of the derived ledger; `null` if there is none. */
  readonly derived: { readonly from: number; readonly to: number } | null
  /** The requested block; `null` for the last final one. */
  readonly block: number | null
}> {
  override get message() {
    const { block, chain, derived } = this
    if (derived === null) return `Nothing indexed: ${chain} has no ledger yet. Run "daybook serve" first.`
    const range = `the ledger of ${chain} has the blocks ${derived.from} to ${derived.to}`
    return block === null
      ? `No final block indexed: ${range}. Wait, or give a block with --at.`
      : `Block not indexed: ${block}; ${range}. Give one of these with --at, or wait.`
  }
}

/**
 * Determines the blocks that a proof covers, up to a given block, the last one of the ledger, or the last final one.
 *
 * **Errors**
 * - `NotIndexed`: the index lacks the block, or its ledger is not derived yet.
 */
export const read = (
  { snapshot }: Pick<ChainReader, "snapshot">,
  chain: string,
  at?: number | "head",
): Effect.Effect<Scope, NotIndexed | StoreError> =>
  snapshot(
    Effect.fnUntraced(function* (one) {
      const given = typeof at === "number" ? at : null
      const checkpoint = yield* one.checkpoint
      const projection = yield* one.projection(WalletLedger.id)
      const next = WalletLedger.nextOf(projection)
      if (checkpoint === null || next === null) {
        return yield* new NotIndexed({ chain, derived: null, block: given })
      }
      const derived = { from: checkpoint.first, to: Math.min(checkpoint.head.number, next - 1) }
      const last = at === "head" ? derived.to : (at ?? Math.min(checkpoint.finalized ?? -1, derived.to))
      const first = yield* one.block(derived.from)
      const closing = last < derived.from || last > derived.to ? null : yield* one.block(last)
      if (first === null || closing === null) return yield* new NotIndexed({ chain, derived, block: given })
      return {
        first: { number: first.number, parentHash: first.parentHash },
        closing: { number: closing.number, hash: closing.hash },
      }
    }),
  )
