/**
 * Compares the stored ledgers of wallets with what their blocks justify. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0048.
 */
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import * as Movement from "../../ledger/Movement.ts"
import type { Appearance } from "../Audit.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import type { Connection } from "./Connection.ts"
import type { Columns } from "./Ledgers.ts"
import * as Statements from "./LedgerStatements.ts"
import * as RowId from "./RowId.ts"

/** Issues of one block that are described. */
const maxDescribed = 10

type Places = readonly [block: number, places: Uint8Array, checksum: number]

/** Assets that move by a row, each once; none for a body that cannot be read. */
const assetsOf = (body: Uint8Array): ReadonlyArray<string> => {
  try {
    return [...new Set(LedgerCodec.decodeBody("", body).movements.map(({ asset }) => asset))]
  } catch {
    // The row is reported as damaged, without its assets.
    return []
  }
}

/** The rows that a list names; `null` for one that cannot be read. */
const namedBy = (places: Uint8Array): ReadonlyArray<Omit<LedgerCodec.PackedRow, "body">> | null => {
  try {
    return [...LedgerCodec.unpackPlaces(places)]
  } catch {
    // Bytes of another form, under a checksum that holds.
    return null
  }
}

const describe = (wallet: Uint8Array, index: number, body: Uint8Array | null, what: string): string => {
  const where = index === Movement.blockLevelIndex ? "beside its transactions" : `in transaction ${index}`
  const assets = body === null ? [] : assetsOf(body)
  return `the ledger of ${toHex(wallet)} ${where}${assets.length === 0 ? "" : ` (${assets.join(", ")})`} ${what}`
}

const keyOf = (wallet: Uint8Array, index: number): string => `${toHex(wallet)} ${index}`

const isSealed = ([wallet, id, body, checksum]: Columns): boolean => Checksum.of([wallet, id, body]) === checksum

/** What is wrong with a stored row; `null` where it is the derived one. */
const rowIssue = (row: Columns | undefined, derived: LedgerCodec.PackedRow): string | null => {
  const { body, index, wallet } = derived
  if (row === undefined) return describe(wallet, index, body, "is missing")
  if (!isSealed(row)) return describe(wallet, index, body, "does not match its checksum")
  if (Buffer.compare(row[2], body) === 0) return null
  return describe(wallet, index, body, "is not what the block states")
}

/** Rows of a block that it names and that are not derived of it. */
const extraRows = (connection: Connection, block: number, places: Uint8Array, derived: ReadonlySet<string>) =>
  (namedBy(places) ?? []).flatMap(({ index, wallet }) => {
    if (derived.has(keyOf(wallet, index))) return []
    const [row] = connection.valuesUnsafe<Columns>(Statements.find, [wallet, RowId.of(block, index)])
    return row === undefined ? [] : [describe(wallet, index, row[2], "is not what the block states")]
  })

const placesIssues = (
  connection: Connection,
  block: number,
  rows: ReadonlyArray<LedgerCodec.PackedRow>,
): ReadonlyArray<string> => {
  const [found] = connection.valuesUnsafe<Places>(Statements.places, [block, block])
  if (found === undefined) return ["the list of its ledgers is missing"]
  const [, places, checksum] = found
  if (Checksum.of([block, places]) !== checksum) return ["the list of its ledgers does not match its checksum"]
  if (Buffer.compare(places, LedgerCodec.packPlaces(rows)) === 0) return []
  const derived = new Set(rows.map(({ index, wallet }) => keyOf(wallet, index)))
  return ["the list of its ledgers names other rows", ...extraRows(connection, block, places, derived)]
}

/** Where the stored rows of a block differ from the derived ones. */
export const differencesUnsafe = (connection: Connection, block: number, packed: Uint8Array): ReadonlyArray<string> => {
  const derived = LedgerCodec.unpack(packed)
  const issues = derived.flatMap((row): ReadonlyArray<string> => {
    const [stored] = connection.valuesUnsafe<Columns>(Statements.find, [row.wallet, RowId.of(block, row.index)])
    const issue = rowIssue(stored, row)
    return issue === null ? [] : [issue]
  })
  const all = [...placesIssues(connection, block, derived), ...issues]
  if (all.length <= maxDescribed) return all
  return [...all.slice(0, maxDescribed), `${all.length - maxDescribed} other rows of its ledgers differ`]
}

/** Whether a block does not name a row as its own. Rows of a block whose list is damaged are an issue of the block. */
const isOrphaned = (connection: Connection, wallet: Uint8Array, id: number): boolean => {
  const { block, index } = RowId.toPosition(id)
  const [found] = connection.valuesUnsafe<Places>(Statements.places, [block, block])
  if (found === undefined) return true
  const [, places, checksum] = found
  if (Checksum.of([block, places]) !== checksum) return false
  const named = namedBy(places)
  return named !== null && !named.some((place) => place.index === index && Buffer.compare(place.wallet, wallet) === 0)
}

/** A row of the ledgers, or a block's list of them. */
export interface Entry {
  readonly appearance: Appearance
  readonly isOrphaned: () => boolean
}

/** Rows after one, in the order of their table. */
export const rowsAfterUnsafe = (connection: Connection, key: string, id: number, limit: number): ReadonlyArray<Entry> =>
  connection.valuesUnsafe<Columns>(Statements.after, [fromHex(key), id, limit]).map((row) => ({
    appearance: { table: "ledger", key: toHex(row[0]), ...RowId.toPosition(row[1]), assets: assetsOf(row[2]) },
    isOrphaned: () => isOrphaned(connection, row[0], row[1]),
  }))

/** Lists of the ledgers of blocks after one; orphaned are those of blocks outside of the index. */
export const placesAfterUnsafe = (
  connection: Connection,
  after: number,
  limit: number,
  isIndexed: (block: number) => boolean,
): ReadonlyArray<Entry> =>
  connection.valuesUnsafe<readonly [block: number]>(Statements.placesAfter, [after, limit]).map(([block]) => ({
    appearance: { table: "ledger_block", key: "0x", block, index: 0 },
    isOrphaned: () => !isIndexed(block),
  }))

/** Removes a row that its block does not name. */
export const removeOrphanUnsafe = (connection: Connection, { block, index, key }: Appearance): void => {
  const [wallet, id] = [fromHex(key), RowId.of(block, index)]
  if (isOrphaned(connection, wallet, id)) connection.rowsUnsafe(Statements.remove, [wallet, id])
}
