/**
 * The row of a wallet's opening balance in an asset before the first indexed block, and how a ledger starts with it. Pure.
 *
 * Source: decision 0050.
 */
import type * as Movement from "../../ledger/Movement.ts"
import * as Holding from "../../ledger/Holding.ts"
import type { LedgerEntry, LedgerQuery, LedgerRows } from "../ChainReader.ts"
import type { OpeningBalance, WalletOpening } from "../Proofs.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** The columns of a row. */
export type Columns = readonly [
  wallet: Uint8Array,
  holding: Uint8Array,
  first: number,
  amount: Uint8Array,
  checksum: number,
]

/** Columns read for a row whose wallet and first block are known. */
export type ReadColumns = readonly [holding: Uint8Array, amount: Uint8Array, checksum: number]

/** Maximum number of openings read for one wallet: it may have been sent any number of tokens. */
export const maxHoldings = 20_000

const addressBytes = 20

const bytesOfAmount = (amount: bigint): Uint8Array => {
  if (amount === 0n) return new Uint8Array()
  const digits = amount.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
}

const amountOf = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(toHex(bytes)))

/**
 * Key of a holding: a byte for the standard, the token, and its id.
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

/** Makes the rows of openings. */
export const make = (first: number, openings: ReadonlyArray<WalletOpening>): ReadonlyArray<Columns> =>
  openings.flatMap(({ balances, wallet }) =>
    balances.map(({ amount, holding }): Columns => {
      const values = [fromHex(wallet), bytesOfHolding(holding), first, bytesOfAmount(amount)] as const
      return [...values, Checksum.fromValues(values)]
    }),
  )

/**
 * Reads a wallet's rows for a first block; omits damaged ones, which can be read from a node again. There may be 20,000, so columns that
 * all of them share are neither read nor checked again.
 */
export const read = (
  wallet: Uint8Array,
  first: number,
  rows: ReadonlyArray<ReadColumns>,
): ReadonlyArray<OpeningBalance> => {
  const shared = Checksum.fromValues([wallet])
  return rows.flatMap(([key, amount, checksum]) => {
    const holding = holdingOf(key)
    const isIntact = holding !== null && Checksum.isOf([key, first, amount], checksum, shared)
    return isIntact ? [{ holding, amount: amountOf(amount) }] : []
  })
}

/** The token ids of an ERC-721 contract are unknown, so they are not movements. */
const isMovement = ({ amount, holding }: OpeningBalance): boolean => amount !== 0n && holding.standard !== "erc721"

const movementsOf = (wallet: string, openings: ReadonlyArray<OpeningBalance>): ReadonlyArray<Movement.Movement> =>
  openings.filter(isMovement).map(({ amount, holding: { asset, tokenId } }) => ({
    wallet,
    asset,
    tokenId,
    amount,
    counterparty: null,
    kind: "genesis",
    logIndex: null,
    isFailed: false,
  }))

const isBefore = (place: number, after: LedgerQuery["after"], order: LedgerQuery["order"], first: number): boolean => {
  if (after === null) return true
  const compared = first - after.block || place - after.index
  return order === "ASC" ? compared > 0 : compared < 0
}

/** The lowest row of a page if it is at the position of openings. */
const heldRow = (order: LedgerQuery["order"], first: number, rows: ReadonlyArray<LedgerEntry>) => {
  const lowest = order === "ASC" ? rows[0] : rows.at(-1)
  return lowest?.block === first && lowest.index === 0 ? lowest : undefined
}

/** Whether a page of a ledger, which has the rows of its query, begins or ends with openings. */
export const isWithin = (
  { after, from, order, to }: LedgerQuery,
  first: number,
  { hasMore, rows }: LedgerRows,
): boolean =>
  first >= from &&
  first <= to &&
  isBefore(0, after, order, first) &&
  (order === "ASC" || !hasMore || heldRow(order, first, rows) !== undefined)

/**
 * Rows of a ledger page that begins or ends with openings, which are the first movements at its lowest position; as many rows as the query
 * has, if more follow.
 */
export const add = (
  { order, wallet }: LedgerQuery,
  first: number,
  { hasMore, rows }: LedgerRows,
  openings: ReadonlyArray<OpeningBalance>,
): ReadonlyArray<LedgerEntry> => {
  const movements = movementsOf(wallet, openings)
  if (movements.length === 0) return rows
  const held = heldRow(order, first, rows)
  if (held !== undefined) {
    const merged = { ...held, movements: [...movements, ...held.movements] }
    return order === "ASC" ? [merged, ...rows.slice(1)] : [...rows.slice(0, -1), merged]
  }
  const own: LedgerEntry = { block: first, index: 0, roles: 0, movements }
  if (order === "DESC") return [...rows, own]
  return [own, ...(hasMore ? rows.slice(0, -1) : rows)]
}
