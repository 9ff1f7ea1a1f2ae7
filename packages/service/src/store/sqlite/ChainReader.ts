/**
 * Reads a chain's file in snapshots.
 */
import * as Effect from "effect/Effect"
import type { BlockRef } from "../../block/BlockRows.ts"
import type { ChainReader, Snapshot } from "../ChainReader.ts"
import * as ChangeWait from "../ChangeWait.ts"
import * as BlockTimes from "./BlockTimes.ts"
import { toHex } from "../rows/Bytes.ts"
import type { Connection } from "./Connection.ts"
import * as Gaps from "./Gaps.ts"
import * as Journal from "./Journal.ts"
import * as JournalStatements from "./JournalStatements.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Openings from "./Openings.ts"
import * as PageReader from "./PageReader.ts"
import * as Proofs from "./Proofs.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Rows from "./Rows.ts"
import * as SnapshotStart from "./SnapshotStart.ts"
import * as Statements from "./Statements.ts"
import * as StatusBoard from "./StatusBoard.ts"
import * as Tokens from "./Tokens.ts"
import * as UnreadOpenings from "./UnreadOpenings.ts"

const readsOf = (state: SnapshotStart.State): Snapshot => {
  const { chain, change, checkpoint, connection, gapCounts, serial } = state
  return {
    serial,
    checkpoint: Effect.succeed(checkpoint),
    block: (number) => connection.attempt(() => BlockTimes.blockUnsafe(state, number)),
    blockFacts: (number) => connection.attempt(() => BlockTimes.factsUnsafe(state, number)),
    firstAtOrAfter: (timestamp) => connection.attempt(() => BlockTimes.firstAtOrAfterUnsafe(state, timestamp)),
    lastAtOrBefore: (timestamp) => connection.attempt(() => BlockTimes.lastAtOrBeforeUnsafe(state, timestamp)),
    page: ({ id, kind }, query) =>
      connection.attempt(() => {
        if (kind === "entries") return PageReader.entriesUnsafe(connection, id, query)
        return kind === "ledger"
          ? PageReader.ledgerUnsafe(connection, query)
          : PageReader.walletUnsafe(connection, query)
      }),
    transactions: (query) => connection.attempt(() => PageReader.transactionsUnsafe(connection, chain, query)),
    skip: ({ kind }, query) => connection.attempt(() => PageReader.skipUnsafe(connection, kind, query)),
    ledger: (query) => connection.attempt(() => Ledgers.pageUnsafe(connection, query)),
    openings: (wallet, after) =>
      connection.attempt(() =>
        checkpoint === null
          ? { balances: [], next: undefined }
          : Openings.readUnsafe(connection, wallet, checkpoint.first, after),
      ),
    openingRange: (query) =>
      connection.attempt(() =>
        checkpoint === null ? { rows: [], next: undefined } : Openings.rangeUnsafe(connection, query, checkpoint.first),
      ),
    unreadOpenings: (query) =>
      connection.attempt(() =>
        checkpoint === null
          ? { holdings: [], next: 0 }
          : UnreadOpenings.readUnsafe(connection, checkpoint.first, query),
      ),
    proof: (wallet) =>
      connection.attempt(() => (checkpoint === null ? null : Proofs.readUnsafe(connection, wallet, checkpoint.first))),
    reconciledTo: (wallet) => connection.attempt(() => SnapshotStart.reconciledToUnsafe(state, wallet)),
    tokens: (addresses) => connection.attempt(() => Tokens.readUnsafe(connection, addresses)),
    findTokens: (text, limit) => connection.attempt(() => Tokens.findUnsafe(connection, text, limit)),
    unreadTokens: (query) =>
      connection.attempt(() =>
        checkpoint === null
          ? { tokens: [], from: 0, next: 0 }
          : Tokens.unreadUnsafe(connection, checkpoint.first, query),
      ),
    places: (positions, maxBytes) => connection.attempt(() => PageReader.placesUnsafe(state, positions, maxBytes)),
    projection: (id) =>
      connection.attempt(() => {
        const found = SnapshotStart.projectionUnsafe(state, id)
        return found === null ? null : { revision: found.revision, next: found.next }
      }),
    lowestReorgedBlock: (ref) => connection.attempt(() => Journal.lowestReorgedUnsafe(connection, ref)),
    changes: (after, limit) => connection.attempt(() => Journal.readUnsafe(connection, change, after, limit)),
    removed: (of, below, limit) => connection.attempt(() => Journal.removedUnsafe(connection, of, below, limit)),
    activeWallets: (from, to) => connection.attempt(() => Ledgers.activeWalletsUnsafe(connection, from, to)),
    hasTransactions: (from, to) => connection.attempt(() => Rows.hasTransactionsUnsafe(connection, from, to)),
    status: StatusBoard.read(connection, chain),
    nodes: Effect.succeed(0),
    gapCounts: Effect.succeed(gapCounts),
  }
}

const headersUnsafe = (connection: Connection, chain: number, from: number, to: number): ReadonlyArray<BlockRef> =>
  connection
    .rowsUnsafe<{ readonly number: number; readonly hash: Uint8Array }>(Statements.headers, [chain, from, to])
    .map(({ number, hash }) => ({ number, hash: toHex(hash) }))

/** Interval at which a waiting reader polls the journal: there are no notifications, and a poll takes 14 µs of CPU time. */
const lookMillis = 50

/** The reader of a chain's file. */
export const make = (pool: ReadPool, chain: number): ChainReader => ({
  snapshot: (read, { expected } = {}) =>
    pool.lend((connection) =>
      Effect.flatMap(
        // A deferred transaction fixes its state at its first read, which is this one.
        connection.attempt(() => SnapshotStart.readUnsafe(connection, chain, expected)),
        (state) => read(readsOf(state)),
      ),
    ),
  awaitChange: ChangeWait.make(
    pool.once(
      (connection) => connection.valuesUnsafe<readonly [number]>(JournalStatements.newestChange, [chain])[0]?.[0] ?? 0,
    ),
    { everyMillis: lookMillis },
  ),
  headers: (from, to) => pool.once((connection) => headersUnsafe(connection, chain, from, to)),
  gaps: (query) => pool.once((connection) => Gaps.listUnsafe(connection, query)),
  lastTraceGap: (to) => pool.once((connection) => Gaps.lastTraceUnsafe(connection, to)),
})
