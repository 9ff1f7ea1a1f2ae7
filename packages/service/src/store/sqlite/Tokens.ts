/**
 * Self-descriptions of token contracts, in a chain's file: one row per token that was read, and the first block whose tokens were not
 * examined. Damaged rows are ignored. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0054.
 */
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import type { UnreadQuery, UnreadTokens } from "../Proofs.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as LedgerHoldings from "../rows/LedgerHoldings.ts"
import * as TokenRow from "../rows/TokenRow.ts"
import type { Connection } from "./Connection.ts"
import * as UnreadOpenings from "./UnreadOpenings.ts"

/** The tables of a chain's file. */
export const tables = `CREATE TABLE token (
    address BLOB PRIMARY KEY,
    block INTEGER NOT NULL,
    name TEXT,
    symbol TEXT,
    decimals INTEGER,
    checksum INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE token_progress (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, next INTEGER NOT NULL);`

/** The indexes that find tokens by symbol and name. */
export const searchIndexes = `CREATE INDEX token_symbol ON token (symbol COLLATE NOCASE, block);
  CREATE INDEX token_name ON token (name COLLATE NOCASE, block);`

/** Parameters: first text, upper bound of the texts, limit. */
const find = (column: "symbol" | "name") => `SELECT address, block, name, symbol, decimals, checksum FROM token
  WHERE ${column} COLLATE NOCASE >= ? AND ${column} COLLATE NOCASE < ?
  ORDER BY ${column} COLLATE NOCASE, block, address LIMIT ?`

const finds = [find("symbol"), find("name")]

/** Parameters: address, block, name, symbol, decimals, checksum. */
const insert = `INSERT OR IGNORE INTO token (address, block, name, symbol, decimals, checksum) VALUES (?, ?, ?, ?, ?, ?)`

/** Parameters: addresses as JSON. */
const select = `SELECT t.address, t.block, t.name, t.symbol, t.decimals, t.checksum
  FROM json_each(?) wanted CROSS JOIN token t ON t.address = unhex(substr(wanted.value, 3))`

/** Parameters: address. */
const has = `SELECT 1 FROM token WHERE address = ?`

/** Parameters: first. */
const progress = `SELECT next FROM token_progress WHERE first = ?`

/** Parameters: first, next. */
const advance = `INSERT OR REPLACE INTO token_progress (id, first, next) VALUES (1, ?, ?)`

/** Parameters: lowest. */
const unwind = `UPDATE token_progress SET next = min(next, ?)`

/** The tokens of rows. */
const tokensOf = (rows: ReadonlyArray<TokenRow.Columns>): ReadonlyMap<string, TokenMetadata> =>
  new Map(rows.map(TokenRow.read).filter((token) => token !== null))

/** Tokens by address, as far as they were read. */
export const readUnsafe = (connection: Connection, addresses: Iterable<string>): ReadonlyMap<string, TokenMetadata> => {
  const wanted = [...addresses]
  if (wanted.length === 0) return new Map()
  return tokensOf(connection.valuesUnsafe<TokenRow.Columns>(select, [JSON.stringify(wanted)]))
}

/** Tokens whose symbol begins with a text, and those whose name does. */
export const findUnsafe = (connection: Connection, text: string, limit: number): ReadonlyMap<string, TokenMetadata> => {
  const range = TokenRow.range(text)
  return tokensOf(finds.flatMap((sql) => connection.valuesUnsafe<TokenRow.Columns>(sql, [...range, limit])))
}

/** Inserts tokens; one that was read before keeps its earlier values. */
export const insertUnsafe = (connection: Connection, tokens: ReadonlyMap<string, TokenMetadata>): void =>
  connection.manyUnsafe(insert, TokenRow.make(tokens))

/** The next tokens to read, for an index with this first block. */
export const unreadUnsafe = (
  connection: Connection,
  first: number,
  { limit, to, wallets }: UnreadQuery,
): UnreadTokens => {
  const from = connection.valuesUnsafe<readonly [number]>(progress, [first])[0]?.[0] ?? first
  let next = from
  const known = new Set<string>()
  const tokens: Array<string> = []
  for (let rows = 0; next <= to && rows < LedgerHoldings.maxRows && tokens.length < limit; next++) {
    for (const [key, , body] of UnreadOpenings.rowsUnsafe(connection, next)) {
      rows += 1
      const wallet = toHex(key)
      if (wallets?.has(wallet) === false) continue
      for (const token of LedgerHoldings.tokensOf(wallet, body)) {
        if (known.has(token)) continue
        known.add(token)
        if (connection.valuesUnsafe(has, [fromHex(token)]).length === 0) tokens.push(token)
      }
    }
  }
  return { tokens, from, next }
}

/** Remembers the first block that was not examined. */
export const advanceUnsafe = (connection: Connection, first: number, next: number): void =>
  void connection.rowsUnsafe(advance, [first, next])

/** Marks the blocks from `lowest` on to be examined again; if the index is emptied, everything is removed. */
export const unwindUnsafe = (connection: Connection, lowest: number, isEmpty: boolean): void => {
  if (isEmpty) for (const table of ["token", "token_progress"]) connection.rowsUnsafe(`DELETE FROM ${table}`, [])
  else connection.rowsUnsafe(unwind, [lowest])
}
