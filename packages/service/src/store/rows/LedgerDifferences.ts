/**
 * Compares the stored ledgers of wallets with what their blocks justify; an engine provides the stored rows. Pure.
 *
 * Source: decision 0048.
 */
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import * as Movement from "../../ledger/Movement.ts"
import { toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import * as RowId from "./RowId.ts"

/** A row of a ledger. */
export type Columns = readonly [wallet: Uint8Array, id: number, body: Uint8Array, checksum: number]

/** A block's list of its ledger rows. */
export type Places = readonly [block: number, places: Uint8Array, checksum: number]

/** What is stored for the ledgers of a block. */
export interface Stored {
  readonly places: Places | undefined
  readonly rowOf: (wallet: Uint8Array, id: number) => Columns | undefined
}

/** Maximum number of described issues per block. */
const maxDescribed = 10

/** Assets that a row moves, without duplicates; empty if the body cannot be read. */
export const assetsOf = (body: Uint8Array): ReadonlyArray<string> => {
  try {
    return [...new Set(LedgerCodec.decodeBody("", body).movements.map(({ asset }) => asset))]
  } catch {
    // The row is reported as damaged, without its assets.
    return []
  }
}

/** Rows named in a list; `null` if the list cannot be read. */
export const namedBy = (places: Uint8Array): ReadonlyArray<Omit<LedgerCodec.PackedRow, "body">> | null => {
  try {
    return [...LedgerCodec.unpackPlaces(places)]
  } catch {
    // Bytes of another form with a valid checksum.
    return null
  }
}

/** Wallets in the lists of a number of blocks; `null` if a list is missing or damaged. */
export const walletsOf = (lists: ReadonlyArray<Places>, blocks: number): ReadonlySet<string> | null => {
  if (lists.length !== blocks) return null
  const wallets = new Set<string>()
  for (const [block, places, checksum] of lists) {
    if (Checksum.fromValues([block, places]) !== checksum) return null
    for (const wallet of LedgerCodec.walletsOfPlaces(places)) wallets.add(wallet)
  }
  return wallets
}

const describe = (wallet: Uint8Array, index: number, body: Uint8Array | null, what: string): string => {
  const where = index === Movement.blockLevelIndex ? "outside its transactions" : `in transaction ${index}`
  const assets = body === null ? [] : assetsOf(body)
  return `the ledger of ${toHex(wallet)} ${where}${assets.length === 0 ? "" : ` (${assets.join(", ")})`} ${what}`
}

const keyOf = (wallet: Uint8Array, index: number): string => `${toHex(wallet)} ${index}`

const isSealed = ([wallet, id, body, checksum]: Columns): boolean =>
  Checksum.fromValues([wallet, id, body]) === checksum

/** Issue of a stored row; `null` if it equals the derived one. */
const rowIssue = (row: Columns | undefined, derived: LedgerCodec.PackedRow): string | null => {
  const { body, index, wallet } = derived
  if (row === undefined) return describe(wallet, index, body, "is missing")
  if (!isSealed(row)) return describe(wallet, index, body, "does not match its checksum")
  if (Buffer.compare(row[2], body) === 0) return null
  return describe(wallet, index, body, "is not what the block states")
}

/** Rows that a block names but that are not derived from it. */
const extraRows = ({ rowOf }: Stored, block: number, places: Uint8Array, derived: ReadonlySet<string>) =>
  (namedBy(places) ?? []).flatMap(({ index, wallet }) => {
    if (derived.has(keyOf(wallet, index))) return []
    const row = rowOf(wallet, RowId.make(block, index))
    return row === undefined ? [] : [describe(wallet, index, row[2], "is not what the block states")]
  })

const placesIssues = (
  stored: Stored,
  block: number,
  rows: ReadonlyArray<LedgerCodec.PackedRow>,
): ReadonlyArray<string> => {
  const found = stored.places
  if (found === undefined) return ["the list of its ledgers is missing"]
  const [, places, checksum] = found
  if (Checksum.fromValues([block, places]) !== checksum) return ["the list of its ledgers does not match its checksum"]
  if (Buffer.compare(places, LedgerCodec.packPlaces(rows)) === 0) return []
  const derived = new Set(rows.map(({ index, wallet }) => keyOf(wallet, index)))
  return ["the list of its ledgers names other rows", ...extraRows(stored, block, places, derived)]
}

/** Differences between the stored and the derived rows of a block. */
export const find = (stored: Stored, block: number, packed: Uint8Array): ReadonlyArray<string> => {
  const derived = LedgerCodec.unpack(packed)
  const issues = derived.flatMap((row): ReadonlyArray<string> => {
    const issue = rowIssue(stored.rowOf(row.wallet, RowId.make(block, row.index)), row)
    return issue === null ? [] : [issue]
  })
  const all = [...placesIssues(stored, block, derived), ...issues]
  if (all.length <= maxDescribed) return all
  return [...all.slice(0, maxDescribed), `${all.length - maxDescribed} other rows of its ledgers differ`]
}

/** Whether a block does not name a row as its own. For a block with a damaged list, its rows are an issue of the block. */
export const isOrphaned = (found: Places | undefined, wallet: Uint8Array, id: number): boolean => {
  const { index } = RowId.toPosition(id)
  if (found === undefined) return true
  const [block, places, checksum] = found
  if (Checksum.fromValues([block, places]) !== checksum) return false
  const named = namedBy(places)
  return named !== null && !named.some((place) => place.index === index && Buffer.compare(place.wallet, wallet) === 0)
}
