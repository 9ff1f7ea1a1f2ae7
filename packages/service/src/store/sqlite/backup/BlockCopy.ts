/**
 * Copies blocks from one file of a chain to another: reads a range within limits, and writes it after comparing its checksums. Rows are
 * copied as stored. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decision 0045.
 */
import { StoreError } from "../../StoreError.ts"
import * as Blocks from "../Blocks.ts"
import type { ChainFile } from "../ChainFile.ts"
import * as Checksum from "../../rows/Checksum.ts"
import type { Connection, Params } from "../Connection.ts"
import * as Facts from "../Facts.ts"
import * as FactsRow from "../../rows/FactsRow.ts"
import * as Histories from "../Histories.ts"
import * as Ledgers from "../Ledgers.ts"
import * as RowId from "../../rows/RowId.ts"
import * as Rows from "../Rows.ts"
import * as Statements from "../Statements.ts"

/** A table whose rows belong to blocks. */
interface Table {
  readonly name: string
  /** Column that orders the rows by block; contains block numbers or row ids. */
  readonly key: "number" | "block" | "id"
  /** Condition that lets SQLite search by `key`. */
  readonly scope: string
  /** Columns with texts or bytes. */
  readonly texts: ReadonlyArray<string>
  /** True if the last column is the checksum of the others. */
  readonly hasChecksum: boolean
}

const byRow = { key: "id", scope: "true", hasChecksum: true } as const

/** The tables whose rows are copied with their blocks, besides the histories. */
export const tables: ReadonlyArray<Table> = [
  { name: "block", key: "number", scope: "chain IN (SELECT chain FROM checkpoint)", texts: [], hasChecksum: false },
  { ...byRow, name: "document", texts: ["hash", "addresses", "frame"] },
  { ...byRow, name: "large_document", texts: ["frame"] },
  { ...byRow, name: "large_internal", texts: ["frame"] },
  { name: "facts", key: "block", scope: "true", texts: ["frame"], hasChecksum: false },
  { name: "ledger_block", key: "block", scope: "true", texts: ["places"], hasChecksum: true },
  { name: "gap", key: "block", scope: "true", texts: ["reason"], hasChecksum: false },
  {
    name: "entry",
    key: "id",
    scope: "projection IN (SELECT number FROM projection)",
    texts: ["key", "body"],
    hasChecksum: false,
  },
]

const conditionOf = ({ key, scope }: Table): string => `${scope} AND ${key} >= ? AND ${key} < ?`

const rangeOf = ({ key }: Table, from: number, to: number): readonly [number, number] =>
  key === "id" ? RowId.range(from, to) : [from, to + 1]

type Row = ReadonlyArray<Checksum.Value>

/** Blocks in the form of one file. */
export interface Copied {
  readonly from: number
  readonly to: number
  readonly blocks: number
  readonly bytes: number
  /** Rows of each of `tables`. */
  readonly rows: ReadonlyArray<ReadonlyArray<Row>>
  /** Rows of the wallets' ledgers. */
  readonly ledger: ReadonlyArray<Ledgers.Columns>
}

/** Selects history entries. */
export type IsCopied = (entry: Histories.Entry) => boolean

/** Limits of one read: at least one block is read. */
export interface Budget {
  readonly blocks: number
  readonly transactions: number
  readonly bytes: number
}

/** Size of one block in bytes above which a file is rejected. */
const maxBlockBytes = 512 * 2 ** 20

/** Last block of a range in statement order, up to a number of blocks and of transactions. */
const lastByCount = (
  connection: Connection,
  sql: string,
  params: readonly [chain: number, start: number],
  [from, to]: readonly [number, number],
  budget: Budget,
): number => {
  let last = from
  let transactions = 0
  for (const [number, count] of connection.valuesUnsafe<readonly [number: number, count: number]>(sql, [
    ...params,
    budget.blocks,
  ])) {
    const isBeyond = from <= to ? number > to : number < to
    if (isBeyond || (number !== from && transactions + count > budget.transactions)) break
    last = number
    transactions += count
  }
  return last
}

const bytesSql = (table: Table): string => {
  const block = table.key === "id" ? `id / ${RowId.perBlock}` : table.key
  const bytes = ["16", ...table.texts.map((text) => `ifnull(octet_length("${text}"), 0)`)].join(" + ")
  return `SELECT ${block}, sum(${bytes}) FROM "${table.name}" WHERE ${conditionOf(table)} GROUP BY 1`
}

/** Size of each block in a range, in bytes. */
const sizesOf = (connection: Connection, from: number, to: number): ReadonlyMap<number, number> => {
  const sizes = new Map<number, number>()
  for (const table of tables) {
    const rows = connection.valuesUnsafe<readonly [block: number, bytes: number]>(
      bytesSql(table),
      rangeOf(table, from, to),
    )
    for (const [block, bytes] of rows) sizes.set(block, (sizes.get(block) ?? 0) + bytes)
  }
  return sizes
}

