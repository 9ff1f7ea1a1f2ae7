/**
 * Layouts of the tables that hold histories and ledgers, each in its own file with the writer's settings.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import * as DatabaseFile from "../../../packages/service/src/store/sqlite/DatabaseFile.ts"
import type { Batch } from "./MadeEntries.ts"

/** A file with entries in one layout. */
export interface Layout {
  /** Inserts entries in one transaction. */
  readonly append: (batch: Batch) => void
  /** Row ids of the newest entries of a history. */
  readonly history: (key: Uint8Array, limit: number) => ReadonlyArray<number>
  /** Row ids of the newest rows of a ledger. */
  readonly ledger: (wallet: Uint8Array, limit: number) => ReadonlyArray<number>
  /** Number of block ranges that a page may have to search. */
  readonly ranges: () => number
  readonly close: () => void
}

type Row = ReadonlyArray<SQLInputValue>

const tables = `CREATE TABLE history (key BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) WITHOUT ROWID;
  CREATE TABLE history_copy (key BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) WITHOUT ROWID;
  CREATE TABLE ledger (wallet BLOB NOT NULL, id INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (wallet, id)) WITHOUT ROWID;`

/** How a layout differs from that of the service. */
export interface Variation {
  /** The writer's page cache, in KiB. Default: that of the service. */
  readonly cacheKib?: number
  /** Page size of the file, in bytes. Default: that of the service. */
  readonly pageBytes?: number
  /** True for histories without the second table. */
  readonly hasOneCopy?: boolean
  /** True to sort each batch by key. */
  readonly isSorted?: boolean
  /** Number of entries in a range of blocks, whose number begins the keys. Default: one range. */
  readonly rangeEntries?: number
  /** Number of adjacent ranges that are merged into one of the next size. Default: ranges are not merged. */
  readonly mergedRanges?: number
}

const prefixBytes = 3

const prefixOf = (range: number): Uint8Array => {
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUIntBE(range, 0, prefixBytes)
  return prefix
}

interface Table {
  readonly name: string
  readonly key: string
  readonly columns: string
}

const newest = ({ key, name }: Table) => `SELECT id FROM ${name} WHERE ${key} = ? ORDER BY id DESC LIMIT ? + 0`

/** Number of ranges that one statement searches. */
const atOnce = 8

const historyTables: ReadonlyArray<Table> = [
  { name: "history", key: "key", columns: "id" },
  { name: "history_copy", key: "key", columns: "id" },
]
const ledgerTable: Table = { name: "ledger", key: "wallet", columns: "id, body, checksum" }

const selectOfRanges = (table: Table) =>
  `${Array.from({ length: atOnce }, () => `SELECT id FROM (${newest(table)})`).join(" UNION ALL ")} LIMIT ? + 0`

const prepared = (database: DatabaseSync, sql: string) => {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  // Rows are arrays; the types of node:sqlite do not reflect it.
  return (params: Row) => statement.all(...params) as unknown as ReadonlyArray<readonly [number]>
}

/** Reads the newest entries of a key: from one range, or from all with the newest range first. */
const reading = (database: DatabaseSync, table: Table) => {
  const one = prepared(database, newest(table))
  const several = prepared(database, selectOfRanges(table))
  return (wallet: Uint8Array, limit: number, ranges: ReadonlyArray<number>): ReadonlyArray<number> => {
    if (ranges.length === 0) return one([wallet, limit]).map(([id]) => id)
    const keyOf = (range: number | undefined) => (range === undefined ? null : Buffer.concat([prefixOf(range), wallet]))
    const found = one([keyOf(ranges[0]), limit]).map(([id]) => id)
    for (let at = 1; at < ranges.length && found.length < limit; at += atOnce) {
      const params = Array.from({ length: atOnce }, (_, index) => [keyOf(ranges[at + index]), limit]).flat()
      for (const [id] of several([...params, limit - found.length])) found.push(id)
    }
    return found
  }
}

/** Number of parts of the keys that a merge moves, each in one transaction. */
const mergeSteps = 16

/** Merges several ranges into one, in key order. */
const merging = (database: DatabaseSync, tables: ReadonlyArray<Table>, mergedRanges: number) => {
  const statements = tables.map((table) => {
    const source = `SELECT substr(${table.key}, ${prefixBytes + 1}) AS rest, ${table.columns} FROM ${table.name}
      WHERE ${table.key} >= ? AND ${table.key} < ?`
    const sources = Array.from({ length: mergedRanges }, () => source).join(" UNION ALL ")
    return {
      move: database.prepare(`INSERT INTO ${table.name} SELECT CAST(? || rest AS BLOB), ${table.columns} FROM (${sources})
        ORDER BY rest, id`),
      remove: database.prepare(`DELETE FROM ${table.name} WHERE ${table.key} >= ? AND ${table.key} < ?`),
    }
  })
  const bound = (range: number, step: number): Uint8Array =>
    step === mergeSteps
      ? prefixOf(range + 1)
      : Buffer.concat([prefixOf(range), Uint8Array.of((step * 256) / mergeSteps)])
  return (sources: ReadonlyArray<number>, target: number): void => {
    for (let step = 0; step < mergeSteps; step++) {
      const bounds = sources.map((range) => [bound(range, step), bound(range, step + 1)] as const)
      database.exec("BEGIN IMMEDIATE")
      for (const { move, remove } of statements) {
        move.run(prefixOf(target), ...bounds.flat())
        for (const each of bounds) remove.run(...each)
      }
      database.exec("COMMIT")
    }
  }
}

