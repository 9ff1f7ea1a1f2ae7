/**
 * Consecutive blocks to be appended in one transaction: which block extends them, and when the batch is full. Pure.
 */
import type { BlockRef, BlockRows } from "../block/BlockRows.ts"

/**
 * Blocks that are not stored yet.
 */
export interface AppendBatch {
  /** Stored block that the first one extends; `null` for an empty index. */
  readonly tip: BlockRef | null
  /** Lowest first. */
  readonly blocks: ReadonlyArray<BlockRows>
  readonly transactions: number
  /** Size: characters of documents, internal transactions and facts, plus bytes of the ledger and of prepared data. */
  readonly length: number
  /** When the batch was started, in milliseconds. */
  readonly sinceMillis: number
}

const defaultMaxBlocks = 100
const maxTransactions = 1_000
const maxMillis = 500
/** Size beyond which a batch is appended, since it is held in memory as a whole. */
const maxLength = 16 * 1024 * 1024

/**
 * Size that a block adds to a batch: its texts, ledger and prepared data.
 */
export const lengthOf = ({ facts = "", ledger, preparedBytes = 0, transactions }: BlockRows): number =>
  transactions.reduce(
    (sum, { body, internal }) => sum + body.length + (internal?.length ?? 0),
    facts.length + (ledger?.length ?? 0) + preparedBytes,
  )

/**
 * Makes an empty batch above a stored block.
 */
export const make = (tip: BlockRef | null, nowMillis: number): AppendBatch => ({
  tip,
  blocks: [],
  transactions: 0,
  length: 0,
  sinceMillis: nowMillis,
})

/**
 * The highest block of the batch, or the stored one below it; `null` when there is neither.
 */
export const head = ({ blocks, tip }: AppendBatch): BlockRef | null => blocks.at(-1) ?? tip

/**
 * Adds the next block; `null` when its parent is not the head of the batch.
 */
export const add = (batch: AppendBatch, block: BlockRows): AppendBatch | null => {
  const parent = head(batch)
  if (parent !== null && (parent.hash !== block.parentHash || parent.number + 1 !== block.number)) return null
  const transactions = batch.transactions + block.transactions.length
  const length = batch.length + lengthOf(block)
  return { ...batch, blocks: [...batch.blocks, block], transactions, length }
}

/**
 * True if the batch should be stored, by its number of blocks or transactions, its size or its age.
 */
export const isFull = (
  { blocks, length, sinceMillis, transactions }: Omit<AppendBatch, "tip">,
  nowMillis: number,
  maxBlocks: number = defaultMaxBlocks,
): boolean =>
  blocks.length >= maxBlocks ||
  transactions >= maxTransactions ||
  length >= maxLength ||
  nowMillis - sinceMillis >= maxMillis
