/**
 * Tables whose missing rows are read from a node again: openings, proofs, proved blocks and tokens. Such a row with an invalid checksum
 * counts as missing. Pure.
 *
 * Source: decision 0034.
 */
import type { RemovableRow } from "../Audit.ts"
import { toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** A table. */
export interface Table {
  readonly name: string
  readonly key: ReadonlyArray<string>
  /** All columns covered by its checksum in that order, and the checksum. */
  readonly columns: ReadonlyArray<string>
  /** Description of a row, which precedes the text of its first column. */
  readonly what: string
  /** The column that names the block of a row. */
  readonly block: string
}

/** Tables in the order in which they are examined. */
export const tables: readonly [Table, ...ReadonlyArray<Table>] = [
  {
    name: "opening",
    key: ["wallet", "holding"],
    columns: ["wallet", "holding", "first", "amount", "checksum"],
    what: "an opening balance of",
    block: "first",
  },
  {
    name: "proof",
    key: ["wallet"],
    columns: ["wallet", "first", "block", "hash", "body", "checksum"],
    what: "the proof of",
    block: "block",
  },
  {
    name: "reconciled",
    key: ["wallet"],
    columns: ["wallet", "first", "compared", "block", "checksum"],
    what: "the last proved block of",
    block: "compared",
  },
  {
    name: "token",
    key: ["address"],
    columns: ["address", "block", "name", "symbol", "decimals", "checksum"],
    what: "the description of token",
    block: "block",
  },
]

/** An examined row, by the texts of its key; an empty key is before the first row. */
export interface Position {
  readonly table: string
  readonly key: ReadonlyArray<string>
}

/** Position before the first row. */
export const start: Position = { table: tables[0].name, key: [] }

/** Finds a table by name. */
export const tableOf = (name: string): Table => tables.find((table) => table.name === name) ?? tables[0]

/** Position before the first row of the next table; `null` after the last one. */
export const following = (name: string): Position | null => {
  const next = tables[tables.indexOf(tableOf(name)) + 1]
  return next === undefined ? null : { table: next.name, key: [] }
}

/** Text of a key column: damage may have changed bytes to a number or a text. */
const textOf = (value: unknown): string => (value instanceof Uint8Array ? toHex(value) : JSON.stringify(value))

/** Parses the text of a key column. */
export const fromText = (text: string): number | string | Uint8Array => {
  if (text.startsWith("0x")) return Buffer.from(text.slice(2), "hex")
  const value: unknown = JSON.parse(text)
  return typeof value === "number" || typeof value === "string" ? value : ""
}

/** The key of a row. */
export const keyOf = ({ columns, key }: Table, row: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  key.map((column) => textOf(row[columns.indexOf(column)]))

/** The removable row if a row is damaged; nothing for an intact one. */
export const find = (table: Table, row: ReadonlyArray<unknown>): ReadonlyArray<RemovableRow> => {
  if (Checksum.isOf(row.slice(0, -1), row.at(-1))) return []
  const key = keyOf(table, row)
  const block = row[table.columns.indexOf(table.block)]
  const what = `${table.what} ${key[0]!} does not match its checksum`
  return [{ table: table.name, key, block: typeof block === "number" ? block : null, what }]
}
