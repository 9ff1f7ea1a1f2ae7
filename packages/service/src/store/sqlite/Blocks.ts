/**
 * Rows of blocks in a chain's file, each with its checksum. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a
 * damaged row.
 *
 * Source: decision 0034.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import * as BlockRow from "../rows/BlockRow.ts"
import * as Checksum from "../rows/Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** Inserts the row of a block. */
export const insertUnsafe = (
  connection: Connection,
  chain: number,
  block: BlockRows,
  factsChecksum: number | null,
): void => {
  connection.rowsUnsafe(Statements.insertBlock, [chain, ...BlockRow.make(block, factsChecksum)])
}

/** Blocks of a range, inclusive, each with whether it is damaged. */
export const rangeUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
): ReadonlyArray<BlockRow.StoredHeader> =>
  connection.valuesUnsafe<BlockRow.Columns>(Statements.blocks, [chain, from, to]).map(BlockRow.fromColumns)

/** A block that was read; throws if it is damaged. */
export const soundUnsafe = (connection: Connection, found: BlockRow.StoredHeader | null) => {
  if (found?.isDamaged === true) throw Checksum.damaged(connection.name, found.number, "it does not match its checksum")
  return found
}

/** The block with a number; `null` if none is stored. */
export const findUnsafe = (connection: Connection, chain: number, number: number): BlockRow.StoredHeader | null =>
  soundUnsafe(connection, rangeUnsafe(connection, chain, number, number)[0] ?? null)

/** Blocks with the given numbers, each with whether it is damaged. */
export const ofNumbersUnsafe = (
  connection: Connection,
  chain: number,
  numbers: ReadonlyArray<number>,
): ReadonlyArray<BlockRow.StoredHeader> =>
  connection
    .valuesUnsafe<BlockRow.Columns>(Statements.blocksOf, [JSON.stringify(numbers), chain])
    .map(BlockRow.fromColumns)
