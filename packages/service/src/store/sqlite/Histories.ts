/**
 * Histories of wallets: the transactions of each. Every entry has a copy in a second table, and a page is only served if both agree, so
 * that an entry lost or added by damage is detected, whichever wallet it belongs to. Functions named `Unsafe` throw what SQLite throws, and
 * a `StoreError` for a damaged row.
 *
 * Source: decision 0034.
 */
import * as Checksum from "../rows/Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as KeyOrder from "../rows/KeyOrder.ts"
import * as KeyRanges from "../rows/KeyRanges.ts"
import type * as PageFit from "../rows/PageFit.ts"
import * as RowId from "../rows/RowId.ts"
import * as Ranges from "./KeyRanges.ts"
import * as KeyRangeStatements from "./KeyRangeStatements.ts"
import * as Statements from "./DocumentStatements.ts"
import * as WalletKey from "../rows/WalletKey.ts"

/** An entry by its key and row id. */
export type Entry = readonly [key: Uint8Array, id: number]

/** Entries of a transaction. */
export const entriesOf = (id: number, addresses: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const keys = addresses.map(WalletKey.fromAddress)
  // An address that is named twice is a defect, which the tables reject; two addresses may have the same key.
  const isNew = (key: Uint8Array, at: number) =>
    !keys.slice(0, at).some((other, index) => Buffer.compare(other, key) === 0 && addresses[index] !== addresses[at])
  return keys.filter(isNew).map((key) => [key, id])
}

const both = (sqlOf: (table: Statements.HistoryTable) => string) => Statements.historyTables.map(sqlOf)
const deletes = both(Statements.deleteHistory)
const deletesAt = both(Statements.deleteHistoryAt)
const deletesOf = both(Statements.deleteHistoryOf)
const finds = both(Statements.findHistory)
const afters = both(Statements.historyAfter)
const byKeys = Statements.historyTables.map(Statements.historyByKey)

/** Inserts entries in both copies. */
export const insertUnsafe = (connection: Connection, entries: ReadonlyArray<Entry>): void => {
  const sorted = KeyOrder.byKey(entries, ([key]) => key)
  for (const table of [KeyRangeStatements.history, KeyRangeStatements.historyCopy]) {
    const ranges = Ranges.rangesOfUnsafe(connection, table, sorted)
    connection.manyUnsafe(
      Statements.insertHistory(table.name),
      sorted.map(([key, id], at) => [ranges[at]!, key, id]),
    )
  }
  Ranges.countUnsafe(
    connection,
    entries.map(([, id]) => id),
  )
}

/** Removes entries from both copies; skips absent ones. */
export const removeUnsafe = (connection: Connection, entries: ReadonlyArray<Entry>): void => {
  if (entries.length === 0) return
  const ranges = Ranges.readUnsafe(connection)
  const inRanges = entries.map(([key, id]) => [...KeyRanges.rangesOf(ranges, id), key, id])
  for (const sql of deletes) connection.manyUnsafe(sql, inRanges)
}

/** Removes all entries of a range of row ids by scanning both copies: for rows whose addresses are unreadable. */
export const removeRangeUnsafe = (connection: Connection, first: number, end: number): void => {
  for (const sql of deletesOf) connection.rowsUnsafe(sql, [first, end])
}

const isInUnsafe = (connection: Connection, sql: string, [key, id]: Entry): boolean =>
  connection.valuesUnsafe(sql, [...KeyRanges.rangesOf(Ranges.readUnsafe(connection), id), key, id]).length > 0

/** Whether both copies have an entry. */
export const hasUnsafe = (connection: Connection, entry: Entry): boolean =>
  finds.every((sql) => isInUnsafe(connection, sql, entry))

/** Whether the first copy has an entry. */
export const isInFirstUnsafe = (connection: Connection, entry: Entry): boolean =>
  isInUnsafe(connection, finds[0]!, entry)

/** Entries after one in key order, from one of the two copies. */
export const afterUnsafe = (
  connection: Connection,
  copy: 0 | 1,
  [key, id]: Entry,
  limit: number,
): ReadonlyArray<Entry> => {
  const ranges = KeyRanges.numbersOf(Ranges.readUnsafe(connection))
  const params = ranges.flatMap((range) => [range, key, id])
  return connection.valuesUnsafe<Entry>(byKeys[copy]!(ranges.length), [...params, limit])
}

/** Reads one page of the largest range in one of the two copies, where a key would be. */
export const lookUpUnsafe = (connection: Connection, copy: 0 | 1, key: Uint8Array): void => {
  const { range } = KeyRanges.largest(Ranges.readUnsafe(connection))
  connection.valuesUnsafe(byKeys[copy]!(1), [range, key, 0, 1])
}

