/**
 * The rows of blocks in a chain's file, each with its checksum. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for
 * a damaged row.
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

/** Blocks of a range, inclusive, with whether each is damaged. */
export const rangeUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
  layoutFrom: number,
): ReadonlyArray<BlockRow.StoredHeader> =>
  connection
    .valuesUnsafe<BlockRow.Columns>(Statements.blocks, [chain, from, to])
    .map((row) => BlockRow.fromColumns(row, layoutFrom))

/** The block of a number; `null` where none is stored. */
export const findUnsafe = (
  connection: Connection,
  chain: number,
  number: number,
  layoutFrom: number,
): BlockRow.StoredHeader | null => {
  const [found] = rangeUnsafe(connection, chain, number, number, layoutFrom)
  if (found?.isDamaged === true) throw Checksum.damaged(connection.name, number, "it does not match its checksum")
  return found ?? null
}

/** Gives blocks of a range that have no checksum one, inclusive. */
export const sealUnsafe = (connection: Connection, chain: number, from: number, to: number): void => {
  const rows = connection.valuesUnsafe<BlockRow.Columns>(Statements.blocks, [chain, from, to])
  const missing = rows.filter(([, , , , , , checksum]) => checksum === null)
  connection.manyUnsafe(
    Statements.sealBlock,
    missing.map(([number, hash, parentHash, timestamp, count, factsChecksum]) => [
      BlockRow.checksumOf([number, hash, parentHash, timestamp, count, factsChecksum]),
      chain,
      number,
    ]),
  )
}
