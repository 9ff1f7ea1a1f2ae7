/**
 * Whether blocks extend each other. Pure.
 */
import type { BlockRef, BlockRows } from "../../block/BlockRows.ts"

/** Whether two references name one block. */
export const isSame = (a: BlockRef | null, b: BlockRef | null) => a?.number === b?.number && a?.hash === b?.hash

/** Describes why blocks do not extend a block; `null` if they do. */
export const issue = (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>): string | null => {
  let previous = expected
  for (const block of blocks) {
    if (previous !== null && (block.number !== previous.number + 1 || block.parentHash !== previous.hash)) {
      return `Block ${block.number} (${block.hash}, parent ${block.parentHash}) does not extend block ${previous.number} (${previous.hash}).`
    }
    let last = -1
    for (const transaction of block.transactions) {
      if (transaction.index <= last) {
        return `Block ${block.number} (${block.hash}): transaction ${transaction.index} follows transaction ${last}.`
      }
      last = transaction.index
    }
    previous = block
  }
  return null
}
