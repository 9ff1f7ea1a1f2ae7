/**
 * Rewrites blocks that an earlier version stored into the present layout, from the newest down: after each step all blocks from one on
 * are in the present layout, and a step is one transaction, so that readers and an interruption always find a whole index. Entries of
 * histories of rewritten blocks stay in the earlier layout, where no reader looks for them, until all blocks are rewritten: removed in
 * their own order they cost a write for each page, not for each entry. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0033.
 */
import type { Filled } from "../ChainWriter.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as Documents from "./Documents.ts"
import * as Histories from "./Histories.ts"
import * as OldRows from "./OldRows.ts"
import * as OldStatements from "./OldStatements.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./Statements.ts"

/** Blocks that one step rewrites at most. */
const maxBlocks = 500

/** The lowest block of the next step, and its number of transactions. */
const stepUnsafe = (connection: Connection, chain: number, end: number, maxTransactions: number) => {
  let from = end
  let transactions = 0
  for (const [number, count] of connection.valuesUnsafe<readonly [number: number, count: number]>(
    Statements.blockCountsDown,
    [chain, end, maxBlocks],
  )) {
    if (from < end && transactions + count > maxTransactions) break
    from = number
    transactions += count
  }
  return from
}

const moveUnsafe = ({ codec, connection, ref }: ChainFile, from: number, end: number): number => {
  const range = [RowId.range(from, from)[0], RowId.range(end, end)[0]] as const
  const rows = OldRows.readUnsafe(connection, ...range)
  for (const [id, row] of rows) {
    Documents.insertUnsafe(connection, RowId.toPosition(id).block, [row], codec)
    Histories.insertUnsafe(connection, Histories.entriesOf(id, row.addresses))
  }
  connection.rowsUnsafe(OldStatements.deleteTransactionsOf, range)
  Blocks.sealUnsafe(connection, ref.id, from, end - 1)
  return rows.length
}

/** Entries that one step removes for each transaction that it may rewrite. */
const entriesPerTransaction = 50

/** Removes the next entries of histories of the earlier layout, which no block needs any more; true when none is left. */
const removeEntriesUnsafe = ({ connection, ref }: ChainFile, maxTransactions: number): boolean => {
  connection.rowsUnsafe(OldStatements.deleteFirstAppearances, [ref.id, maxTransactions * entriesPerTransaction])
  return connection.valuesUnsafe(OldStatements.anyAppearance, [ref.id]).length === 0
}

/**
 * Rewrites the next blocks with up to a number of transactions, at least one block, or removes what is left of the earlier layout; runs
 * inside a transaction.
 */
export const stepDownUnsafe = (file: ChainFile, maxTransactions: number): Filled => {
  const { connection, ref } = file
  const { checkpoint, layoutFrom } = Checkpoints.readUnsafe(connection, ref.id)
  if (checkpoint === null || layoutFrom <= checkpoint.first) {
    return { transactions: 0, isDone: removeEntriesUnsafe(file, maxTransactions) }
  }
  const found = stepUnsafe(connection, ref.id, layoutFrom, maxTransactions)
  // No block is stored below: the rest holds nothing.
  const from = found === layoutFrom ? checkpoint.first : found
  const transactions = moveUnsafe(file, from, layoutFrom)
  const isLast = from <= checkpoint.first
  connection.rowsUnsafe(Statements.moveLayout, [isLast ? null : from, ref.id])
  Checkpoints.sealUnsafe(connection, ref.id)
  return { transactions, isDone: isLast && removeEntriesUnsafe(file, maxTransactions) }
}
