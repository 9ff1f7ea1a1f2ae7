/**
 * The headers that state how far the index of a chain reaches, so that an empty page differs from a range that is not indexed.
 *
 * Source: decision 0013.
 */
import type * as ApiHeader from "@daybook/schema/ApiHeader"
import type { Checkpoint } from "../../store/BlockRows.ts"

/** The headers for a checkpoint; none while the index is empty. */
export const headers = (checkpoint: Checkpoint | null): typeof ApiHeader.IndexCoverage.Type => {
  if (checkpoint === null) return {}
  const { finalized, first, head } = checkpoint
  return {
    "daybook-indexed-from": String(first),
    "daybook-indexed-to": String(head.number),
    ...(finalized === null ? {} : { "daybook-finalized-to": String(finalized) }),
  }
}
