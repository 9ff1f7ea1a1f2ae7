/**
 * The rows of blocks in a chain's file, each with its checksum. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for
 * a damaged row.
 *
 * Source: decision 0034.
 */
import type { BlockRef, BlockRows } from "../BlockRows.ts"
import { fromHex, toHex } from "./Bytes.ts"
import * as Checksum from "./Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

type Row = readonly [
  number: number,
  hash: Uint8Array,
  parentHash: Uint8Array,
  timestamp: number,
  count: number | null,
  factsChecksum: number | null,
]

type Columns = readonly [...Row, checksum: number | null]

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

const columnsOf = ({ hash, number, parentHash, timestamp, transactions }: BlockRows) =>
  [number, fromHex(hash), fromHex(parentHash), timestamp, transactions.length] as const

/** The checksum of a row; that of one without facts is that of earlier versions, which had no such column. */
const checksumOf = ([number, hash, parentHash, timestamp, count, factsChecksum]: Row): number => {
  const columns = [number, hash, parentHash, timestamp, count]
  return Checksum.of(factsChecksum === null ? columns : [...columns, factsChecksum])
}

/** Inserts the row of a block. */
export const insertUnsafe = (
  connection: Connection,
  chain: number,
  block: BlockRows,
  factsChecksum: number | null,
): void => {
  const row = [...columnsOf(block), factsChecksum] as const
  connection.rowsUnsafe(Statements.insertBlock, [chain, ...row, checksumOf(row)])
}

/** A row below the present layout has no checksum yet. */
const isDamaged = (row: Columns, layoutFrom: number): boolean => {
  const [number, hash, parentHash, timestamp, count, factsChecksum, checksum] = row
  if (checksum === null) return number >= layoutFrom
  return checksumOf([number, hash, parentHash, timestamp, count, factsChecksum]) !== checksum
}

/** Blocks of a range, inclusive, with whether each is damaged. */
export const rangeUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
  layoutFrom: number,
): ReadonlyArray<StoredHeader> =>
  connection.valuesUnsafe<Columns>(Statements.blocks, [chain, from, to]).map((row) => {
    const [number, hash, parentHash, timestamp, count, factsChecksum] = row
    const damage = isDamaged(row, layoutFrom)
    const hashes = { hash: toHex(hash), parentHash: toHex(parentHash) }
    return { number, ...hashes, timestamp, count, factsChecksum, isDamaged: damage }
  })

/** The block of a number; `null` where none is stored. */
export const findUnsafe = (
  connection: Connection,
  chain: number,
  number: number,
  layoutFrom: number,
): StoredHeader | null => {
  const [found] = rangeUnsafe(connection, chain, number, number, layoutFrom)
  if (found?.isDamaged === true) throw Checksum.damaged(connection.name, number, "it does not match its checksum")
  return found ?? null
}

/** Gives blocks of a range that have no checksum one, inclusive. */
export const sealUnsafe = (connection: Connection, chain: number, from: number, to: number): void => {
  const rows = connection.valuesUnsafe<Columns>(Statements.blocks, [chain, from, to])
  const missing = rows.filter(([, , , , , , checksum]) => checksum === null)
  connection.manyUnsafe(
    Statements.sealBlock,
    missing.map(([number, hash, parentHash, timestamp, count, factsChecksum]) => [
      ...[checksumOf([number, hash, parentHash, timestamp, count, factsChecksum]), chain, number],
    ]),
  )
}
