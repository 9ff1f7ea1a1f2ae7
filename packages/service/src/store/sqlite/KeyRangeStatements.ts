/**
 * Statements on the tables whose keys begin with the number of a range of blocks. Each names its parameters in order.
 */

import type * as KeyRanges from "../rows/KeyRanges.ts"
import { limit } from "./Limit.ts"

/** A table with keys in ranges. */
export interface Table {
  readonly name: "history" | "history_copy" | "ledger"
  readonly key: "key" | "wallet"
  /** Columns without the range. */
  readonly columns: string
}

export const history = { name: "history", key: "key", columns: "key, id" } as const satisfies Table
export const historyCopy = { name: "history_copy", key: "key", columns: "key, id" } as const satisfies Table
export const ledger = { name: "ledger", key: "wallet", columns: "wallet, id, body, checksum" } as const satisfies Table

/** All tables. */
export const tables = [history, historyCopy, ledger] as const

const withRange = (name: Table["name"], columns: string, selected: string, key: string): string =>
  `ALTER TABLE ${name} RENAME TO ${name}_before;
  CREATE TABLE ${name} (
    ${columns},
    range INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (range, ${key}, id)
  ) WITHOUT ROWID;
  INSERT INTO ${name} (${selected}) SELECT ${selected} FROM ${name}_before ORDER BY ${key}, id;
  DROP TABLE ${name}_before;`

const keyed = "key BLOB NOT NULL, id INTEGER NOT NULL"

/** Adds a range to each key; stored entries are in the first one. */
export const migration = [
  `CREATE TABLE key_range (id INTEGER PRIMARY KEY, ranges TEXT NOT NULL, checksum INTEGER NOT NULL);`,
  withRange("history", keyed, "key, id", "key"),
  withRange("history_copy", keyed, "key, id", "key"),
  withRange(
    "ledger",
    "wallet BLOB NOT NULL, id INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL",
    "wallet, id, body, checksum",
    "wallet",
  ),
].join("\n")

export const read = `SELECT ranges, checksum FROM key_range WHERE id = 0`

/** Parameters: ranges, checksum. */
export const write = `INSERT OR REPLACE INTO key_range (id, ranges, checksum) VALUES (0, ?, ?)`

/** One row if an entry is in a range other than the first one. */
export const anyOther = tables
  .map(({ name }) => `SELECT * FROM (SELECT 1 FROM ${name} WHERE range > 0 LIMIT 1)`)
  .join(" UNION ALL ")

/** Moves all entries to the first range. */
export const inFirst = tables.map(({ name }) => `UPDATE OR REPLACE ${name} SET range = 0 WHERE range <> 0`)

export const countAll = `SELECT (SELECT count(*) FROM history) + (SELECT count(*) FROM ledger)`

/** The last entry of a range. Parameters: range. */
export const last = ({ key, name }: Table) =>
  `SELECT ${key}, id FROM ${name} WHERE range = ? ORDER BY ${key} DESC, id DESC LIMIT 1`

/** Caches the text for each number of parts: it is the key of a prepared statement. */
export const kept = (textOf: (parts: number) => string): ((parts: number) => string) => {
  const texts = new Map<number, string>()
  return (parts) => {
    const text = texts.get(parts) ?? textOf(parts)
    texts.set(parts, text)
    return text
  }
}

export const repeated = (parts: number, text: string): string =>
  Array.from({ length: parts }, () => text).join(" UNION ALL ")

const ofTables = (textOf: (table: Table, parts: number) => string) => {
  const texts = new Map(tables.map((table) => [table.name, kept((parts) => textOf(table, parts))]))
  return (table: Table, parts: number): string => texts.get(table.name)!(parts)
}

/** An entry of ranges after a number of others. Parameters: each range, number of the others. */
export const bound = ofTables(
  ({ key, name }, parts) =>
    `${repeated(parts, `SELECT ${key}, id FROM ${name} WHERE range = ?`)} ORDER BY ${key}, id LIMIT 1 OFFSET ? + 0`,
)

/** Copies the entries of ranges up to one to another range. Parameters: that range; for each range its number, the last key and row id. */
export const move = ofTables(
  ({ columns, key, name }, parts) =>
    `INSERT OR IGNORE INTO ${name} (range, ${columns}) SELECT ?, ${columns} FROM (
      ${repeated(parts, `SELECT ${columns} FROM ${name} WHERE range = ? AND (${key}, id) <= (?, ?)`)} ORDER BY ${key}, id LIMIT -1)`,
)

/** Parameters: range, last key and row id. */
export const removeTo = ({ key, name }: Table) => `DELETE FROM ${name} WHERE range = ? AND (${key}, id) <= (?, ?)`

/** Number of parts that are read at once. */
export const partsAtOnce = 8

/** Number of parts in the statement for a number of them: few statements are prepared for any number of ranges. */
export const roundedParts = (parts: number): number => (parts === 1 ? 1 : Math.ceil(parts / partsAtOnce) * partsAtOnce)

/** A part without rows: no range has its number. */
export const noPart: KeyRanges.Part = [-1, 0, 0]

/** A statement on a number of parts of a history or a ledger. */
export type OfParts = (parts: number) => string

/** Rows of several parts in order; `one` reads those of one part, ordered and with a limit. */
const union = (one: string, parts: number): string => repeated(parts, `SELECT * FROM (${one})`)

/** The first rows of parts; if there are several, the limit follows their parameters. */
export const ofParts = (one: string): OfParts => kept((parts) => (parts === 1 ? one : `${union(one, parts)} ${limit}`))

/** The row of parts after a number of others, which follows the parameters of the parts. */
export const behind = (one: string): OfParts => kept((parts) => `${union(one, parts)} LIMIT 1 OFFSET ? + 0`)
