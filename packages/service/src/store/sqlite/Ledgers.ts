/**
 * The ledgers of wallets in a chain's file: one row per wallet and position, clustered by wallet, and for each block the positions of its
 * rows, by which they are removed. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decisions 0034 and 0048.
 */
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import type { LedgerEntry, LedgerQuery, LedgerRows } from "../ChainReader.ts"
import { StoreError } from "../StoreError.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as KeyOrder from "../rows/KeyOrder.ts"
import * as KeyRanges from "../rows/KeyRanges.ts"
import * as LedgerDifferences from "../rows/LedgerDifferences.ts"
import * as BlobLiteral from "./BlobLiteral.ts"
import type { Connection, Params } from "./Connection.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as Ranges from "./KeyRanges.ts"
import * as KeyRangeStatements from "./KeyRangeStatements.ts"
import * as RowId from "../rows/RowId.ts"
import * as Statements from "./LedgerStatements.ts"
import * as WalletKey from "../rows/WalletKey.ts"

/** The tables of a chain's file. */
export const tables = `CREATE TABLE ledger (
    wallet BLOB NOT NULL,
    id INTEGER NOT NULL,
    body BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (wallet, id)
  ) WITHOUT ROWID;
  CREATE TABLE ledger_block (block INTEGER PRIMARY KEY, places BLOB NOT NULL, checksum INTEGER NOT NULL);`

/** A row. */
export type Columns = readonly [wallet: Uint8Array, id: number, body: Uint8Array, checksum: number]

type Places = readonly [block: number, places: Uint8Array, checksum: number]

/** Columns of a block's rows, ordered by wallet: the checksum of each begins with that of its wallet. */
const columnsOf = (block: number, rows: ReadonlyArray<LedgerCodec.PackedRow>): ReadonlyArray<Columns> => {
  let [known, ofWallet]: [Uint8Array | null, number] = [null, 0]
  return rows.map(({ body, index, wallet }): Columns => {
    if (known === null || Buffer.compare(known, wallet) !== 0)
      [known, ofWallet] = [wallet, Checksum.fromValues([wallet])]
    const id = RowId.make(block, index)
    return [wallet, id, body, Checksum.following(ofWallet, [id, body])]
  })
}

/** The packed ledger of a block. */
export type PackedBlock = readonly [block: number, packed: Uint8Array]

const insertRowsUnsafe = (connection: Connection, sql: string, rows: ReadonlyArray<Columns>): void => {
  const sorted = KeyOrder.byKey(rows, ([wallet]) => wallet)
  const ranges = Ranges.rangesOfUnsafe(connection, KeyRangeStatements.ledger, sorted)
  connection.manyUnsafe(
    sql,
    sorted.map((row, at) => [ranges[at]!, ...row]),
  )
  Ranges.countUnsafe(
    connection,
    rows.map(([, id]) => id),
  )
}

const writeUnsafe = (
  connection: Connection,
  blocks: ReadonlyArray<PackedBlock>,
  [rowSql, placesSql]: readonly [row: string, places: string],
): void => {
  const unpacked = blocks.map(([block, packed]) => [block, LedgerCodec.unpack(packed)] as const)
  insertRowsUnsafe(
    connection,
    rowSql,
    unpacked.flatMap(([block, rows]) => columnsOf(block, rows)),
  )
  const places = unpacked.map(([block, rows]): Places => {
    const ofBlock = LedgerCodec.packPlaces(rows)
    return [block, ofBlock, Checksum.fromValues([block, ofBlock])]
  })
  connection.manyUnsafe(placesSql, places)
}

/** Inserts the rows of blocks that have none. */
export const insertUnsafe = (connection: Connection, blocks: ReadonlyArray<PackedBlock>): void =>
  writeUnsafe(connection, blocks, [Statements.insert, Statements.insertPlaces])

