/**
 * Reads a chain's file range by range while an indexer writes it, and repairs single rows.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Appearance, Audit as Interface, Repairer, StoredBlock, StoredTransaction } from "../Audit.ts"
import type { BlockRows } from "../BlockRows.ts"
import type { ChainRef } from "../ChainRef.ts"
import type { StoreError } from "../StoreError.ts"
import { fromHex, split, toHex } from "./Bytes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as ChainReader from "./ChainReader.ts"
import type { Connection, Params } from "./Connection.ts"
import * as RowId from "./RowId.ts"
import * as Rows from "./Rows.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Statements from "./Statements.ts"

const addressBytes = 20
const maxIssues = 20

const blocksIn = `SELECT number, hash, parent_hash, timestamp, transactions FROM block
  WHERE chain = ? AND number BETWEEN ? AND ? ORDER BY number`
const transactionsIn = `SELECT block, tx_index, decoder_revision, hash, addresses, body, internal FROM "transaction"
  WHERE id >= ? AND id < ? ORDER BY id`
const hasAppearance = `SELECT 1 FROM appearance WHERE chain = ? AND address = ? AND block = ? AND tx_index = ?`
const appearancesAfter = `SELECT a.address, a.block, a.tx_index, t.addresses FROM appearance a
  LEFT JOIN "transaction" t ON t.id = a.block * ${RowId.ofBlock} + a.tx_index
  WHERE a.chain = ? AND (a.address, a.block, a.tx_index) > (?, ?, ?)
  ORDER BY a.address, a.block, a.tx_index LIMIT ?`
const deleteTransactionsOf = `DELETE FROM "transaction" WHERE id >= ? AND id < ?`
const deleteBlock = `DELETE FROM block WHERE chain = ? AND number = ?`
const parentOf = `SELECT parent_hash AS hash FROM block WHERE chain = ? AND number = ?`

type BlockColumns = readonly [
  number: number,
  hash: Uint8Array,
  parentHash: Uint8Array,
  timestamp: number,
  count: number | null,
]

type TransactionColumns = readonly [
  block: number,
  index: number,
  decoderRevision: number,
  hash: Uint8Array,
  addresses: Uint8Array,
  body: string,
  internal: string | null,
]

type AppearanceColumns = readonly [address: Uint8Array, block: number, index: number, addresses: Uint8Array | null]

/** Addresses of a row; a length that is no multiple of an address loses the rest, which then shows as lost. */
const addressesOf = (joined: Uint8Array) =>
  split(joined.subarray(0, joined.length - (joined.length % addressBytes)), addressBytes)

const transactionsUnsafe = (connection: Connection, chain: number, from: number, to: number) => {
  const byBlock = new Map<number, Array<StoredTransaction>>()
  const rows = connection.valuesUnsafe<TransactionColumns>(transactionsIn, RowId.range(from, to))
  for (const [block, index, decoderRevision, hash, joined, body, internal] of rows) {
    const addresses = addressesOf(joined)
    const missing = addresses.filter(
      (address) => connection.valuesUnsafe(hasAppearance, [chain, address, block, index]).length === 0,
    )
    const own = byBlock.get(block) ?? []
    byBlock.set(block, own)
    own.push({
      index,
      decoderRevision,
      hash: toHex(hash),
      addresses: addresses.map(toHex),
      missingAppearances: missing.map(toHex),
      body,
      internal,
    })
  }
  return byBlock
}

const blocksUnsafe = (connection: Connection, chain: number, from: number, to: number): ReadonlyArray<StoredBlock> => {
  const transactions = transactionsUnsafe(connection, chain, from, to)
  return connection
    .valuesUnsafe<BlockColumns>(blocksIn, [chain, from, to])
    .map(([number, hash, parentHash, timestamp, count]) => ({
      number,
      hash: toHex(hash),
      parentHash: toHex(parentHash),
      timestamp,
      count,
      transactions: transactions.get(number) ?? [],
    }))
}

const isOrphaned = ([address, , , addresses]: AppearanceColumns): boolean =>
  addresses === null || !addressesOf(addresses).some((own) => Buffer.compare(own, address) === 0)

