/**
 * The row of a token: the self-description of its contract, and the block at which it was read. Pure.
 *
 * Source: decision 0054.
 */
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** The columns of a row. */
export type Columns = readonly [
  ...[address: Uint8Array, block: number, name: string | null, symbol: string | null, decimals: number | null],
  checksum: number,
]

/** Makes the rows of tokens. */
export const make = (tokens: ReadonlyMap<string, TokenMetadata>): ReadonlyArray<Columns> =>
  [...tokens].map(([address, { block, decimals, name, symbol }]) => {
    const values = [fromHex(address), block, name, symbol, decimals] as const
    return [...values, Checksum.fromValues(values)]
  })

/** Bounds of all texts that begin with a text: no character of a token is the last code point of Unicode. */
export const range = (text: string): readonly [from: string, below: string] => {
  const from = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return [from, `${from}\u{10ffff}`]
}

/** Reads a row; `null` for a damaged one, which counts as missing: the token can be read again. */
export const read = (row: Columns): readonly [address: string, TokenMetadata] | null => {
  const [address, block, name, symbol, decimals, checksum] = row
  return Checksum.isOf(row.slice(0, -1), checksum) ? [toHex(address), { name, symbol, decimals, block }] : null
}
