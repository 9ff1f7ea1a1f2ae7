/**
 * Searches for the common ancestor of the stored chain and a node's chain with few comparisons: exponential steps down from the stored head
 * until a block is shared, then bisection. Pure: it returns the number to compare next, and the caller fetches and compares. Blocks are
 * linked to their parents, so all blocks below a shared one are shared.
 */

/**
 * State of a search.
 */
export interface Search {
  /** First stored block. */
  readonly first: number
  /** Highest block known to be shared; `first - 1` while none is known. */
  readonly shared: number
  /** Lowest block known to differ; the stored head + 1 while none is known. */
  readonly differs: number
  /** Distance below `differs` of the next comparison, until the first shared block is found. */
  readonly step: number
}

/**
 * Starts a search over the stored blocks from `first` to `head`.
 */
export const start = (first: number, head: number): Search => ({ first, shared: first - 1, differs: head + 1, step: 1 })

/**
 * Number to compare next; `null` when the ancestor is known.
 */
export const next = ({ first, shared, differs, step }: Search): number | null => {
  if (differs - shared <= 1) return null
  return shared >= first ? Math.floor((shared + differs) / 2) : Math.max(first, differs - step)
}

/**
 * Records the comparison of block `number`.
 */
export const compared = (search: Search, number: number, isShared: boolean): Search =>
  isShared ? { ...search, shared: number } : { ...search, differs: number, step: search.step * 2 }
