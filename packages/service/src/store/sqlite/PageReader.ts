/**
 * Reads the rows of a page from a chain's file, as many as fit its limits on rows and bytes. The texts of a row are only read if the
 * preceding bytes leave room. Throws what SQLite throws, and a `StoreError` for a damaged row.
 */
import * as Movement from "../../ledger/Movement.ts"
import type { PageQuery, PageRows, Place, Position, SkipQuery, TransactionsQuery } from "../ChainReader.ts"
import * as Blocks from "./Blocks.ts"
import * as BlockTimes from "./BlockTimes.ts"
import * as PageFit from "../rows/PageFit.ts"
import { fromHex } from "../rows/Bytes.ts"
import type { Connection } from "./Connection.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as Histories from "./Histories.ts"
import * as Ranges from "./KeyRanges.ts"
import * as Ledgers from "./Ledgers.ts"
import * as LedgerStatements from "./LedgerStatements.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./Statements.ts"
import * as WalletKey from "../rows/WalletKey.ts"

/** A row whose texts are read at once. */
type Candidate = PageFit.Candidate<() => PageFit.Texts | null>

/** Rows of a wallet. */
export const walletUnsafe = (connection: Connection, query: PageQuery): PageRows => {
  const { internal = true, key: address, limit, order } = query
  const range = { address, ...PageFit.rangeOf(query), order }
  return PageFit.fit(Histories.rangeUnsafe(connection, range, limit + PageFit.lookahead, internal), query)
}

/** Number of positions whose blocks and transactions are read by one statement each: the usual size of a page, with few bytes. */
const placesAtOnce = 100

/** Blocks and transactions of ledger positions: as many as the bytes read for them allow, and at least one. */
export const placesUnsafe = (
  state: BlockTimes.State,
  positions: ReadonlyArray<Position>,
  maxBytes: number,
): ReadonlyArray<Place> => {
  const { connection } = state
  const idOf = ({ block, index }: Position) => RowId.make(block, index)
  const isOfTransaction = ({ index }: Position) => index !== Movement.blockLevelIndex
  const places: Array<Place> = []
  let stored: ReadonlyMap<number, DocumentRow.Columns> = new Map()
  let bytes = 0
  for (const [at, position] of positions.entries()) {
    if (places.length > 0 && bytes > maxBytes) break
    if (at % placesAtOnce === 0) {
      const next = positions.slice(at, at + placesAtOnce)
      BlockTimes.knowUnsafe(
        state,
        next.map(({ block }) => block),
      )
      stored = Documents.byIdUnsafe(connection, next.filter(isOfTransaction).map(idOf))
    }
    const last = places.at(-1)
    const block = last?.block.number === position.block ? last.block : BlockTimes.blockUnsafe(state, position.block)
    if (block === null) throw Checksum.damaged(connection.name, position.block, "the block of a ledger is not stored")
    const columns = isOfTransaction(position) ? storedUnsafe(connection, stored, idOf(position)) : null
    bytes += columns === null ? 0 : DocumentRow.bytesOf(columns, false)
    places.push({ block, transactionHash: columns === null ? null : Documents.hashUnsafe(connection, columns) })
  }
  return places
}

const storedUnsafe = (
  connection: Connection,
  stored: ReadonlyMap<number, DocumentRow.Columns>,
  id: number,
): DocumentRow.Columns => {
  const columns = stored.get(id)
  if (columns !== undefined) return columns
  throw Checksum.damaged(connection.name, RowId.toPosition(id).block, "a transaction of a ledger is not stored")
}

/** A transaction by its row id. */
const transactionUnsafe = (
  connection: Connection,
  stored: ReadonlyMap<number, DocumentRow.Columns>,
  [id, roles]: readonly [id: number, roles: number],
  wantsInternal: boolean,
): Candidate => {
  const columns = storedUnsafe(connection, stored, id)
  const read = () => ({ ...Documents.textsUnsafe(connection, columns, wantsInternal), revision: columns[1], roles })
  return { id, bytes: DocumentRow.bytesOf(columns, wantsInternal), read }
}

