/**
 * Reads the rows of a page from a chain's file, as many as fit the number of rows and their bytes. The texts of a row are read only when
 * the bytes before it leave room. Throws what SQLite throws, and a `StoreError` for a damaged row.
 */
import type { PageQuery, PageRows, Position } from "../ChainReader.ts"
import * as PageFit from "../rows/PageFit.ts"
import { fromHex } from "../rows/Bytes.ts"
import type { Connection } from "./Connection.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as Histories from "./Histories.ts"
import * as Ledgers from "./Ledgers.ts"
import * as OldRows from "./OldRows.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./Statements.ts"

/** Rows of the present layout. */
const present = function* (
  connection: Connection,
  query: PageQuery,
  first: number,
  last: number,
): Generator<PageFit.Found> {
  const { internal = true, key: address, limit, order } = query
  const range = { address, first, last, order }
  for (const { bytes, id, read } of Histories.rangeUnsafe(connection, range, limit + PageFit.lookahead, internal)) {
    yield {
      position: RowId.toPosition(id),
      bytes,
      read,
    }
  }
}

/** Rows of the layout of earlier versions. */
const old = function* (connection: Connection, chain: number, query: PageQuery): Generator<PageFit.Found> {
  yield* OldRows.pageUnsafe(
    connection,
    chain,
    query,
    PageFit.startOf(query),
    PageFit.inlineBytes(query),
    query.limit + PageFit.lookahead,
  )
}

/** Rows of both layouts in the order of the page. `boundary` is the first block of the present one. */
const both = function* (
  connection: Connection,
  chain: number,
  query: PageQuery,
  boundary: number,
): Generator<PageFit.Found> {
  const { first, last } = PageFit.rangeOf(query)
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
  PageFit.fit(both(connection, chain, query, boundary), query)

const columnsUnsafe = (connection: Connection, id: number): DocumentRow.Columns | undefined =>
  connection.valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documents, [id, id + 1])[0]

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
    return { hash: Documents.hashUnsafe(connection, columns), bytes: DocumentRow.bytesOf(columns, false) }
  }
  const [older] = OldRows.readUnsafe(connection, id, id + 1)
  if (older === undefined) throw missing(connection, block)
  return { hash: older[1].hash, bytes: older[1].body.length }
}

/** A transaction by its row id, in either layout. */
const transactionUnsafe = (
  connection: Connection,
  id: number,
  roles: number,
  wantsInternal: boolean,
): PageFit.Found => {
  const position = RowId.toPosition(id)
  const columns = columnsUnsafe(connection, id)
  if (columns !== undefined) {
    const read = () => ({ ...Documents.textsUnsafe(connection, columns, wantsInternal), revision: columns[1], roles })
    return { position, bytes: DocumentRow.bytesOf(columns, wantsInternal), read }
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
  const { first, last } = PageFit.rangeOf(query)
  const places = Ledgers.transactionsUnsafe(connection, key, [first, last], order, limit + PageFit.lookahead)
  const found = function* (): Generator<PageFit.Found> {
    for (const [id, roles] of places) yield transactionUnsafe(connection, id, roles, internal)
  }
  return PageFit.fit(found(), query)
}

type FoundEntry = readonly [rowId: number, body: string | null, revision: number, bytes: number]

/** Rows of a key of a projection with bodies of its own. */
export const entriesUnsafe = (connection: Connection, projection: string, query: PageQuery): PageRows => {
  const { first, last } = PageFit.rangeOf(query)
  const isUp = query.order === "ASC"
  const sql = isUp ? Statements.entriesUp : Statements.entriesDown
  const range = [projection, fromHex(query.key), isUp ? first - 1 : last + 1, isUp ? last + 1 : first - 1]
  const found = connection.valuesUnsafe<FoundEntry>(sql, [
    PageFit.inlineBytes(query),
    ...range,
    query.limit + PageFit.lookahead,
  ])
  const textOf = (rowId: number) =>
    connection.valuesUnsafe<readonly [body: string]>(Statements.entryText, [projection, rowId])[0]![0]
  return PageFit.fit(
    found.map(([rowId, body, revision, bytes]) => ({
      position: RowId.toPosition(rowId),
      bytes,
      read: () => ({ body: body ?? textOf(rowId), internal: null, revision }),
    })),
    query,
  )
}
