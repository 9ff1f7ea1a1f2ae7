/**
 * Rows of a chain's file that can be removed without loss: openings, proofs and tokens with invalid checksums, which will be read again,
 * and rows of blocks outside the index. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0034.
 */
import type { RemovableRow } from "../Audit.ts"
import * as OutsideRows from "../rows/OutsideRows.ts"
import * as ReadAgain from "../rows/ReadAgain.ts"
import * as RowId from "../rows/RowId.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as Tokens from "./Tokens.ts"
import * as UnreadOpenings from "./UnreadOpenings.ts"

type Value = number | string | Uint8Array | null

const keyOf = ({ key }: ReadAgain.Table): string => key.join(", ")

/** Rows of a table after a key, in key order; a damaged file may contain text where the program writes bytes. */
const rowsAfterUnsafe = (
  connection: Connection,
  table: ReadAgain.Table,
  after: ReadonlyArray<string>,
  limit: number,
) => {
  const { columns, key, name } = table
  const where = after.length === 0 ? "" : `WHERE (${keyOf(table)}) > (${key.map(() => "?").join(", ")})`
  return connection.valuesUnsafe<ReadonlyArray<Value>>(
    `SELECT ${columns.join(", ")} FROM ${name} ${where} ORDER BY ${keyOf(table)} LIMIT ?`,
    [...after.map(ReadAgain.fromText), limit],
  )
}

/** Damaged rows among the next rows of a table, and the key of the last one examined; `null` at the end. */
const damagedUnsafe = (connection: Connection, table: ReadAgain.Table, after: ReadonlyArray<string>, limit: number) => {
  const rows = rowsAfterUnsafe(connection, table, after, limit)
  const last = rows.length < limit ? null : ReadAgain.keyOf(table, rows.at(-1)!)
  return { found: rows.flatMap((row) => ReadAgain.find(table, row)), last }
}

/** Blocks of the index; none if it is empty. */
const indexUnsafe = (connection: Connection, chain: number): OutsideRows.Index => {
  const { first, number } = Checkpoints.readUnsafe(connection, chain)
  return first === null || number === null ? OutsideRows.empty : { first, head: number }
}

const byBlock = { block: "number", facts: "block", gap: "block" } as const
const byId = ["document", "large_document", "large_internal"] as const

/** Rows of blocks outside the index. Those of histories and ledgers are found because no block names them. */
const outsideUnsafe = (connection: Connection, chain: number, limit: number): ReadonlyArray<RemovableRow> => {
  const index = indexUnsafe(connection, chain)
  const [from, end] = RowId.range(index.first, index.head)
  const select = (sql: string, params: ReadonlyArray<number>) =>
    connection.valuesUnsafe<readonly [number]>(`${sql} LIMIT ?`, [...params, limit]).map(([value]) => value)
  const ofBlocks = Object.entries(byBlock).flatMap(([name, column]) =>
    select(`SELECT DISTINCT ${column} FROM ${name} WHERE ${column} < ? OR ${column} > ?`, [
      index.first,
      index.head,
    ]).map((block) => OutsideRows.make(name, block, index)),
  )
  const ofIds = byId.flatMap((name) =>
    select(`SELECT id FROM ${name} WHERE id < ? OR id >= ?`, [from, end]).map((id) =>
      OutsideRows.make(name, RowId.toPosition(id).block, index),
    ),
  )
  return [...ofBlocks, ...ofIds]
}

/** Removable rows after one, and the last one examined; `null` at the end. */
export const afterUnsafe = (connection: Connection, chain: number, after: ReadAgain.Position | null, limit: number) => {
  const { key, table } = after ?? ReadAgain.start
  const { found, last } = damagedUnsafe(connection, ReadAgain.tableOf(table), key, limit)
  const outside = after === null ? outsideUnsafe(connection, chain, limit) : []
  return { found: [...found, ...outside], last: last === null ? ReadAgain.following(table) : { table, key: last } }
}

/** Tables with the rows of blocks. */
const allByBlock = { ...byBlock, ledger_block: "block" } as const
const allById = [...byId, "history", "history_copy", "ledger", "entry"] as const

/** Removes every row of blocks outside the index. */
export const removeOutsideUnsafe = ({ connection, ref }: ChainFile): void => {
  const index = indexUnsafe(connection, ref.id)
  for (const [name, column] of Object.entries(allByBlock)) {
    connection.rowsUnsafe(`DELETE FROM ${name} WHERE ${column} < ? OR ${column} > ?`, [index.first, index.head])
  }
  const ids = RowId.range(index.first, index.head)
  for (const name of allById) connection.rowsUnsafe(`DELETE FROM ${name} WHERE id < ? OR id >= ?`, ids)
}

const removeDamagedUnsafe = (connection: Connection, table: ReadAgain.Table, key: ReadonlyArray<string>): boolean => {
  const where = table.key.map((column) => `${column} = ?`).join(" AND ")
  const params = key.map(ReadAgain.fromText)
  const rows = connection.valuesUnsafe<ReadonlyArray<Value>>(
    `SELECT ${table.columns.join(", ")} FROM ${table.name} WHERE ${where}`,
    params,
  )
  const isDamaged = rows.some((row) => ReadAgain.find(table, row).length > 0)
  if (isDamaged) connection.rowsUnsafe(`DELETE FROM ${table.name} WHERE ${where}`, params)
  return isDamaged
}

/** Removes rows that are still removable. The blocks from which a removed opening or token was read are examined again. */
export const removeUnsafe = (file: ChainFile, rows: ReadonlyArray<RemovableRow>): void => {
  const { connection, ref } = file
  const removed = new Set<string>()
  for (const { key, table } of rows) {
    const known = ReadAgain.tables.find(({ name }) => name === table)
    if (known !== undefined && removeDamagedUnsafe(connection, known, key)) removed.add(table)
  }
  const { first } = indexUnsafe(connection, ref.id)
  if (removed.has("opening")) UnreadOpenings.unwindUnsafe(connection, first)
  if (removed.has("token")) Tokens.unwindUnsafe(connection, first, false)
  if (rows.some(({ table }) => OutsideRows.isOf(table))) removeOutsideUnsafe(file)
}