/** Writes the rows of blocks in place of their existing ones, including rows that a damaged file does not name as their own. */
export const replaceUnsafe = (connection: Connection, blocks: ReadonlyArray<PackedBlock>): void => {
  for (const [block] of blocks) removeUnsafe(connection, block, block)
  writeUnsafe(connection, blocks, [Statements.replace, Statements.replacePlaces])
}

const placesUnsafe = (connection: Connection, from: number, to: number): ReadonlyArray<Places> =>
  connection.valuesUnsafe<Places>(Statements.places, [from, to])

/** Keys of a block's rows, each with the two ranges that may contain it. */
const keysOf = (connection: Connection, [block, places, checksum]: Places): ReadonlyArray<Params> => {
  if (Checksum.fromValues([block, places]) !== checksum) throw damaged(connection, block, "the list of its ledgers")
  const ranges = KeyRanges.rangesOf(Ranges.readUnsafe(connection), RowId.make(block, 0))
  return [...LedgerCodec.unpackPlaces(places)].map(({ index, wallet }) => [...ranges, wallet, RowId.make(block, index)])
}

/** The row of a wallet at a position. */
export const findUnsafe = (connection: Connection, wallet: Uint8Array, id: number): Columns | undefined =>
  connection.valuesUnsafe<Columns>(Statements.find, keyOf(connection, wallet, id))[0]

const keyOf = (connection: Connection, wallet: Uint8Array, id: number): Params => [
  ...KeyRanges.rangesOf(Ranges.readUnsafe(connection), id),
  wallet,
  id,
]

const damaged = (connection: Connection, block: number, what: string): StoreError =>
  Checksum.damaged(connection.name, block, `${what} does not match its checksum`)

/** Wallets with rows in a range of blocks, inclusive; `null` if the list of a block is missing or damaged. */
export const activeWalletsUnsafe = (connection: Connection, from: number, to: number): ReadonlySet<string> | null =>
  LedgerDifferences.walletsOf(placesUnsafe(connection, from, to), to - from + 1)

/** Removes the rows of a range of blocks, inclusive. For a block with damaged positions, the whole table is scanned. */
export const removeUnsafe = (connection: Connection, from: number, to: number): void => {
  for (const places of placesUnsafe(connection, from, to)) {
    try {
      connection.manyUnsafe(Statements.remove, keysOf(connection, places))
    } catch (cause) {
      if (!(cause instanceof StoreError && cause.damagedBlock !== undefined)) throw cause
      connection.rowsUnsafe(Statements.removeRange, RowId.range(places[0], places[0]))
    }
  }
  connection.rowsUnsafe(Statements.deletePlaces, [from, to])
}

/** Stored rows of a range of blocks, inclusive. */
export const rowsUnsafe = (connection: Connection, from: number, to: number): ReadonlyArray<Columns> =>
  placesUnsafe(connection, from, to).flatMap((places) =>
    keysOf(connection, places).map((key) => {
      const [row] = connection.valuesUnsafe<Columns>(Statements.find, key)
      if (row === undefined) throw Checksum.damaged(connection.name, places[0], "a row of its ledger is missing")
      return row
    }),
  )

/** Throws if a body does not match the checksum of its row; `ofWallet` is the checksum of its wallet. */
const checkUnsafe = (
  connection: Connection,
  ofWallet: number,
  id: number,
  body: Uint8Array | Checksum.SharedBytes,
  checksum: number,
): void => {
  if (Checksum.following(ofWallet, [id, body]) !== checksum)
    throw damaged(connection, RowId.toPosition(id).block, "the ledger of a wallet")
}

/** Inserts rows in the form of another file. */
export const copyUnsafe = (connection: Connection, rows: ReadonlyArray<Columns>): void => {
  for (const [wallet, id, body, checksum] of rows)
    checkUnsafe(connection, Checksum.fromValues([wallet]), id, body, checksum)
  insertRowsUnsafe(connection, Statements.insert, rows)
}