/** Last of the given blocks, in order, up to a number of bytes, and the sum of their bytes. */
const lastByBytes = (connection: Connection, numbers: ReadonlyArray<number>, budget: Budget) => {
  const sizes = sizesOf(connection, Math.min(...numbers), Math.max(...numbers))
  let [last, sum] = [numbers[0]!, 0]
  for (const number of numbers) {
    const size = sizes.get(number) ?? 0
    if (size > maxBlockBytes) throw Checksum.damaged(connection.name, number, `it has ${size} bytes`)
    if (number !== numbers[0] && sum + size > budget.bytes) break
    last = number
    sum += size
  }
  return { last, bytes: sum }
}

const readRows = (connection: Connection, table: Table, from: number, to: number): ReadonlyArray<Row> =>
  connection.valuesUnsafe<Row>(
    `SELECT * FROM "${table.name}" WHERE ${conditionOf(table)} ORDER BY ${table.key}`,
    rangeOf(table, from, to),
  )

const readRange = (connection: Connection, from: number, to: number, bytes: number): Copied => {
  const rows = tables.map((table) => readRows(connection, table, from, to))
  const ledger = Ledgers.rowsUnsafe(connection, from, to)
  return { from, to, blocks: to - from + 1, bytes, rows, ledger }
}

/** Block numbers in ascending order. */
const numbersOf = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Reads the first blocks of a range, inclusive, within a budget. */
export const readUnsafe = (connection: Connection, chain: number, from: number, to: number, budget: Budget): Copied => {
  const highest = lastByCount(connection, Statements.blockCounts, [chain, from], [from, to], budget)
  const { bytes, last } = lastByBytes(connection, numbersOf(from, highest), budget)
  return readRange(connection, from, last, bytes)
}

/** Reads the last blocks of a range, inclusive, within a budget. */
export const readBelowUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
  budget: Budget,
): Copied => {
  const lowest = lastByCount(connection, Statements.blockCountsDown, [chain, to + 1], [to, from], budget)
  const { bytes, last } = lastByBytes(connection, numbersOf(lowest, to).toReversed(), budget)
  return readRange(connection, last, to, bytes)
}

/** Removes the blocks of a range, inclusive, with everything that belongs to them. */
export const removeUnsafe = ({ connection }: ChainFile, from: number, to: number): void => {
  Rows.removeHistoriesUnsafe(connection, from, to)
  Ledgers.removeUnsafe(connection, from, to)
  for (const table of tables) {
    connection.rowsUnsafe(`DELETE FROM "${table.name}" WHERE ${conditionOf(table)}`, rangeOf(table, from, to))
  }
}

const checkRow = (connection: Connection, { key, name }: Table, row: Row): void => {
  if (Checksum.fromValues(row.slice(0, -1)) === row.at(-1)) return
  const id = Number(row[0])
  const block = key === "id" ? RowId.toPosition(id).block : id
  throw Checksum.damaged(connection.name, block, `a row of the table ${name} does not match its checksum`)
}

const checkBlocks = (connection: Connection, chain: number, { from, to }: Copied): void => {
  const found = Blocks.rangeUnsafe(connection, chain, from, to)
  for (const facts of Facts.rangeUnsafe(connection, found).values()) FactsRow.textUnsafe(facts)
  const [above] = Blocks.rangeUnsafe(connection, chain, to + 1, to + 1)
  if (above !== undefined && above.parentHash !== found.at(-1)?.hash) {
    throw Checksum.damaged(connection.name, above.number, "it does not extend the block before it")
  }
  let parent = Blocks.rangeUnsafe(connection, chain, from - 1, from - 1)[0]?.hash
  for (let number = from; number <= to; number++) {
    const block = found[number - from]
    if (block?.number !== number) throw Checksum.damaged(connection.name, number, "it is not stored")
    if (block.isDamaged) throw Checksum.damaged(connection.name, number, "it does not match its checksum")
    if (parent !== undefined && block.parentHash !== parent) {
      throw Checksum.damaged(connection.name, number, "it does not extend the block before it")
    }
    parent = block.hash
  }
}

const insertHistories = (connection: Connection, from: number, to: number, isCopied: IsCopied): void => {
  const entries = Rows.listUnsafe(connection, from, to).flatMap(([id, row]) => {
    if (row instanceof StoreError) throw row
    return Histories.entriesOf(id, row.addresses).filter(isCopied)
  })
  Histories.insertUnsafe(connection, entries)
}

/** Writes blocks to a file that has none of their numbers, and the history entries that `isCopied` selects; `null` selects none. */
export const insertUnsafe = (file: ChainFile, copied: Copied, isCopied: IsCopied | null): void => {
  const { connection, ref } = file
  const { from, to } = copied
  for (const [at, table] of tables.entries()) {
    const rows = copied.rows[at]!
    const [first] = rows
    if (first === undefined) continue
    if (table.hasChecksum) for (const row of rows) checkRow(connection, table, row)
    connection.manyUnsafe(
      `INSERT INTO "${table.name}" VALUES (${first.map(() => "?").join(", ")})`,
      // Sound: SQLite returned the values.
      rows as ReadonlyArray<Params>,
    )
  }
  Ledgers.copyUnsafe(connection, copied.ledger)
  checkBlocks(connection, ref.id, copied)
  if (isCopied !== null) insertHistories(connection, from, to, isCopied)
}
