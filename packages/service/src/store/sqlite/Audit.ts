/**
 * Reads a chain's file range by range while an indexer writes it, and repairs single rows.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Audit as Interface, Repairer, StoredBlock, StoredTransaction } from "../Audit.ts"
import type { BlockRows } from "../BlockRows.ts"
import type { ChainRef } from "../ChainRef.ts"
import type { LedgerProjection } from "../../projection/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import { StoreError } from "../StoreError.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as ChainReader from "./ChainReader.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import type { StoredRow } from "../rows/DocumentRow.ts"
import * as Facts from "./Facts.ts"
import * as Histories from "./Histories.ts"
import * as LedgerAudit from "./LedgerAudit.ts"
import * as OldRows from "./OldRows.ts"
import * as Orphans from "./Orphans.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as RowId from "../rows/RowId.ts"
import * as Rows from "./Rows.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as WalletKey from "../rows/WalletKey.ts"

const maxIssues = 20

/** A transaction with the wallets whose histories lack it, in either copy. */
const audited = (
  connection: Connection,
  chain: number,
  layoutFrom: number,
  id: number,
  row: StoredRow,
): StoredTransaction => {
  const has = (address: string) =>
    RowId.toPosition(id).block < layoutFrom
      ? OldRows.hasAppearanceUnsafe(connection, chain, id, address)
      : Histories.hasUnsafe(connection, [WalletKey.of(address), id])
  return { ...row, missingAppearances: row.addresses.filter((address) => !has(address)) }
}

/** What a piece of work gives; `null` where it reads a damaged row, which is an issue of its own. */
const unlessDamaged = <A>(work: () => A): A | null => {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof StoreError && cause.damagedBlock !== undefined) return null
    throw cause
  }
}

const derivedUnsafe = (projection: LedgerProjection, block: BlockRows): Uint8Array | null => {
  try {
    return projection.ledger(block)
  } catch {
    // Texts of another form, under checksums that hold: deriving throws what parsing them throws.
    return null
  }
}

/** Where the ledgers of the blocks of a range differ from what is derived of them; none where they are not derived yet. */
const ledgerIssuesUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
): ReadonlyMap<number, ReadonlyArray<string>> => {
  const projection = WalletLedger.make(chain)
  const state = ProjectionCheckpoints.readUnsafe(connection, projection.id)
  const issues = new Map<number, ReadonlyArray<string>>()
  if (state?.revision !== projection.revision || state.next === null) return issues
  for (let number = from; number <= Math.min(to, state.next - 1); number++) {
    const blocks = unlessDamaged(() => Rows.readUnsafe(connection, chain, number, number, true)) ?? []
    for (const block of blocks) {
      const derived = derivedUnsafe(projection, block)
      const found =
        derived === null
          ? ["its ledger cannot be derived of its rows"]
          : LedgerAudit.differencesUnsafe(connection, number, derived)
      issues.set(number, found)
    }
  }
  return issues
}

const blocksUnsafe = (connection: Connection, chain: number, from: number, to: number): ReadonlyArray<StoredBlock> => {
  const layoutFrom = Checkpoints.layoutFromUnsafe(connection, chain)
  const transactions = new Map<number, Array<StoredTransaction>>()
  const damaged = new Map<number, Array<number>>()
  for (const [id, row] of Rows.listUnsafe(connection, from, to, layoutFrom)) {
    const { block, index } = RowId.toPosition(id)
    if (row instanceof StoreError) damaged.set(block, [...(damaged.get(block) ?? []), index])
    else {
      const own = transactions.get(block) ?? []
      own.push(audited(connection, chain, layoutFrom, id, row))
      transactions.set(block, own)
    }
  }
  const headers = Blocks.rangeUnsafe(connection, chain, from, to, layoutFrom)
  const facts = Facts.rangeUnsafe(connection, headers)
  const ledgerIssues = ledgerIssuesUnsafe(connection, chain, from, to)
  return headers.map(({ count, hash, isDamaged, number, parentHash, timestamp }) => {
    const found = facts.get(number) ?? null
    return {
      ...{ number, hash, parentHash, timestamp, count, isDamaged },
      facts: typeof found === "string" ? found : null,
      hasDamagedFacts: found instanceof StoreError,
      ledgerIssues: ledgerIssues.get(number) ?? [],
      transactions: transactions.get(number) ?? [],
      damagedTransactions: damaged.get(number) ?? [],
    }
  })
}

const repairerOf = (file: ChainFile): Repairer => {
  const write = <A>(work: () => A) => file.transaction(file.connection.attempt(work))
  return {
    removeOrphaned: (appearances) => write(() => Orphans.removeUnsafe(file, appearances)),
    replace: (rows) => write(() => BlockReplacement.replaceUnsafe(file, WalletLedger.make(file.ref.id), rows)),
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
      .rowsUnsafe<{ readonly integrity_check: string }>(`PRAGMA integrity_check(${maxIssues})`, [])
      .map(({ integrity_check }) => integrity_check)
      .filter((text) => text !== "ok"),
  ),
  range: (from, to) =>
    pool.once((connection) => ({
      checkpoint: ChainReader.checkpointUnsafe(connection, chain),
      blocks: blocksUnsafe(connection, chain, from, to),
    })),
  orphanedAppearances: (after, limit) =>
    pool.once((connection) => Orphans.afterUnsafe(connection, chain, after, limit)),
  repairer: Effect.map(open, repairerOf),
})
