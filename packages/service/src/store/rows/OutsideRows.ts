/**
 * Rows of blocks outside the index: below its first block, or beyond its head. Only damage leaves them behind, since rows and checkpoint
 * change together. Pure.
 */
import type { RemovableRow } from "../Audit.ts"

/** Blocks of an index. */
export interface Index {
  readonly first: number
  readonly head: number
}

/** An empty index: every row is outside it. */
export const empty: Index = { first: 0, head: -1 }

const names: Readonly<Record<string, string>> = {
  block: "a row of block",
  facts: "a row with the facts of block",
  gap: "a gap of block",
  document: "a transaction of block",
  large_document: "a long text of block",
  large_internal: "a long list of internal transactions of block",
}

/** True for a table with rows of blocks. */
export const isOf = (table: string): boolean => table in names

/** Description of a row. */
export const make = (table: string, block: number, { first, head }: Index): RemovableRow => {
  const range = head < first ? "is empty" : `has blocks ${first} to ${head}`
  return { table, key: [`${block}`], block, what: `${names[table]} ${block} is stored, while the index ${range}` }
}
