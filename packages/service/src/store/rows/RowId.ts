/**
 * Row ids: the position of a transaction in its chain (block number and index) as one number, under which its row is stored. Row ids
 * of one block are adjacent, and those of later blocks are greater.
 */

/** Row ids of each block. Source: the tables of `Statements`, version 3. */
export const perBlock = 1_048_576

/** The last block whose row ids are exact numbers. */
const lastBlock = Math.floor(Number.MAX_SAFE_INTEGER / perBlock) - 1

/** The row id of a transaction; throws where a block has more transactions, or a chain more blocks, than there are row ids. */
export const make = (block: number, index: number): number => {
  if (index < perBlock && block <= lastBlock) return block * perBlock + index
  throw new RangeError(`No row id for transaction ${index} of block ${block}.`)
}

/** The row ids of blocks, inclusive: the first one, and the one after the last. */
export const range = (from: number, to: number): readonly [first: number, end: number] => [
  Math.min(from, lastBlock + 1) * perBlock,
  (Math.min(to, lastBlock) + 1) * perBlock,
]

/** The position of a row id. */
export const toPosition = (rowId: number): { readonly block: number; readonly index: number } => {
  const block = Math.floor(rowId / perBlock)
  // A remainder of numbers above 32 bits takes several times as long.
  return { block, index: rowId - block * perBlock }
}
