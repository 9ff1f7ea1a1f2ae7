/**
 * Facts of stored blocks in a chain's file: one compressed text per block, whose checksum is in the row of the block, so that a missing
 * text is detected. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decisions 0034 and 0044.
 */
import * as FactsRow from "../rows/FactsRow.ts"
import type { StoreError } from "../StoreError.ts"
import * as Checksum from "../rows/Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** The table of a chain's file. */
export const table = `CREATE TABLE facts (
    block INTEGER PRIMARY KEY,
    dictionary INTEGER NOT NULL,
    size INTEGER NOT NULL,
    frame BLOB NOT NULL
  );`

/** Inserts the facts of a block that has none stored; returns their checksum, or `null` for a block without facts. */
export const insertUnsafe = (connection: Connection, columns: FactsRow.Columns | null): number | null => {
  if (columns === null) return null
  connection.rowsUnsafe(Statements.insertFacts, columns)
  return Checksum.fromValues(columns)
}

/** Removes the facts of a range of blocks, inclusive. */
export const deleteUnsafe = (connection: Connection, from: number, to: number): void =>
  void connection.rowsUnsafe(Statements.deleteFacts, [from, to])

/** Facts of consecutive blocks by block, including damaged ones. */
export const rangeUnsafe = (
  connection: Connection,
  blocks: ReadonlyArray<FactsRow.Header>,
): ReadonlyMap<number, string | StoreError> => {
  const having = blocks.filter(({ factsChecksum }) => factsChecksum !== null)
  const [first, last] = [having[0], having.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const rows = connection.valuesUnsafe<FactsRow.Columns>(Statements.facts, [first.number, last.number])
  const byBlock = new Map(rows.map((columns) => [columns[0], columns]))
  return new Map(
    having.map((block) => [block.number, FactsRow.read(connection.name, block, byBlock.get(block.number))]),
  )
}

/** Facts of a block; `null` if it has none. */
export const findUnsafe = (connection: Connection, block: FactsRow.Header): string | null =>
  FactsRow.textUnsafe(rangeUnsafe(connection, [block]).get(block.number))
