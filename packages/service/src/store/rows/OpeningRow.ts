/**
 * The row of a wallet's opening balance in an asset before the first indexed block. Pure.
 *
 * Source: decision 0050.
 */
import * as Holding from "../../ledger/Holding.ts"
import * as OpeningMovement from "../../ledger/OpeningMovement.ts"
import type { OpeningBalance, OpeningQuery, OpeningRows, OpeningSlice, WalletOpening } from "../Proofs.ts"
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

/** Number of rows of a slice: they take 2 to 3 ms. */
export const sliceRows = 1_000

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
 * Makes the reader of a wallet's rows for a first block; returns undefined for a damaged row. Columns that all of them share are neither
 * read nor checked again.
 */
const reader = (wallet: Uint8Array, first: number) => {
  const shared = Checksum.fromValues([wallet])
  return ([key, amount, checksum]: ReadColumns): OpeningBalance | undefined => {
    const holding = holdingOf(key)
    const isIntact = holding !== null && Checksum.isOf([key, first, amount], checksum, shared)
    return isIntact ? { holding, amount: amountOf(amount) } : undefined
  }
}

/** Reads a slice of a wallet's rows for a first block; omits damaged ones, which can be read from a node again. */
export const read = (wallet: Uint8Array, first: number, rows: ReadonlyArray<ReadColumns>): OpeningSlice => {
  const opening = reader(wallet, first)
  const next = rows.length < sliceRows ? undefined : rows.at(-1)?.[0]
  return { balances: rows.flatMap((row) => opening(row) ?? []), next }
}

/** Makes a condition of both engines that is true for rows that are movements, with binary literals of an engine. */
export const isMovement = (literal: (hex: string) => string): string =>
  `amount <> ${literal("")} AND substr(holding, 1, 1) <> ${literal(`0${Holding.standards.indexOf("erc721")}`)}`

/** Numbers of openings that are read, ascending. */
export interface Numbers {
  readonly from: number
  readonly count: number
}

/**
 * Which openings are read for a range: in ascending order one more than its limit, which shows whether others follow. `total` is the number
 * of all, needed at the start of a descending order.
 */
export const numbersOf = ({ after, limit, order }: OpeningQuery, total: number): Numbers => {
  if (order === "ASC") return { from: after === undefined ? 0 : after + 1, count: limit + 1 }
  const end = after ?? total
  const from = Math.max(0, end - limit)
  return { from, count: end - from }
}

/** Makes the openings of a range from its rows, which are in ascending order. Damaged rows have a number and are omitted. */
export const rangeOf = (
  { limit, order, wallet }: OpeningQuery,
  first: number,
  { from }: Numbers,
  rows: ReadonlyArray<ReadColumns>,
): OpeningRows => {
  const read = reader(fromHex(wallet), first)
  const found = rows.slice(0, limit).flatMap((row, at): OpeningRows["rows"] => {
    const opening = read(row)
    return opening === undefined ? [] : [{ number: from + at, movement: OpeningMovement.make(wallet, opening) }]
  })
  return order === "ASC"
    ? { rows: found, next: rows.length > limit ? from + limit - 1 : undefined }
    : { rows: found.toReversed(), next: from > 0 ? from : undefined }
}
