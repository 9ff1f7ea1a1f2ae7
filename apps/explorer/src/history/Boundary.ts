/** Where the followed part of a history begins. Pure. */

/** Maximum number of blocks above the boundary: without it, chains without finality would follow all of their blocks. */
const maxLive = 256

/** The fields of the status that determine the boundary. */
interface Indexed {
  readonly indexed: { readonly from: number; readonly to: number } | null
  readonly finalized: number | null
}

/** The last block of the past; `null` if every indexed block is followed. */
export const boundaryOf = ({ finalized, indexed }: Indexed): number | null => {
  if (indexed === null) return null
  const boundary = Math.max(finalized ?? -1, indexed.to - maxLive)
  return boundary < indexed.from ? null : Math.min(boundary, indexed.to)
}

/** Whether the chain ends below a boundary: blocks up to the boundary were replaced, and no row above it shows that. */
export const isBelow = ({ indexed }: Pick<Indexed, "indexed">, boundary: number | null): boolean =>
  boundary !== null && indexed !== null && indexed.to < boundary
