/**
 * Row ids: the position of a transaction in its chain (block number and index) as one number, under which its row is stored. Row ids
 * of one block are adjacent, and those of later blocks are greater.
 */

/** Number of row ids per block. Source: the tables of `Statements`, version 3. */
export const perBlock = 1_048_576

/** The last block whose row ids are exact numbers. */
const lastBlock = Math.floor(Number.MAX_SAFE_INTEGER / perBlock) - 1

/** Row id of a transaction; throws if a block has more transactions, or a chain more blocks, than there are row ids. */
export const make = (block: number, index: number): number => {
  if (index < perBlock && block <= lastBlock) return block * perBlock + index
  throw new RangeError(`No row id for transaction ${index} of block ${block}.`)
}

/** Row ids of a range of blocks, inclusive: the first one, and the one after the last. */
export const range = (from: number, to: number): readonly [first: number, end: number] => [
  Math.min(from, lastBlock + 1) * perBlock,
  (Math.min(to, lastBlock) + 1) * perBlock,
]

/** Position of a row id. */
export const toPosition = (rowId: number): { readonly block: number; readonly index: number } => {
  const block = Math.floor(rowId / perBlock)
  // The remainder operator takes several times as long for numbers above 32 bits.
  return { block, index: rowId - block * perBlock }
}