/** Whether rows may be stored under their number: in place of the same block, or in a gap between blocks that they link. */
const fitsUnsafe = ({ connection, ref }: ChainFile, { hash, number, parentHash }: BlockRows): boolean => {
  const checkpoint = ChainReader.checkpointUnsafe(connection, ref.id)
  if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return false
  const stored = ChainReader.blockUnsafe(connection, ref.id, number)
  if (stored !== null) return stored.hash === hash
  const below = ChainReader.blockUnsafe(connection, ref.id, number - 1)?.hash ?? parentHash
  const [above] = connection.rowsUnsafe<{ readonly hash: Uint8Array }>(parentOf, [ref.id, number + 1])
  return below === parentHash && (above === undefined || toHex(above.hash) === hash)
}

const replaceUnsafe = (file: ChainFile, rows: BlockRows): boolean => {
  const { connection, ref } = file
  const { number } = rows
  if (!fitsUnsafe(file, rows)) return false
  Rows.removeAppearancesUnsafe(connection, ref.id, number, number)
  for (const { addresses, index } of rows.transactions) {
    for (const address of addresses) {
      connection.rowsUnsafe(Statements.deleteAppearance, [ref.id, fromHex(address), number, index])
    }
  }
  connection.rowsUnsafe(deleteTransactionsOf, RowId.range(number, number))
  connection.rowsUnsafe(deleteBlock, [ref.id, number])
  Rows.insertUnsafe(connection, ref.id, rows)
  return true
}

const removeOrphanedUnsafe = ({ connection, ref }: ChainFile, appearances: ReadonlyArray<Appearance>): void => {
  for (const { address, block, index } of appearances) {
    const stored = connection.valuesUnsafe<TransactionColumns>(transactionsIn, RowId.range(block, block))
    const document = stored.find(([, at]) => at === index)
    if (document !== undefined && addressesOf(document[4]).map(toHex).includes(address)) continue
    connection.rowsUnsafe(Statements.deleteAppearance, [ref.id, fromHex(address), block, index])
  }
}

const repairerOf = (file: ChainFile): Repairer => {
  const write = <A>(work: () => A) => file.transaction(file.connection.attempt(work))
  return {
    removeOrphaned: (appearances) => write(() => removeOrphanedUnsafe(file, appearances)),
    replace: (rows) => write(() => replaceUnsafe(file, rows)),
  }
}

const orphanedUnsafe = (connection: Connection, chain: number, after: Appearance | null, limit: number) => {
  const start: Params =
    after === null ? [chain, new Uint8Array(), -1, -1] : [chain, fromHex(after.address), after.block, after.index]
  const rows = connection.valuesUnsafe<AppearanceColumns>(appearancesAfter, [...start, limit])
  const toAppearance = ([address, block, index]: AppearanceColumns): Appearance => ({
    address: toHex(address),
    block,
    index,
  })
  const last = rows.length < limit ? undefined : rows.at(-1)
  return {
    orphaned: rows.filter(isOrphaned).map(toAppearance),
    last: last === undefined ? null : toAppearance(last),
  }
}

/** The audit of a chain's file; `open` opens it for repairs. */
export const make = (
  pool: ReadPool,
  { id: chain }: ChainRef,
  open: Effect.Effect<ChainFile, StoreError, Scope.Scope>,
): Interface => ({
  engineIssues: pool.once((connection) =>
    connection
      .rowsUnsafe<{ readonly quick_check: string }>(`PRAGMA quick_check(${maxIssues})`, [])
      .map(({ quick_check }) => quick_check)
      .filter((text) => text !== "ok"),
  ),
  range: (from, to) =>
    pool.once((connection) => ({
      checkpoint: ChainReader.checkpointUnsafe(connection, chain),
      blocks: blocksUnsafe(connection, chain, from, to),
    })),
  orphanedAppearances: (after, limit) => pool.once((connection) => orphanedUnsafe(connection, chain, after, limit)),
  repairer: Effect.map(open, repairerOf),
})
