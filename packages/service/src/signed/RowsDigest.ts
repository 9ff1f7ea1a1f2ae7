/**
 * Digest of a wallet's movements: SHA-256 over one line of JSON per movement, in order. An index and a search on a node yield the same
 * digest.
 *
 * Source: decision 0050.
 */
import { createHash } from "node:crypto"
import type * as Movement from "../ledger/Movement.ts"

/** A running digest, updated in place. */
export interface RowsDigest {
  /** Adds movements of a transaction, or of the block itself if the index is `null`. Rows are added in chain order. */
  readonly add: (block: number, index: number | null, movements: ReadonlyArray<Movement.Movement>) => void
  readonly result: () => Rows
}

/** Number and digest of movements. */
export interface Rows {
  readonly count: number
  /** The JSON line of a movement. */
  readonly sha256: string
}

/** Makes the digest of no movements. */
const lineOf = (block: number, index: number | null, movement: Movement.Movement): string => {
  const { amount, asset, counterparty, isFailed, kind, logIndex, tokenId } = movement
  return `${JSON.stringify([block, index, logIndex, kind, asset, tokenId, amount.toString(), counterparty, isFailed])}\n`
}

/** A digest of no movement. */
export const make = (): RowsDigest => {
  const hash = createHash("sha256")
  let count = 0
  return {
    add: (block, index, movements) => {
      for (const movement of movements) {
        count += 1
        hash.update(lineOf(block, index, movement))
      }
    },
    result: () => ({ count, sha256: `0x${hash.copy().digest("hex")}` }),
  }
}
