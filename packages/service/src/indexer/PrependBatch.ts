/**
 * Consecutive blocks to be stored below the first one in one transaction, collected from the top down: which block comes next, and when the
 * batch is full. Pure.
 */
import type { BlockRows, LinkedBlock } from "../block/BlockRows.ts"
import * as AppendBatch from "./AppendBatch.ts"

/**
 * Blocks that are not stored yet.
 */
export interface PrependBatch extends Omit<AppendBatch.AppendBatch, "tip"> {
  /** The block that extends the highest one. */
  readonly above: LinkedBlock
}

/**
 * Makes an empty batch below a block.
 */
export const make = (above: LinkedBlock, nowMillis: number): PrependBatch => ({
  above,
  blocks: [],
  transactions: 0,
  length: 0,
  sinceMillis: nowMillis,
})

/**
 * The lowest block of the batch, or the one above it.
 */
export const bottom = ({ above, blocks }: PrependBatch): LinkedBlock => blocks[0] ?? above

/**
 * Adds the next lower block; `null` if it is not the parent of the lowest one.
 */
export const add = (batch: PrependBatch, block: BlockRows): PrependBatch | null => {
  const child = bottom(batch)
  if (child.parentHash !== block.hash || child.number !== block.number + 1) return null
  const transactions = batch.transactions + block.transactions.length
  const length = batch.length + AppendBatch.lengthOf(block)
  return { ...batch, blocks: [block, ...batch.blocks], transactions, length }
}
