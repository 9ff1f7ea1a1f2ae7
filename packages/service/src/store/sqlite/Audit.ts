/**
 * Reads a chain's file range by range while an indexer writes it, and repairs single rows.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Audit as Interface, Repairer, StoredBlock } from "../Audit.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import type { ChainRef } from "../ChainRef.ts"
import type { LedgerProjection } from "../../block/Projection.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import { StoreError } from "../StoreError.ts"
import * as BlockReplacement from "./BlockReplacement.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as AuditedBlock from "../rows/AuditedBlock.ts"
import * as Facts from "./Facts.ts"
import * as Histories from "./Histories.ts"
import * as LedgerAudit from "./LedgerAudit.ts"
import * as Orphans from "./Orphans.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as RemovableRows from "./RemovableRows.ts"
import * as Rows from "./Rows.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as WalletKey from "../rows/WalletKey.ts"

const maxIssues = 20

/** Result of some work; `null` if it reads a damaged row, which is a separate issue. */
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
    // Texts of another form with valid checksums: deriving throws the errors of parsing them.
    return null
  }
}

/** Differences between the stored ledgers of a range's blocks and what is derived from the blocks; empty if they are not derived yet. */
const ledgerIssuesUnsafe = (
  connection: Connection,
  { feeRules, id: chain }: ChainRef,
  from: number,
  to: number,
): ReadonlyMap<number, ReadonlyArray<string>> => {
  const projection = WalletLedger.make(chain, feeRules)
  const state = ProjectionCheckpoints.readUnsafe(connection, projection.id)
  const issues = new Map<number, ReadonlyArray<string>>()
  if (state?.revision !== projection.revision || state.next === null) return issues
  for (let number = from; number <= Math.min(to, state.next - 1); number++) {
    const blocks = unlessDamaged(() => Rows.readUnsafe(connection, chain, number, number, true)) ?? []
    for (const block of blocks) {
      const derived = derivedUnsafe(projection, block)
      const found =
        derived === null ? AuditedBlock.underivable : LedgerAudit.differencesUnsafe(connection, number, derived)
      issues.set(number, found)
    }
  }
  return issues
}

const blocksUnsafe = (connection: Connection, ref: ChainRef, from: number, to: number): ReadonlyArray<StoredBlock> => {
  const headers = Blocks.rangeUnsafe(connection, ref.id, from, to)
  return AuditedBlock.make({
    headers,
    transactions: Rows.listUnsafe(connection, from, to),
    has: (address, id) => Histories.hasUnsafe(connection, [WalletKey.fromAddress(address), id]),
    facts: Facts.rangeUnsafe(connection, headers),
    ledgerIssues: ledgerIssuesUnsafe(connection, ref, from, to),
  })
}

const repairerOf = (file: ChainFile): Repairer => {
  const write = <A>(work: () => A) => file.transaction(file.connection.attempt(work))
  return {
    removeRows: (rows) => write(() => RemovableRows.removeUnsafe(file, rows)),
    removeOrphaned: (appearances) => write(() => Orphans.removeUnsafe(file, appearances)),
    replace: (rows) =>
      write(() => BlockReplacement.replaceUnsafe(file, WalletLedger.make(file.ref.id, file.ref.feeRules), rows)),
  }
}

/** Audit of a chain's file; `open` opens it for repairs. */
export const make = (
  pool: ReadPool,
  ref: ChainRef,
  open: Effect.Effect<ChainFile, StoreError, Scope.Scope>,
): Interface => {
  const { id: chain } = ref
  return {
    engineIssues: pool.once((connection) =>
      connection
        .rowsUnsafe<{ readonly integrity_check: string }>(`PRAGMA integrity_check(${maxIssues})`, [])
        .map(({ integrity_check }) => integrity_check)
        .filter((text) => text !== "ok"),
    ),
    range: (from, to) =>
      pool.once((connection) => ({
        checkpoint: Checkpoints.checkpointUnsafe(connection, chain),
        blocks: blocksUnsafe(connection, ref, from, to),
      })),
    orphanedAppearances: (after, limit) =>
      pool.once((connection) => Orphans.afterUnsafe(connection, chain, after, limit)),
    removableRows: (after, limit) =>
      pool.once((connection) => RemovableRows.afterUnsafe(connection, chain, after, limit)),
    repairer: Effect.map(open, repairerOf),
  }
}
