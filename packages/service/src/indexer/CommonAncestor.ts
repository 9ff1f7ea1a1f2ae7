/**
 * Finds the last block that our chain and a node's chain share, asking about few numbers: it gallops down from our head in
 * doubling steps until a block is shared, then halves what is between. Pure: it says which number to compare next, the caller
 * fetches and compares. Blocks are linked to their parents, so all blocks below a shared one are shared.
 */

/**
 * What is known so far.
 */
export interface Search {
  /** Our first block. */
  readonly first: number
  /** Highest block known to be shared; `first - 1` while none is. */
  readonly shared: number
  /** Lowest block known to differ; our head + 1 while none is. */
  readonly differs: number
  /** How far below `differs` to look next, while galloping. */
  readonly step: number
}

/**
 * Begins a search over our blocks from `first` to `head`.
 */
export const start = (first: number, head: number): Search => ({ first, shared: first - 1, differs: head + 1, step: 1 })

/**
 * The number to compare next; `null` when the ancestor is known.
 */
export const next = ({ first, shared, differs, step }: Search): number | null => {
  if (differs - shared <= 1) return null
  return shared >= first ? Math.floor((shared + differs) / 2) : Math.max(first, differs - step)
}

/**
 * Takes the outcome of a comparison of block `number`.
 */
export const compared = (search: Search, number: number, isShared: boolean): Search =>
  isShared ? { ...search, shared: number } : { ...search, differs: number, step: search.step * 2 }

/**
 * The common ancestor's number once `next` is `null`; `null` when not even the first block is shared.
 */
export const ancestor = ({ first, shared }: Search): number | null => (shared >= first ? shared : null)