/** The transactions in which a wallet appears in any role. */
export const ledgerUnsafe = (connection: Connection, query: PageQuery): PageRows => {
  const { internal = true, key, limit, order } = query
  const { first, last } = PageFit.rangeOf(query)
  const places = Ledgers.transactionsUnsafe(connection, key, [first, last], order, limit + PageFit.lookahead)
  const stored = Documents.byIdUnsafe(
    connection,
    places.map(([id]) => id),
  )
  const candidates = function* (): Generator<Candidate> {
    for (const place of places) yield transactionUnsafe(connection, stored, place, internal)
  }
  return PageFit.fit(candidates(), query)
}

/** The transactions of a range of blocks. */
export const transactionsUnsafe = (connection: Connection, chain: number, query: TransactionsQuery): PageRows => {
  const { internal = true, limit, order } = query
  const { first, last } = PageFit.rangeOf(query)
  const params = [first, last, limit + PageFit.lookahead]
  const stored = connection.valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documentsIn[order], params)
  const [from, to] = PageFit.blocksOf(
    query,
    stored.map(([id]) => id),
  )
  const ids = connection.valuesUnsafe<readonly [id: number]>(DocumentStatements.documentIds, RowId.range(from, to))
  const lacking = PageFit.lackingBlock(Blocks.rangeUnsafe(connection, chain, from, to), ids.flat())
  if (lacking !== undefined) throw Checksum.damaged(connection.name, lacking, "not all of its transactions are stored")
  return PageFit.fit(
    stored.map((columns) => ({
      id: columns[0],
      bytes: DocumentRow.bytesOf(columns, internal),
      read: () => ({ ...Documents.textsUnsafe(connection, columns, internal), revision: columns[1] }),
    })),
    query,
  )
}

/** Position of the last of a number of rows; `null` if there are fewer. */
export const skipUnsafe = (
  connection: Connection,
  kind: "appearances" | "ledger",
  query: SkipQuery,
): Position | null => {
  const { key, order, rows } = query
  const { first, last } = PageFit.rangeOf({ ...query, limit: 0 })
  const [sql, owner] =
    kind === "ledger"
      ? [LedgerStatements.skip[order], fromHex(key)]
      : [DocumentStatements.skip[order], WalletKey.fromAddress(key)]
  const found = Ranges.behindUnsafe<readonly [id: number]>(connection, sql, {
    parts: Ranges.partsUnsafe(connection, order)(first, last),
    paramsOf: ([range, lowest, highest], limit) => [range, owner, lowest, highest, limit],
    limit: rows,
  })
  return found === undefined ? null : RowId.toPosition(found[0])
}

type EntryColumns = readonly [id: number, body: string | null, revision: number, bytes: number]

/** Rows of a key in a projection with its own bodies. */
export const entriesUnsafe = (connection: Connection, projection: string, query: PageQuery): PageRows => {
  const { first, last } = PageFit.rangeOf(query)
  const isUp = query.order === "ASC"
  const sql = isUp ? Statements.entriesUp : Statements.entriesDown
  const range = [projection, fromHex(query.key), isUp ? first - 1 : last + 1, isUp ? last + 1 : first - 1]
  const rows = connection.valuesUnsafe<EntryColumns>(sql, [
    PageFit.inlineBytes(query),
    ...range,
    query.limit + PageFit.lookahead,
  ])
  const textOf = (id: number) =>
    connection.valuesUnsafe<readonly [body: string]>(Statements.entryText, [projection, id])[0]![0]
  return PageFit.fit(
    rows.map(([id, body, revision, bytes]) => ({
      id,
      bytes,
      read: () => ({ body: body ?? textOf(id), internal: null, revision }),
    })),
    query,
  )
}
