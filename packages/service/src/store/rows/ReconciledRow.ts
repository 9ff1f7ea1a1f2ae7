/**
 * The row of the last proved block of a wallet: what pages state of a proof, which may be long itself. Pure.
 *
 * Source: decision 0050.
 */
import type { WalletProof } from "../Proofs.ts"
import type { StoreError } from "../StoreError.ts"
import { fromHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** The columns of a row: `compared` is the block of the comparison, `block` the last one at which everything was equal. */
export type Columns = readonly [
  ...[wallet: Uint8Array, first: number, compared: number, block: number],
  checksum: number,
]

/** Makes the row of a comparison; `null` for one that proves nothing. */
export const make = ({
  block,
  first,
  provedBlock,
  wallet,
}: Pick<WalletProof, "wallet" | "first" | "block" | "provedBlock">): Columns | null => {
  if (provedBlock === null) return null
  const values = [fromHex(wallet), first, block.number, provedBlock] as const
  return [...values, Checksum.of(values)]
}

/** Reads a row; the error of a damaged one. `name` is that of the database. */
export const read = (name: string, row: Columns): number | StoreError => {
  const [, , compared, block, checksum] = row
  return Checksum.of(row.slice(0, -1)) === checksum
    ? block
    : Checksum.damaged(name, compared, "the last proved block of a wallet does not match its checksum")
}
