/**
 * Opening balances of a wallet, of which there may be thousands, in slices.
 *
 * Source: decision 0050.
 */
import * as Effect from "effect/Effect"
import type { OpeningBalance, OpeningSlice } from "./Proofs.ts"

/** Maximum number of openings read for one wallet: it may have been sent any number of tokens. */
export const maxOpenings = 20_000

/** Reads all openings with a function that reads the slice after a key. */
export const all = Effect.fnUntraced(function* <E>(
  read: (after: Uint8Array | undefined) => Effect.Effect<OpeningSlice, E>,
): Effect.fn.Return<ReadonlyArray<OpeningBalance>, E> {
  const found: Array<OpeningBalance> = []
  for (let after: Uint8Array | undefined; ;) {
    const slice: OpeningSlice = yield* read(after)
    for (const balance of slice.balances) found.push(balance)
    if (slice.next === undefined || found.length >= maxOpenings) return found.slice(0, maxOpenings)
    after = slice.next
  }
})