/** Row ids of a query, both ends inclusive. */
const rangeOf = ({ after, from, order, to }: LedgerQuery): readonly [first: number, last: number] => {
  const [first, end] = RowId.range(from, to)
  if (after === null) return [first, end - 1]
  const id = RowId.make(after.block, after.index)
  return order === "ASC" ? [Math.max(first, id + 1), end - 1] : [first, Math.min(end - 1, id - 1)]
}

/** A row of a known wallet; its body is a literal if it is short, and `null` if it is read separately. */
type OwnColumns<Body> = readonly [id: number, body: Body, checksum: number]

/** A body that is read separately; `null` if it does not fit. */
const apartUnsafe = (connection: Connection, wallet: Uint8Array, id: number, maxBytes: number): Uint8Array | null => {
  const key = keyOf(connection, wallet, id)
  const [size] = connection.valuesUnsafe<readonly [bytes: number | null]>(Statements.size, key)
  if (size?.[0] != null && size[0] > maxBytes) return null
  const [row] = connection.valuesUnsafe<Columns>(Statements.find, key)
  if (row?.[2] instanceof Uint8Array) return row[2]
  throw damaged(connection, RowId.toPosition(id).block, "the ledger of a wallet")
}

/** What is read for a wallet. */
interface Reading extends Pick<Ranges.Reading, "paramsOf"> {
  /** Address in lower case. */
  readonly wallet: string
  /** Row ids, both ends inclusive. */
  readonly ids: readonly [first: number, last: number]
  readonly order: LedgerQuery["order"]
  readonly limit: number
  readonly isForProof?: boolean
}

type OwnRow = readonly [id: number, ...rest: ReadonlyArray<unknown>]

/** Whether the list of its block names a row of a wallet. */
const isNamedUnsafe = (connection: Connection, wallet: string, id: number): boolean => {
  const { block, index } = RowId.toPosition(id)
  const [places] = placesUnsafe(connection, block, block)
  if (places === undefined) return false
  const key = fromHex(wallet)
  const [, list, checksum] = places
  if (Checksum.fromValues([block, list]) !== checksum) throw damaged(connection, block, "the list of its ledgers")
  for (const place of LedgerCodec.unpackPlaces(list)) {
    if (place.index === index && Buffer.compare(place.wallet, key) === 0) return true
  }
  return false
}

/**
 * Throws if the history of a wallet has a transaction whose row is missing. A history also has transactions without a row: those of another
 * wallet with the same key, and those of blocks that are not derived. The list of the block does not name a row for them.
 */
const checkHistoryUnsafe = (
  connection: Connection,
  rows: ReadonlyArray<OwnRow>,
  { ids: [first, last], limit, order, wallet }: Reading,
  partsOf: ReturnType<typeof Ranges.partsUnsafe>,
): void => {
  const end = rows.length < limit ? undefined : rows.at(-1)?.[0]
  const ids = order === "ASC" ? ([first, end ?? last] as const) : ([end ?? first, last] as const)
  const key = WalletKey.fromAddress(wallet)
  const entries = Ranges.rowsUnsafe<readonly [id: number]>(connection, DocumentStatements.pageCopy[order], {
    parts: partsOf(...ids),
    paramsOf: ([range, lowest, highest], left) => [range, key, lowest, highest, left],
    limit: rows.length + 1,
  })
  let at = 0
  const missing = entries.find(([id]) => {
    // Both are in order.
    while (at < rows.length && (order === "ASC" ? rows[at]![0] < id : rows[at]![0] > id)) at++
    return rows[at]?.[0] !== id && isNamedUnsafe(connection, wallet, id)
  })
  if (missing === undefined) return
  const { block } = RowId.toPosition(missing[0])
  throw Checksum.damaged(connection.name, block, "the ledger of a wallet lacks a transaction of its history")
}

