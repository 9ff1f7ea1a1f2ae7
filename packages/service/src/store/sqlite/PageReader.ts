/**
 * Reads the rows of a page from a chain's file, as many as fit the number of rows and their bytes. The texts of a row are read only when
 * the bytes before it leave room. Throws what SQLite throws, and a `StoreError` for a damaged row.
 */
import type { PageQuery, PageRow, PageRows, Position } from "../ChainReader.ts"
import { fromHex } from "./Bytes.ts"
import type { Connection } from "./Connection.ts"
import * as Checksum from "./Checksum.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as Documents from "./Documents.ts"
import * as Histories from "./Histories.ts"
import * as Ledgers from "./Ledgers.ts"
import * as OldRows from "./OldRows.ts"
import * as RowId from "./RowId.ts"
import * as Statements from "./Statements.ts"

/** A row whose bytes are known; `read` gives its texts, `null` for a row that does not belong to the page. */
interface Found {
  readonly position: Position
  readonly bytes: number
  readonly read: () => Omit<PageRow, keyof Position> | null
}

/** Position just outside the first row of a page. One outside the bounds counts only if it lies further on. */
const startOf = ({ after, from, order, to }: PageQuery): Position => {
  if (order === "ASC") return after !== null && after.block >= from ? after : { block: from, index: -1 }
  return after !== null && after.block <= to ? after : { block: to + 1, index: -1 }
}

/** Row ids of a page, both ends inclusive. */
const rangeOf = (query: PageQuery): { readonly first: number; readonly last: number } => {
  const { block, index } = startOf(query)
  const [first, end] = RowId.range(query.from, query.to)
  const [start] = RowId.range(block, block)
  return query.order === "ASC"
    ? { first: start + index + 1, last: end - 1 }
    : { first, last: start + Math.max(index, 0) - 1 }
}

/** Rows read beyond the page: they show whether more follow. */
const lookahead = 1

/** Rows of at most this size are read at once; all of them together fit the limit. */
const inlineBytes = ({ limit, maxBytes }: PageQuery): number =>
  maxBytes === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(maxBytes / (limit + lookahead))

/** The rows that fit. */
const fit = (found: Iterable<Found>, { limit, maxBytes = Infinity }: PageQuery): PageRows => {
  const rows: Array<PageRow> = []
  let total = 0
  for (const { bytes, position, read } of found) {
    if (rows.length === limit || (rows.length > 0 && total + bytes > maxBytes)) return { rows, hasMore: true }
    const texts = read()
    if (texts === null) continue
    total += bytes
    rows.push({ ...position, ...texts })
  }
  return { rows, hasMore: false }
}

/** Rows of the present layout. */
const present = function* (connection: Connection, query: PageQuery, first: number, last: number): Generator<Found> {
  const { internal = true, key: address, limit, order } = query
  const range = { address, first, last, order }
  for (const { bytes, id, read } of Histories.rangeUnsafe(connection, range, limit + lookahead, internal)) {
    yield {
      position: RowId.toPosition(id),
      bytes,
      read,
    }
  }
}

/** Rows of the layout of earlier versions. */
const old = function* (connection: Connection, chain: number, query: PageQuery): Generator<Found> {
  yield* OldRows.pageUnsafe(connection, chain, query, startOf(query), inlineBytes(query), query.limit + lookahead)
}

/** Rows of both layouts in the order of the page. `boundary` is the first block of the present one. */
const both = function* (connection: Connection, chain: number, query: PageQuery, boundary: number): Generator<Found> {
  const { first, last } = rangeOf(query)
  const [start] = RowId.range(boundary, boundary)
  const isUp = query.order === "ASC"
  const hasOld = query.from < boundary && first < start
  const older = hasOld ? old(connection, chain, { ...query, to: Math.min(query.to, boundary - 1) }) : []
  if (isUp) yield* older
  if (last >= start) yield* present(connection, query, Math.max(first, start), last)
  if (!isUp) yield* older
}

/** Rows of a wallet. `boundary` is the first block of the present layout. */
export const walletUnsafe = (connection: Connection, chain: number, query: PageQuery, boundary: number): PageRows =>
  fit(both(connection, chain, query, boundary), query)

const columnsUnsafe = (connection: Connection, id: number): Documents.Columns | undefined =>
  connection.valuesUnsafe<Documents.Columns>(DocumentStatements.documents, [id, id + 1])[0]

const missing = (connection: Connection, block: number) =>
  Checksum.damaged(connection.name, block, "a transaction of a ledger is not stored")

/** The hash of a transaction, in either layout, and the bytes of the texts that were read for it. */
export const hashUnsafe = (
  connection: Connection,
  { block, index }: Position,
): { readonly hash: string; readonly bytes: number } => {
  const id = RowId.of(block, index)
  const columns = columnsUnsafe(connection, id)
  if (columns !== undefined) {
    return { hash: Documents.hashUnsafe(connection, columns), bytes: Documents.bytesOf(columns, false) }
  }
  const [older] = OldRows.readUnsafe(connection, id, id + 1)
  if (older === undefined) throw missing(connection, block)
  return { hash: older[1].hash, bytes: older[1].body.length }
}

/** A transaction by its row id, in either layout. */
const transactionUnsafe = (connection: Connection, id: number, roles: number, wantsInternal: boolean): Found => {
  const position = RowId.toPosition(id)
  const columns = columnsUnsafe(connection, id)
  if (columns !== undefined) {
    const read = () => ({ ...Documents.textsUnsafe(connection, columns, wantsInternal), revision: columns[1], roles })
    return { position, bytes: Documents.bytesOf(columns, wantsInternal), read }
  }
  const [older] = OldRows.readUnsafe(connection, id, id + 1)
  if (older === undefined) throw missing(connection, position.block)
  const { body, decoderRevision: revision, internal } = older[1]
  const own = wantsInternal ? internal : null
  return { position, bytes: body.length + (own?.length ?? 0), read: () => ({ body, internal: own, revision, roles }) }
}

/** The transactions in which a wallet appears in any role. */
export const ledgerUnsafe = (connection: Connection, query: PageQuery): PageRows => {
  const { internal = true, key, limit, order } = query
  const { first, last } = rangeOf(query)
  const places = Ledgers.transactionsUnsafe(connection, key, [first, last], order, limit + lookahead)
  const found = function* (): Generator<Found> {
    for (const [id, roles] of places) yield transactionUnsafe(connection, id, roles, internal)
  }
  return fit(found(), query)
}

type FoundEntry = readonly [rowId: number, body: string | null, revision: number, bytes: number]

/** Rows of a key of a projection with bodies of its own. */
export const entriesUnsafe = (connection: Connection, projection: string, query: PageQuery): PageRows => {
  const { first, last } = rangeOf(query)
  const isUp = query.order === "ASC"
  const sql = isUp ? Statements.entriesUp : Statements.entriesDown
  const range = [projection, fromHex(query.key), isUp ? first - 1 : last + 1, isUp ? last + 1 : first - 1]
  const found = connection.valuesUnsafe<FoundEntry>(sql, [inlineBytes(query), ...range, query.limit + lookahead])
  const textOf = (rowId: number) =>
    connection.valuesUnsafe<readonly [body: string]>(Statements.entryText, [projection, rowId])[0]![0]
  return fit(
    found.map(([rowId, body, revision, bytes]) => ({
      position: RowId.toPosition(rowId),
      bytes,
      read: () => ({ body: body ?? textOf(rowId), internal: null, revision }),
    })),
    query,
  )
}