/** Ranges, oldest first, each with how many times it was merged. */
interface Ranges {
  readonly list: Array<{ readonly range: number; readonly tier: number }>
  next: number
}

/** Begins a range; merges the previous ones if there are enough of one size. */
const beginRange = (ranges: Ranges, mergedRanges: number | undefined, merge: ReturnType<typeof merging>): void => {
  while (mergedRanges !== undefined) {
    const last = ranges.list.slice(-mergedRanges)
    const tier = last[0]?.tier
    if (tier === undefined || last.length < mergedRanges || last.some((one) => one.tier !== tier)) break
    const target = ranges.next++
    merge(
      last.map(({ range }) => range),
      target,
    )
    ranges.list.splice(-mergedRanges, mergedRanges, { range: target, tier: tier + 1 })
  }
  ranges.list.push({ range: ranges.next++, tier: 0 })
}

const byKey = ([key]: Row, [other]: Row) => Buffer.compare(key as Uint8Array, other as Uint8Array)

/** Makes a file with a page size, which later statements do not change. */
const makeFile = (file: string, pageBytes: number): void => {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA page_size=${pageBytes}; PRAGMA auto_vacuum=INCREMENTAL; ${tables}`)
  database.close()
}

/** Prefixes keys with the number of their range. */
const inRange = (rows: ReadonlyArray<Row>, range: number): ReadonlyArray<Row> =>
  rows.map(([key, ...rest]) => [Buffer.concat([prefixOf(range), key as Uint8Array]), ...rest])

/** Functions that read the newest entries, on a separate connection. */
const readers = (file: string, copies: ReadonlyArray<Table>, newestFirst: () => ReadonlyArray<number>) => {
  const { database } = DatabaseFile.openUnsafe({ file, readOnly: true })
  const histories = copies.map((table) => reading(database, table))
  const ledger = reading(database, ledgerTable)
  return {
    history: (key: Uint8Array, limit: number) => {
      const [found = [], copy = found] = histories.map((read) => read(key, limit, newestFirst()))
      if (copy.length !== found.length) throw new Error("The copies of a history differ.")
      return found
    },
    ledger: (wallet: Uint8Array, limit: number) => ledger(wallet, limit, newestFirst()),
    close: () => database.close(),
  }
}

/** Opens a file in a layout. */
export const open = (file: string, variation: Variation): Layout => {
  const { cacheKib, hasOneCopy = false, isSorted = false, mergedRanges, pageBytes = 16_384, rangeEntries } = variation
  makeFile(file, pageBytes)
  const { database } = DatabaseFile.openUnsafe({ file, readOnly: false })
  database.exec(`PRAGMA wal_autocheckpoint=${Math.round((10_240 * 16_384) / pageBytes)}`)
  if (cacheKib !== undefined) database.exec(`PRAGMA cache_size=-${cacheKib}`)
  const copies = hasOneCopy ? historyTables.slice(0, 1) : historyTables
  const histories = copies.map(({ name }) => database.prepare(`INSERT INTO ${name} (key, id) VALUES (?, ?)`))
  const ledgers = database.prepare(`INSERT INTO ledger (wallet, id, body, checksum) VALUES (?, ?, ?, ?)`)
  const merge = merging(database, [...copies, ledgerTable], mergedRanges ?? 1)
  const ranges: Ranges = { list: [], next: 0 }
  if (rangeEntries !== undefined) beginRange(ranges, mergedRanges, merge)
  let entries = 0
  const rowsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
    const range = ranges.list.at(-1)?.range
    const made = range === undefined ? rows : inRange(rows, range)
    return isSorted ? made.toSorted(byKey) : made
  }
  const { close, history, ledger } = readers(file, copies, () => ranges.list.map(({ range }) => range).toReversed())
  return {
    append: (batch) => {
      database.exec("BEGIN IMMEDIATE")
      const made = rowsOf(batch.histories)
      for (const statement of histories) for (const row of made) statement.run(...row)
      for (const row of rowsOf(batch.ledgers)) ledgers.run(...row)
      database.exec("COMMIT")
      entries += batch.histories.length + batch.ledgers.length
      if (rangeEntries === undefined || entries < rangeEntries) return
      beginRange(ranges, mergedRanges, merge)
      entries = 0
    },
    history,
    ledger,
    ranges: () => Math.max(1, ranges.list.length),
    close: () => {
      close()
      DatabaseFile.checkpoint(database)
      database.close()
    },
  }
}
