/**
 * The headers that state how far the index of a chain reaches and what it lacks, so that an empty page differs from a range that is
 * not indexed.
 *
 * Source: decisions 0013, 0035 and 0050.
 */
import type * as ApiHeader from "@daybook/schema/ApiHeader"
import { type Checkpoint, gapKinds, isWithoutRow } from "../../block/BlockRows.ts"
import type { GapCounts } from "../../store/ChainReader.ts"

/** Transactions without a row, by the gaps of the index. */
export const missingTransactions = (gaps: GapCounts): number =>
  gapKinds.filter(isWithoutRow).reduce((sum, kind) => sum + gaps[kind], 0)

/**
 * The headers for a checkpoint, the transactions without a row below it, and the block up to which the wallet is proved; none while the
 * index is empty.
 */
export const headers = (
  checkpoint: Checkpoint | null,
  missing = 0,
  reconciledTo: number | null = null,
): typeof ApiHeader.IndexCoverage.Type => {
  if (checkpoint === null) return {}
  const { finalized, first, head } = checkpoint
  return {
    "daybook-indexed-from": String(first),
    "daybook-indexed-to": String(head.number),
    ...(finalized === null ? {} : { "daybook-finalized-to": String(finalized) }),
    ...(missing === 0 ? {} : { "daybook-missing-transactions": String(missing) }),
    ...(reconciledTo === null ? {} : { "daybook-reconciled-to": String(reconciledTo) }),
  }
}
