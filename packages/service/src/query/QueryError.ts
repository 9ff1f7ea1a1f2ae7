/**
 * Why a query cannot be answered, as values that each translator writes in the words of its dialect.
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

/** The rows are not derived of all blocks yet. */
export class NotDerived extends Data.TaggedError("NotDerived")<{
  readonly chain: string
  /** First block whose rows are not derived; `null` where none is. */
  readonly next: number | null
  readonly checkpoint: Checkpoint
}> {}

/** The index does not cover the wallet, for which an empty list would be wrong. */
export class NotWatched extends Data.TaggedError("NotWatched")<{
  readonly chain: string
  readonly wallet: string
}> {}

/** The past of a wallet that was added later is still searched, so that sums of its movements would lack some. */
export class NotSearched extends Data.TaggedError("NotSearched")<{
  readonly chain: string
  readonly wallet: string
  /** Last block up to which it is searched; `null` where nothing of it is. */
  readonly searchedTo: number | null
  /** Last block that is to be searched. */
  readonly searchEnd: number
  readonly checkpoint: Checkpoint
}> {}

/** The rows that a page begins behind would be counted in too many stored texts. */
export class TooManyTexts extends Data.TaggedError("TooManyTexts") {}

/** Internal transactions are asked for, and no stored block has traces. */
export class NotTraced extends Data.TaggedError("NotTraced")<{ readonly chain: string }> {}

/** The range has no indexed block. */
export class NotIndexed extends Data.TaggedError("NotIndexed")<{
  readonly range: Range
  readonly checkpoint: Checkpoint
}> {}
