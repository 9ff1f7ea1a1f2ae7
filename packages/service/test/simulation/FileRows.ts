/** Reads the rows of a chain's SQLite file. */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as StoredRows from "./StoredRows.ts"

export interface FileRows {
  /** `undefined` while the file has no tables. */
  readonly open: () => StoredRows.StoredRows | undefined
  readonly close: () => void
}

/** Position of a row in the chain as text. */
const place = "(id >> 20) || ':' || (id & 1048575)"

const checkpoint = `SELECT first, number, '0x' || nullif(lower(hex(hash)), '') AS hash, timestamp, finalized,
  (SELECT count(*) FROM block) AS blocks, (SELECT count(*) FROM document) AS transactions,
  (SELECT coalesce(max(rowid), 0) FROM document) AS newest,
  (SELECT count(*) FROM history) AS appearances, (SELECT count(*) FROM ledger) AS ledger,
  (SELECT coalesce(sum(revision * 1000000 + coalesce(next, 0)), 0) FROM projection) AS projections
  FROM checkpoint`

/** Prepares statements on a file. SQLite concatenates a list into one text faster than it returns rows. */
const read = (database: DatabaseSync): StoredRows.StoredRows => {
  const toRow = StoredRows.documentReader()
  const toFacts = StoredRows.factsReader()
  // Sound, also below: rows have the columns of their statement.
  const prepare = <Row>(sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return (...params: ReadonlyArray<number>) => statement.all(...params) as unknown as ReadonlyArray<Row>
  }
  const list = (item: string, table: string, order: string) => {
    const all = prepare<readonly [string | null]>(`SELECT group_concat(${item}, ' ' ORDER BY ${order}) FROM ${table}`)
    return (): string => all()[0]?.[0] ?? ""
  }
  const checkpointStatement = database.prepare(checkpoint)
  const histories = ["history", "history_copy"].map((table) =>
    list(`${place} || ':' || lower(hex(key))`, table, "id, key"),
  )
  const ofBlock = prepare<StoredRows.Columns>(
    "SELECT id, form, size, internal_size, frame FROM document WHERE id >= ? AND id < ? ORDER BY id",
  )
  const ledger = prepare<readonly [block: number, rows: string]>(
    "SELECT id >> 20, group_concat((id & 1048575) || ':0x' || lower(hex(wallet)), ' ' ORDER BY id, wallet) FROM ledger GROUP BY 1",
  )
  const movements = prepare<readonly [id: number, wallet: string, body: Uint8Array]>(
    "SELECT id, '0x' || lower(hex(wallet)), body FROM ledger",
  )
  const derived = prepare<readonly [revision: number, next: number | null]>(
    "SELECT revision, next FROM projection WHERE id = 'wallet_ledger'",
  )
  const facts = prepare<readonly [frame: Uint8Array]>("SELECT frame FROM facts WHERE block = ?")
  const transaction = `'0x' || lower(hex("transaction"))`
  const untraced = prepare<readonly [transaction: string]>(
    `SELECT ${transaction} FROM gap WHERE block = ? AND kind = 'trace'`,
  )
  return {
    checkpoint: () => checkpointStatement.get() as StoredRows.CheckpointRow | undefined,
    blocks: list(
      "number || ':0x' || lower(hex(hash)) || ':0x' || lower(hex(parent_hash)) || ':' || timestamp",
      "block",
      "number",
    ),
    factBlocks: list("block", "facts", "block"),
    ledgerBlocks: list("block", "ledger_block", "block"),
    positions: list(place, "document", "id"),
    histories: () => histories.map((all) => all()),
    ledger: () => new Map(ledger()),
    movements: () => movements().map(([id, wallet, body]) => ({ ...StoredRows.positionOf(id), wallet, body })),
    derived: () => derived()[0] ?? null,
    untraced: (block) => untraced(block).map(([hash]) => hash),
    missing: prepare(`SELECT block, ${transaction} FROM gap WHERE kind = 'receipt'`),
    factsOf: (block) => toFacts(facts(block)[0]![0]),
    ofBlock: (block) => ofBlock(block * StoredRows.perBlock, (block + 1) * StoredRows.perBlock).map(toRow),
  }
}

/** Reads the rows of a file that may not exist yet. */
export const make = (file: string): FileRows => {
  let database: DatabaseSync | undefined
  let rows: StoredRows.StoredRows | undefined
  return {
    open: () => {
      if (rows !== undefined || !existsSync(file)) return rows
      database ??= new DatabaseSync(file, { readOnly: true })
      if (database.prepare("SELECT name FROM sqlite_schema WHERE name = 'document'").all().length === 0)
        return undefined
      return (rows = read(database))
    },
    close: () => database?.close(),
  }
}