/** Rows of a wallet ordered by row id; throws for damaged ranges, and if a row of its history is missing. */
const ofWalletUnsafe = <Row extends OwnRow>(
  connection: Connection,
  statements: Readonly<Record<LedgerQuery["order"], KeyRangeStatements.OfParts>>,
  reading: Reading,
): ReadonlyArray<Row> => {
  const { ids, limit, order, paramsOf } = reading
  const partsOf = Ranges.partsUnsafe(connection, order)
  const rows = Ranges.rowsUnsafe<Row>(connection, statements[order], { parts: partsOf(...ids), paramsOf, limit })
  const after = rows.find(([id], at) => at > 0 && (order === "ASC") !== id > rows[at - 1]![0])
  if (after !== undefined)
    throw Checksum.damaged(connection.name, RowId.toPosition(after[0]).block, "the ledger of a wallet is not in order")
  if (reading.isForProof !== true) checkHistoryUnsafe(connection, rows, reading, partsOf)
  return rows
}

type Held = ReturnType<typeof LedgerCodec.decodeBody>

/** A body of a few bytes, too short for a movement, so that rows of all wallets share it. */
class ShortBody extends Checksum.SharedBytes {
  /** Its contents, once a row with it matched its checksum. */
  held: Held | undefined
}

const shortBodyOf = BlobLiteral.reader((bytes) => new ShortBody(bytes))

const heldBy = (wallet: string, body: Uint8Array | ShortBody): Held =>
  body instanceof ShortBody
    ? (body.held ??= LedgerCodec.decodeBody(wallet, body.bytes))
    : LedgerCodec.decodeBody(wallet, body)

/** Rows of a wallet in the order of a query, as many as fit. */
export const pageUnsafe = (connection: Connection, query: LedgerQuery): LedgerRows => {
  const { isForProof = false, limit, maxBytes = Number.MAX_SAFE_INTEGER, order } = query
  const wallet = fromHex(query.wallet)
  const ofWallet = Checksum.fromValues([wallet])
  const inlineBytes = Math.floor(maxBytes / limit)
  const found = ofWalletUnsafe<OwnColumns<Uint8Array | BlobLiteral.Literal | null>>(connection, Statements.page, {
    wallet: query.wallet,
    ids: rangeOf(query),
    order,
    limit,
    isForProof,
    paramsOf: ([range, lowest, highest], left) => [inlineBytes, range, wallet, lowest, highest, left],
  })
  const rows: Array<LedgerEntry> = []
  let left = maxBytes
  for (const [id, inline, checksum] of found) {
    const room = rows.length === 0 ? Number.MAX_SAFE_INTEGER : left
    const body =
      (typeof inline === "object" ? inline : shortBodyOf(inline)) ?? apartUnsafe(connection, wallet, id, room)
    if (body === null || body.length > room) return { rows, hasMore: true }
    checkUnsafe(connection, ofWallet, id, body, checksum)
    left -= body.length
    const { block, index } = RowId.toPosition(id)
    const { candidates, movements, roles } = heldBy(query.wallet, body)
    rows.push({ block, index, roles, movements, candidates })
  }
  return { rows, hasMore: rows.length === limit }
}

/** Row ids of the transactions in which a wallet has a role, in a range with both ends inclusive, and its roles there. */
export const transactionsUnsafe = (
  connection: Connection,
  wallet: string,
  [first, last]: readonly [first: number, last: number],
  order: LedgerQuery["order"],
  limit: number,
): ReadonlyArray<readonly [id: number, roles: number]> => {
  const key = fromHex(wallet)
  const ofWallet = Checksum.fromValues([key])
  return ofWalletUnsafe<OwnColumns<Uint8Array>>(connection, Statements.transactionPage, {
    wallet,
    ids: [first, last],
    order,
    limit,
    paramsOf: ([range, lowest, highest], left) => [range, key, lowest, highest, left],
  }).map(([id, body, checksum]) => {
    checkUnsafe(connection, ofWallet, id, body, checksum)
    return [id, LedgerCodec.rolesOf(body)]
  })
}
