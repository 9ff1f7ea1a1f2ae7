/**
 * The row of a wallet's last proved block: what pages report about a proof, which itself may be long. Pure.
 *
 * Source: decision 0050.
 */
import type { WalletProof } from "../Proofs.ts"
import { fromHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** Columns of a row: `compared` is the block of the comparison, `block` the last one at which everything was equal. */
export type Columns = readonly [
  ...[wallet: Uint8Array, first: number, compared: number, block: number],
  checksum: number,
]

/** Makes the row of a comparison; `null` if it proves nothing. */
export const make = ({
  block,
  first,
  provedBlock,
  wallet,
}: Pick<WalletProof, "wallet" | "first" | "block" | "provedBlock">): Columns | null => {
  if (provedBlock === null) return null
  const values = [fromHex(wallet), first, block.number, provedBlock] as const
  return [...values, Checksum.fromValues(values)]
}

/** Reads a row; `null` for a damaged one, which counts as missing. */
export const read = (row: Columns): number | null => {
  const [, , , block, checksum] = row
  return Checksum.isOf(row.slice(0, -1), checksum) ? block : null
}
