/**
 * The row of a block, with its checksum. Pure.
 *
 * Source: decision 0034.
 */
import type { BlockRef, BlockRows } from "../../block/BlockRows.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"

/** The columns without the checksum. */
export type Row = readonly [
  number: number,
  hash: Uint8Array,
  parentHash: Uint8Array,
  timestamp: number,
  count: number | null,
  factsChecksum: number | null,
]

/** The columns of a row, in the order of the statements. */
export type Columns = readonly [...Row, checksum: number | null]

/** A stored block without its transactions. */
export interface StoredHeader extends BlockRef {
  readonly parentHash: string
  readonly timestamp: number
  /** Number of transactions that were stored with it; `null` where a version without the count wrote it. */
  readonly count: number | null
  /** Checksum of the row of its facts; `null` where it has none. */
  readonly factsChecksum: number | null
  /** Its row does not match its checksum. */
  readonly isDamaged: boolean
}

/** Makes the row of a block, with the checksum of its facts. */
export const make = (
  { hash, number, parentHash, timestamp, transactions }: BlockRows,
  factsChecksum: number | null,
): Columns => {
  const row = [number, fromHex(hash), fromHex(parentHash), timestamp, transactions.length, factsChecksum] as const
  return [...row, checksumOf(row)]
}

/** The checksum of a row; that of one without facts is that of earlier versions, which had no such column. */
export const checksumOf = ([number, hash, parentHash, timestamp, count, factsChecksum]: Row): number => {
  const columns = [number, hash, parentHash, timestamp, count]
  return Checksum.of(factsChecksum === null ? columns : [...columns, factsChecksum])
}

/** A row below the present layout has no checksum yet. */
const isDamaged = (row: Columns, layoutFrom: number): boolean => {
  const [number, hash, parentHash, timestamp, count, factsChecksum, checksum] = row
  if (checksum === null) return number >= layoutFrom
  return checksumOf([number, hash, parentHash, timestamp, count, factsChecksum]) !== checksum
}

/** Reads a row. Blocks below `layoutFrom` are in the layout of an earlier version. */
export const fromColumns = (row: Columns, layoutFrom: number): StoredHeader => {
  const [number, hash, parentHash, timestamp, count, factsChecksum] = row
  const hashes = { hash: toHex(hash), parentHash: toHex(parentHash) }
  return { number, ...hashes, timestamp, count, factsChecksum, isDamaged: isDamaged(row, layoutFrom) }
}
