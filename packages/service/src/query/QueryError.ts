/**
 * Why a query cannot be answered, as values that each translator expresses in its dialect.
 */
import * as Data from "effect/Data"
import type { Checkpoint } from "../block/BlockRows.ts"
import type { Range } from "./Range.ts"

/** The position refers to a block that was reorged. */
export class Stale extends Data.TaggedError("Stale")<{
  /** First block whose rows are no longer valid. */
  readonly resumeFromBlock: number
  readonly checkpoint: Checkpoint | null
}> {}

/** The rows are not derived for all blocks yet. */
export class NotDerived extends Data.TaggedError("NotDerived")<{
  readonly chain: string
  /** First block whose rows are not derived; `null` if none is. */
  readonly next: number | null
  readonly checkpoint: Checkpoint
}> {}

/** The index does not cover the wallet, so that an empty list would be wrong. */
export class NotWatched extends Data.TaggedError("NotWatched")<{
  readonly chain: string
  readonly wallet: string
}> {}

/** The past of a wallet that was added later is still being searched, so that sums would be incomplete. */
export class NotSearched extends Data.TaggedError("NotSearched")<{
  readonly chain: string
  readonly wallet: string
  /** Last searched block; `null` if none is. */
  readonly searchedTo: number | null
  /** Last block to be searched. */
  readonly searchEnd: number
  readonly checkpoint: Checkpoint
}> {}

/** Counting the rows before a page would require reading too many stored texts. */
export class TooManyTexts extends Data.TaggedError("TooManyTexts") {}

/** Internal transactions are requested, but no stored block has traces. */
export class NotTraced extends Data.TaggedError("NotTraced")<{ readonly chain: string }> {}

/** The range has no indexed block. */
export class NotIndexed extends Data.TaggedError("NotIndexed")<{
  readonly range: Range
  readonly checkpoint: Checkpoint
}> {}
