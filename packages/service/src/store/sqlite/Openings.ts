/**
 * What wallets held before the first indexed block, in a chain's file: a row for each wallet and holding that was read, also where the
 * amount is 0. Rows that were read for another first block are not read. Functions named `Unsafe` throw what SQLite throws, and a
 * `StoreError` for a damaged row.
 *
 * Source: decision 0050.
 */
import type * as Movement from "../../ledger/Movement.ts"
import * as Holding from "../../proof/Holding.ts"
import type { LedgerEntry, LedgerQuery } from "../ChainReader.ts"
import type { OpeningBalance, WalletOpening } from "../Proofs.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import type { Connection } from "./Connection.ts"

/** The step of the chain's schema that makes the table, and that of proofs. */
export const migration = `CREATE TABLE opening (
    wallet BLOB NOT NULL,
    holding BLOB NOT NULL,
    first INTEGER NOT NULL,
    amount BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (wallet, holding)
  ) WITHOUT ROWID;
  CREATE TABLE opening_progress (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, next INTEGER NOT NULL);
  CREATE TABLE proof (
    wallet BLOB PRIMARY KEY,
    first INTEGER NOT NULL,
    block INTEGER NOT NULL,
    hash BLOB NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) WITHOUT ROWID;`

/** Parameters: wallet, holding, first, amount, checksum. */
const insert = `INSERT OR REPLACE INTO opening (wallet, holding, first, amount, checksum) VALUES (?, ?, ?, ?, ?)`

/** Parameters: wallet, first, limit. */
const select = `SELECT wallet, holding, first, amount, checksum FROM opening WHERE wallet = ? AND first = ? LIMIT ?`

type Columns = readonly [wallet: Uint8Array, holding: Uint8Array, first: number, amount: Uint8Array, checksum: number]

/** Openings of one wallet that are read, at most: it may have been sent any number of tokens. */
const maxHoldings = 20_000

const addressBytes = 20

const bytesOfAmount = (amount: bigint): Uint8Array => {
  if (amount === 0n) return new Uint8Array()
  const digits = amount.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
}

const amountOf = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(toHex(bytes)))

/**
 * The key of a holding: the standard in a byte, the token, and its id.
 */
export const bytesOfHolding = ({ asset, standard, tokenId }: Holding.Holding): Uint8Array =>
  Buffer.concat([
    Uint8Array.of(Holding.standards.indexOf(standard)),
    asset.startsWith("0x") ? fromHex(asset) : new Uint8Array(),
    tokenId === null ? new Uint8Array() : bytesOfAmount(BigInt(tokenId)),
  ])

const holdingOf = (bytes: Uint8Array): Holding.Holding | null => {
  const standard = Holding.standards[bytes[0] ?? -1]
  if (standard === "native") return Holding.native
  if (standard === undefined || standard === "nonce" || bytes.length < 1 + addressBytes) return null
  const asset = toHex(bytes.subarray(1, 1 + addressBytes))
  const tokenId = standard === "erc1155" ? amountOf(bytes.subarray(1 + addressBytes)).toString() : null
  return { standard, asset, tokenId }
}

/** Inserts openings in place of earlier ones. */
export const insertUnsafe = (connection: Connection, first: number, openings: ReadonlyArray<WalletOpening>): void =>
  connection.manyUnsafe(
    insert,
    openings.flatMap(({ balances, wallet }) =>
      balances.map(({ amount, holding }) => {
        const values = [fromHex(wallet), bytesOfHolding(holding), first, bytesOfAmount(amount)]
        return [...values, Checksum.of(values)]
      }),
    ),
  )

/** The openings of a wallet that were read for an index with this first block. */
export const readUnsafe = (connection: Connection, wallet: string, first: number): ReadonlyArray<OpeningBalance> =>
  connection.valuesUnsafe<Columns>(select, [fromHex(wallet), first, maxHoldings]).map((row) => {
    const [, key, , amount, checksum] = row
    const holding = holdingOf(key)
    if (holding === null || Checksum.of(row.slice(0, -1)) !== checksum) {
      throw Checksum.damaged(connection.name, first, "what a wallet held before it does not match its checksum")
    }
    return { holding, amount: amountOf(amount) }
  })

/** Removes all openings. */
export const clearUnsafe = (connection: Connection): void => {
  for (const table of ["opening", "opening_progress"]) connection.rowsUnsafe(`DELETE FROM ${table}`, [])
}

/** The ids of the tokens of an ERC-721 contract are not known, so that they are no movements. */
const isMovement = ({ amount, holding }: OpeningBalance): boolean => amount !== 0n && holding.standard !== "erc721"

const movementsOf = (connection: Connection, wallet: string, first: number): ReadonlyArray<Movement.Movement> =>
  readUnsafe(connection, wallet, first)
    .filter(isMovement)
    .map(({ amount, holding: { asset, tokenId } }) => ({
      ...{ wallet, asset, tokenId, amount, counterparty: null, kind: "genesis", logIndex: null, isFailed: false },
    }))

const isBefore = (place: number, after: LedgerQuery["after"], order: LedgerQuery["order"], first: number): boolean => {
  if (after === null) return true
  const compared = first - after.block || place - after.index
  return order === "ASC" ? compared > 0 : compared < 0
}

/**
 * The rows of a page of a ledger with what the wallet held before the first block, as the first movements at its lowest place. `rows` are
 * those of the query.
 */
export const addUnsafe = (
  connection: Connection,
  { after, from, limit, order, to, wallet }: LedgerQuery,
  first: number,
  rows: ReadonlyArray<LedgerEntry>,
): ReadonlyArray<LedgerEntry> => {
  if (first < from || first > to || !isBefore(0, after, order, first)) return rows
  const at = order === "ASC" ? 0 : rows.length - 1
  const lowest = rows[at]
  const isHeld = lowest?.block === first && lowest.index === 0
  if (order === "DESC" && !isHeld && rows.length >= limit) return rows
  const movements = movementsOf(connection, wallet, first)
  if (movements.length === 0) return rows
  if (isHeld) {
    const merged = { ...lowest, movements: [...movements, ...lowest.movements] }
    return order === "ASC" ? [merged, ...rows.slice(1)] : [...rows.slice(0, -1), merged]
  }
  const own: LedgerEntry = { block: first, index: 0, roles: 0, movements }
  return order === "ASC" ? [own, ...rows].slice(0, limit) : [...rows, own]
}
