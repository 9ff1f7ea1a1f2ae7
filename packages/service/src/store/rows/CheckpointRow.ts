/**
 * The row of a checkpoint, with its checksum, and the checkpoint that readers see. Pure.
 *
 * Source: decision 0034.
 */
import type { BlockRef, Checkpoint } from "../../block/BlockRows.ts"
import { toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import * as WatchedWallets from "./WatchedWallets.ts"

/** Columns that change with the index; those of the blocks are `null` if the index is empty. */
export interface Columns {
  readonly first: number | null
  readonly number: number | null
  readonly hash: Uint8Array | null
  readonly timestamp: number | null
  readonly finalized: number | null
  /** Watched wallets as written by `WatchedWallets`; `null` for all. */
  readonly watch: string | null
  readonly serial: number
  /** Number of the newest journal change. */
  readonly change: number
}

/** Columns in the order of the statements. */
export type Row = readonly [
  chain: number,
  first: number | null,
  number: number | null,
  hash: Uint8Array | null,
  timestamp: number | null,
  finalized: number | null,
  watch: string | null,
  serial: number,
  change: number,
  checksum: number,
]

/** Columns of an empty index. */
export const empty: Columns = {
  first: null,
  number: null,
  hash: null,
  timestamp: null,
  finalized: null,
  watch: null,
  serial: 0,
  change: 0,
}

/** Makes the row of a chain. */
export const make = (chain: number, columns: Columns): Row => {
  const { change, finalized, first, hash, number, serial, timestamp, watch } = columns
  const row = [chain, first, number, hash, timestamp, finalized, watch, serial, change] as const
  return [...row, Checksum.fromValues(row)]
}

/** Reads a row; `null` if it does not match its checksum. */
export const read = (row: readonly [...Row, ...Array<unknown>]): Columns | null => {
  const [chain, first, number, hash, timestamp, finalized, watch, serial, change, checksum] = row
  if (Checksum.fromValues([chain, first, number, hash, timestamp, finalized, watch, serial, change]) !== checksum)
    return null
  return { first, number, hash, timestamp, finalized, watch, serial, change }
}

/** The newest block; `null` if the index is empty. */
export const headOf = ({ hash, number }: Columns): BlockRef | null =>
  // Sound: they are set together.
  number === null ? null : { number, hash: toHex(hash!) }

/** The checkpoint; `null` if the index is empty. */
export const toCheckpoint = (columns: Columns): Checkpoint | null => {
  const head = headOf(columns)
  if (head === null) return null
  const { finalized, first, timestamp, watch } = columns
  // Sound: they are set together with the head.
  return { first: first!, head, headTimestamp: timestamp!, finalized, ...WatchedWallets.toCheckpoint(watch) }
}