/** An entry, and the number of the range that contains it. */
export type RangedEntry = readonly [key: Uint8Array, id: number, range: number]

/** Entries after one in table order, from one of the two copies: from all ranges, even those to which no block belongs. */
export const entriesAfterUnsafe = (
  connection: Connection,
  copy: 0 | 1,
  [key, id, range]: RangedEntry,
  limit: number,
): ReadonlyArray<RangedEntry> => connection.valuesUnsafe<RangedEntry>(afters[copy]!, [range, key, id, limit])

/** Removes an entry of one range from both copies. */
export const removeEntryUnsafe = (connection: Connection, [key, id, range]: RangedEntry): void => {
  for (const sql of deletesAt) connection.rowsUnsafe(sql, [range, key, id])
}

/** A range of a wallet's entries, both ends inclusive. */
export interface Range {
  readonly address: string
  readonly first: number
  readonly last: number
  readonly order: "ASC" | "DESC"
}

/** Columns of an entry's transaction under the row id of the entry; all null except the id if it is not stored. */
type Joined = DocumentRow.Columns | readonly [id: number, revision: null]

const isStored = (joined: Joined): joined is DocumentRow.Columns => joined[1] !== null

const blockOf = (id: number): number => RowId.toPosition(id).block

/** Throws unless both copies have the same entries. The first difference is an entry that one copy lacks, and that is next in the other. */
const compareUnsafe = (
  connection: Connection,
  order: Range["order"],
  rows: ReadonlyArray<Joined>,
  copies: ReadonlyArray<readonly [id: number]>,
) => {
  const firstOf = order === "ASC" ? Math.min : Math.max
  for (let index = 0; index < Math.max(rows.length, copies.length); index++) {
    const [id] = rows[index] ?? []
    const [copy] = copies[index] ?? []
    if (id === copy) continue
    // Sound: one of them is present.
    const block = blockOf(firstOf(id ?? copy!, copy ?? id!))
    throw Checksum.damaged(connection.name, block, "the history of a wallet differs from its copy")
  }
  const after = rows.find(([id], at) => at > 0 && (order === "ASC") !== id > rows[at - 1]![0])
  if (after !== undefined) {
    throw Checksum.damaged(connection.name, blockOf(after[0]), "the history of a wallet is not in order")
  }
}

/** An entry whose texts are read at once; `null` for an entry of another wallet with the same key. */
type Candidate = PageFit.Candidate<() => PageFit.Texts | null>

const candidateUnsafe = (
  connection: Connection,
  address: string,
  joined: Joined,
  wantsInternal: boolean,
): Candidate => {
  const [id] = joined
  if (!isStored(joined)) {
    throw Checksum.damaged(connection.name, blockOf(id), "a transaction of a history is not stored")
  }
  const read = () => {
    const texts = Documents.textsUnsafe(connection, joined, wantsInternal)
    if (DocumentRow.isOf(joined, texts.body, address)) return { ...texts, revision: joined[1] }
    const key = WalletKey.fromAddress(address)
    const addresses = DocumentRow.addressesOf(joined, texts.body)
    if (addresses.some((other) => Buffer.compare(WalletKey.fromAddress(other), key) === 0)) return null
    throw Checksum.damaged(connection.name, blockOf(id), "a history has a transaction of another wallet")
  }
  return { id, bytes: DocumentRow.bytesOf(joined, wantsInternal), read }
}

/** Entries of a wallet in the order of the range, `limit` at a time. */
export const rangeUnsafe = function* (
  connection: Connection,
  { address, first, last, order }: Range,
  limit: number,
  wantsInternal: boolean,
): Generator<Candidate, void> {
  const key = WalletKey.fromAddress(address)
  let [from, to] = [first, last]
  for (;;) {
    const parts = Ranges.partsUnsafe(connection, order)(from, to)
    const read = <Row extends ReadonlyArray<unknown>>(sqlOf: KeyRangeStatements.OfParts) => {
      const paramsOf = ([range, lowest, highest]: KeyRanges.Part, left: number) => [range, key, lowest, highest, left]
      return Ranges.rowsUnsafe<Row>(connection, sqlOf, { parts, paramsOf, limit })
    }
    const rows = read<Joined>(Statements.pageRows[order])
    compareUnsafe(connection, order, rows, read(Statements.pageCopy[order]))
    for (const joined of rows) yield candidateUnsafe(connection, address, joined, wantsInternal)
    const end = rows.at(-1)?.[0]
    if (end === undefined || rows.length < limit) return
    if (order === "ASC") from = end + 1
    else to = end - 1
  }
}
