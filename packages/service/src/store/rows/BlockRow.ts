/**
 * The row of a block, with its checksum. Pure.
 *
 * Source: decision 0034.
 */
import type { BlockRef, BlockRows } from "../../block/BlockRows.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** Columns without the checksum. */
export type Row = readonly [
  number: number,
  hash: Uint8Array,
  parentHash: Uint8Array,
  timestamp: number,
  count: number,
  factsChecksum: number | null,
]

/** Columns of a row, in the order of the statements. */
export type Columns = readonly [...Row, checksum: number]

/** A stored block without its transactions. */
export interface StoredHeader extends BlockRef {
  readonly parentHash: string
  readonly timestamp: number
  /** Number of transactions that were stored with it. */
  readonly count: number
  /** Checksum of the row of its facts; `null` if it has none. */
  readonly factsChecksum: number | null
  /** True if its row does not match its checksum. */
  readonly isDamaged: boolean
}

/** Makes the row of a block, with the checksum of its facts. */
export const make = (
  { hash, number, parentHash, timestamp, transactions }: BlockRows,
  factsChecksum: number | null,
): Columns => {
  const row = [number, fromHex(hash), fromHex(parentHash), timestamp, transactions.length, factsChecksum] as const
  return [...row, Checksum.fromValues(row)]
}

/** Reads a row. */
export const fromColumns = (columns: Columns): StoredHeader => {
  const [number, hash, parentHash, timestamp, count, factsChecksum, checksum] = columns
  const isDamaged = Checksum.fromValues(columns.slice(0, -1)) !== checksum
  return { number, hash: toHex(hash), parentHash: toHex(parentHash), timestamp, count, factsChecksum, isDamaged }
}
