/**
 * Range of blocks requested by a query, by numbers or instants, and the corresponding blocks of an index.
 *
 * Source: docs/interface.md#4.1; decision 0008.
 */
import type { Bound as AnyBound } from "@daybook/schema/WalletQuery"
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../block/BlockRows.ts"
import type { Snapshot } from "../store/ChainReader.ts"

/** One end of a range: a block number, an instant in milliseconds since 1970, or open. */
export type Bound = AnyBound<number, number>

/** Both ends of a range, inclusive. */
export interface Range {
  readonly from: Bound
  readonly to: Bound
}

/** First block of a range; `null` if the range starts after the last indexed block. */
export const firstBlock = (snapshot: Snapshot, bound: Bound, { first }: Checkpoint) => {
  if (bound._tag === "Open") return Effect.succeed(first)
  if (bound._tag === "Block") return Effect.succeed(Math.max(first, bound.block))
  return Effect.map(snapshot.firstAtOrAfter(Math.ceil(bound.date / 1000)), (found) =>
    found === null ? null : Math.max(first, found),
  )
}

/** Last block of a range; `null` if the range ends before the first indexed block. */
export const lastBlock = (snapshot: Snapshot, bound: Bound, { head }: Checkpoint) => {
  if (bound._tag === "Open") return Effect.succeed(head.number)
  if (bound._tag === "Block") return Effect.succeed(Math.min(head.number, bound.block))
  return snapshot.lastAtOrBefore(Math.floor(bound.date / 1000))
}
