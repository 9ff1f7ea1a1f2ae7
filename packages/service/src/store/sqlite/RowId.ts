/**
 * Where a transaction stands in a chain's file: one number made of its block and its index, which is the key of its row. Numbers
 * of one block lie next to each other, and those of later blocks are higher.
 */

/** Places of each block. Source: the tables of `SqliteStatements`, version 3. */
export const ofBlock = 1_048_576

/** The last block whose places are exact numbers. */
const lastBlock = Math.floor(Number.MAX_SAFE_INTEGER / ofBlock) - 1

/** The place of a transaction; throws where a block has more transactions, or a chain more blocks, than there are places. */
export const of = (block: number, index: number): number => {
  if (index < ofBlock && block <= lastBlock) return block * ofBlock + index
  throw new RangeError(`Transaction ${index} of block ${block} has no place in a file.`)
}

/** The places of blocks, inclusive: the first one, and the one after the last. */
export const range = (from: number, to: number): readonly [first: number, end: number] => [
  from * ofBlock,
  (Math.min(to, lastBlock) + 1) * ofBlock,
]
