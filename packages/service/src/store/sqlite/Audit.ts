/**
 * Reads a chain's file range by range while an indexer writes it, and repairs single rows.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Appearance, Audit as Interface, Repairer, StoredBlock, StoredTransaction } from "../Audit.ts"
import type { BlockRows } from "../BlockRows.ts"
import type { ChainRef } from "../ChainRef.ts"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import type { StoreError } from "../StoreError.ts"
import { fromHex, toHex } from "./Bytes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as ChainReader from "./ChainReader.ts"
import type { Connection, Params } from "./Connection.ts"
import * as Gaps from "./Gaps.ts"
import * as Projections from "./Projections.ts"
import * as RowId from "./RowId.ts"
import * as Rows from "./Rows.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Statements from "./Statements.ts"

const maxIssues = 20

type AppearanceColumns = readonly [address: Uint8Array, block: number, index: number, addresses: Uint8Array | null]

const blocksUnsafe = (connection: Connection, chain: number, from: number, to: number): ReadonlyArray<StoredBlock> => {
  const transactions = Rows.transactionsUnsafe(connection, from, to)
  const isMissing = (block: number, index: number) => (address: string) =>
    connection.valuesUnsafe(Statements.appearance, [chain, fromHex(address), block, index]).length === 0
  const audited = (block: number, row: Rows.StoredRow): StoredTransaction => ({
    ...row,
    missingAppearances: row.addresses.filter(isMissing(block, row.index)),
  })
  return Rows.blocksUnsafe(connection, chain, from, to).map((block) => ({
    ...block,
    transactions: (transactions.get(block.number) ?? []).map((row) => audited(block.number, row)),
  }))
}

const isOrphaned = ([address, , , addresses]: AppearanceColumns): boolean =>
  addresses === null || !Rows.addressesOf(addresses).some((own) => Buffer.compare(own, address) === 0)

/** Whether rows may be stored under their number: in place of the same block, or in a gap between blocks that they link. */
const fitsUnsafe = ({ connection, ref }: ChainFile, { hash, number, parentHash }: BlockRows): boolean => {
  const checkpoint = ChainReader.checkpointUnsafe(connection, ref.id)
  if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return false
  const stored = ChainReader.blockUnsafe(connection, ref.id, number)
  if (stored !== null) return stored.hash === hash
  const below = ChainReader.blockUnsafe(connection, ref.id, number - 1)?.hash ?? parentHash
  const [above] = connection.rowsUnsafe<{ readonly hash: Uint8Array }>(Statements.parentOf, [ref.id, number + 1])
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
  connection.rowsUnsafe(Statements.deleteTransactionsOf, RowId.range(number, number))
  connection.rowsUnsafe(Statements.deleteBlock, [ref.id, number])
  Gaps.deleteUnsafe(connection, number, number)
  Rows.insertUnsafe(connection, ref.id, rows)
  Projections.replaceUnsafe(file, WalletTransactions.projection, rows)
  return true
}

const removeOrphanedUnsafe = ({ connection, ref }: ChainFile, appearances: ReadonlyArray<Appearance>): void => {
  for (const { address, block, index } of appearances) {
    const stored = Rows.transactionsUnsafe(connection, block, block).get(block) ?? []
    if (stored.some((row) => row.index === index && row.addresses.includes(address))) continue
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
  const rows = connection.valuesUnsafe<AppearanceColumns>(Statements.appearancesAfter, [...start, limit])
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
