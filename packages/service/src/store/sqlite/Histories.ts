/**
 * The histories of wallets: which transactions belong to each. Every entry has a copy in a second table, and a page is served only
 * where both agree: an entry that a damaged file lost or gained is noticed, whichever wallet it belonged to. Functions named `Unsafe`
 * throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decision 0034.
 */
import * as Checksum from "../rows/Checksum.ts"
import type { Connection, Params } from "./Connection.ts"
import * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as KeyOrder from "../rows/KeyOrder.ts"
import type * as PageFit from "../rows/PageFit.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./DocumentStatements.ts"
import * as WalletKey from "../rows/WalletKey.ts"

/** An entry by its key and row id. */
export type Entry = readonly [key: Uint8Array, id: number]

/** The entries of a transaction. */
export const entriesOf = (id: number, addresses: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const keys = addresses.map(WalletKey.fromAddress)
  // An address that is named twice is a defect, which the tables refuse; two addresses may have one key.
  const isNew = (key: Uint8Array, at: number) =>
    !keys.slice(0, at).some((other, index) => Buffer.compare(other, key) === 0 && addresses[index] !== addresses[at])
  return keys.filter(isNew).map((key) => [key, id])
}

const both = (sqlOf: (table: Statements.HistoryTable) => string) => Statements.historyTables.map(sqlOf)
const inserts = both(Statements.insertHistory)
const deletes = both(Statements.deleteHistory)
const deletesOf = both(Statements.deleteHistoryOf)
const finds = both(Statements.findHistory)
const afters = both(Statements.historyAfter)

const eachUnsafe = (
  connection: Connection,
  statements: ReadonlyArray<string>,
  entries: ReadonlyArray<Params>,
): void => {
  for (const sql of statements) connection.manyUnsafe(sql, entries)
}

/** Inserts entries in both copies. */
export const insertUnsafe = (connection: Connection, entries: ReadonlyArray<Entry>): void =>
  eachUnsafe(
    connection,
    inserts,
    KeyOrder.byKey(entries, ([key]) => key),
  )

/** Removes entries from both copies; those that are absent are passed over. */
export const removeUnsafe = (connection: Connection, entries: ReadonlyArray<Entry>): void =>
  eachUnsafe(connection, deletes, entries)

/** Removes all entries of a range of row ids by searching both copies whole: for rows whose addresses are unreadable. */
export const removeRangeUnsafe = (connection: Connection, first: number, end: number): void =>
  eachUnsafe(connection, deletesOf, [[first, end]])

/** Whether both copies have an entry. */
export const hasUnsafe = (connection: Connection, [key, id]: Entry): boolean =>
  finds.every((sql) => connection.valuesUnsafe(sql, [key, id]).length > 0)

/** Whether the first copy has an entry. */
export const isInFirstUnsafe = (connection: Connection, [key, id]: Entry): boolean =>
  connection.valuesUnsafe(finds[0]!, [key, id]).length > 0

/** Entries after one, of one of the two copies. */
export const afterUnsafe = (
  connection: Connection,
  copy: 0 | 1,
  [key, id]: Entry,
  limit: number,
): ReadonlyArray<Entry> => connection.valuesUnsafe<Entry>(afters[copy]!, [key, id, limit])

/** A range of the entries of a wallet, both ends inclusive. */
export interface Range {
  readonly address: string
  readonly first: number
  readonly last: number
  readonly order: "ASC" | "DESC"
}

/** The columns of an entry's transaction under the row id of the entry; all null but the id where it is not stored. */
type Joined = DocumentRow.Columns | readonly [id: number, revision: null]

const isStored = (joined: Joined): joined is DocumentRow.Columns => joined[1] !== null

const blockOf = (id: number): number => RowId.toPosition(id).block

/** Throws unless both copies have the same entries. The first difference is an entry that one copy lacks, and the other has next. */
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
}

/** An entry whose texts are read at once; `null` for one of another wallet with the same key. */
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
    const params = [key, from, to, limit]
    const rows = connection.valuesUnsafe<Joined>(Statements.pageRows[order], params)
    compareUnsafe(connection, order, rows, connection.valuesUnsafe(Statements.pageCopy[order], params))
    for (const joined of rows) yield candidateUnsafe(connection, address, joined, wantsInternal)
    const end = rows.at(-1)?.[0]
    if (end === undefined || rows.length < limit) return
    if (order === "ASC") from = end + 1
    else to = end - 1
  }
}
