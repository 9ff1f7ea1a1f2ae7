/** Where the followed part of a history begins. Pure. */

/** Blocks above the boundary, at most: chains without finality would follow all of their blocks. */
const maxLive = 256

/** What of the status decides. */
interface Indexed {
  readonly indexed: { readonly from: number; readonly to: number } | null
  readonly finalized: number | null
}

/** The last block of the past; `null` where every indexed block is followed. */
export const boundaryOf = ({ finalized, indexed }: Indexed): number | null => {
  if (indexed === null) return null
  const boundary = Math.max(finalized ?? -1, indexed.to - maxLive)
  return boundary < indexed.from ? null : Math.min(boundary, indexed.to)
}

/** The chain ends below a boundary: its blocks up to there were replaced, and no row above it states that. */
export const isBelow = ({ indexed }: Pick<Indexed, "indexed">, boundary: number | null): boolean =>
  boundary !== null && indexed !== null && indexed.to < boundary
