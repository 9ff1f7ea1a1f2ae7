/**
 * Reads a chain's file in snapshots.
 */
import * as Effect from "effect/Effect"
import * as Movement from "../../ledger/Movement.ts"
import type { BlockRef } from "../../block/BlockRows.ts"
import type { ChainReader, Place, Position, Snapshot } from "../ChainReader.ts"
import * as ChangeWait from "../ChangeWait.ts"
import * as BlockTimes from "./BlockTimes.ts"
import { toHex } from "../rows/Bytes.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as Gaps from "./Gaps.ts"
import * as Journal from "./Journal.ts"
import * as JournalStatements from "./JournalStatements.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Openings from "./Openings.ts"
import * as PageReader from "./PageReader.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Proofs from "./Proofs.ts"
import type { ReadPool } from "./ReadPool.ts"
import * as Reconciled from "./Reconciled.ts"
import * as Rows from "./Rows.ts"
import * as Statements from "./Statements.ts"
import * as StatusBoard from "./StatusBoard.ts"
import * as Tokens from "./Tokens.ts"
import * as UnreadOpenings from "./UnreadOpenings.ts"

/** Blocks and transactions of places. */
const placesUnsafe = (
  state: BlockTimes.State,
  positions: ReadonlyArray<Position>,
  maxBytes: number,
): ReadonlyArray<Place> => {
  const { connection } = state
  const places: Array<Place> = []
  let bytes = 0
  for (const position of positions) {
    if (places.length > 0 && bytes > maxBytes) break
    const last = places.at(-1)
    const block = last?.block.number === position.block ? last.block : BlockTimes.blockUnsafe(state, position.block)
    if (block === null) throw Checksum.damaged(connection.name, position.block, "the block of a ledger is not stored")
    const found =
      position.index === Movement.blockLevelIndex
        ? { hash: null, bytes: 0 }
        : PageReader.hashUnsafe(connection, position)
    bytes += found.bytes
    places.push({ block, transactionHash: found.hash })
  }
  return places
}

const readsOf = (state: BlockTimes.State & { readonly serial: number; readonly change: number }): Snapshot => {
  const { chain, change, checkpoint, connection, serial } = state
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
    skip: ({ kind }, query) => connection.attempt(() => PageReader.skipUnsafe(connection, kind, query)),
    ledger: (query) =>
      connection.attempt(() => {
        const { isCut, rows } = Ledgers.pageUnsafe(connection, query)
        const limit = isCut ? rows.length : query.limit
        return checkpoint === null ? rows : Openings.addUnsafe(connection, { ...query, limit }, checkpoint.first, rows)
      }),
    openings: (wallet) =>
      connection.attempt(() => (checkpoint === null ? [] : Openings.readUnsafe(connection, wallet, checkpoint.first))),
    unreadOpenings: (query) =>
      connection.attempt(() =>
        checkpoint === null
          ? { holdings: [], next: 0 }
          : UnreadOpenings.readUnsafe(connection, checkpoint.first, query),
      ),
    proof: (wallet) =>
      connection.attempt(() => (checkpoint === null ? null : Proofs.readUnsafe(connection, wallet, checkpoint.first))),
    reconciledTo: (wallet) =>
      connection.attempt(() =>
        checkpoint === null ? null : Reconciled.readUnsafe(connection, wallet, checkpoint.first),
      ),
    tokens: (addresses) => connection.attempt(() => Tokens.readUnsafe(connection, addresses)),
    findTokens: (text, limit) => connection.attempt(() => Tokens.findUnsafe(connection, text, limit)),
    unreadTokens: (query) =>
      connection.attempt(() =>
        checkpoint === null
          ? { tokens: [], from: 0, next: 0 }
          : Tokens.unreadUnsafe(connection, checkpoint.first, query),
      ),
    places: (positions, maxBytes) => connection.attempt(() => placesUnsafe(state, positions, maxBytes)),
    projection: (id) =>
      connection.attempt(() => {
        const found = ProjectionCheckpoints.readUnsafe(connection, id)
        return found === null ? null : { revision: found.revision, next: found.next }
      }),
    lowestReorgedBlock: (ref) => connection.attempt(() => Journal.lowestReorgedUnsafe(connection, ref)),
    changes: (after, limit) => connection.attempt(() => Journal.readUnsafe(connection, change, after, limit)),
    removed: (of, below, limit) => connection.attempt(() => Journal.removedUnsafe(connection, of, below, limit)),
    hasTransactions: (from, to) => connection.attempt(() => Rows.hasTransactionsUnsafe(connection, from, to)),
    status: StatusBoard.read(connection, chain),
    nodes: Effect.succeed(0),
    gapCounts: connection.attempt(() => Gaps.countsUnsafe(connection)),
  }
}

const headersUnsafe = (connection: Connection, chain: number, from: number, to: number): ReadonlyArray<BlockRef> =>
  connection
    .rowsUnsafe<{ readonly number: number; readonly hash: Uint8Array }>(Statements.headers, [chain, from, to])
    .map(({ number, hash }) => ({ number, hash: toHex(hash) }))

/** The reader of a chain's file. */
export const make = (pool: ReadPool, chain: number): ChainReader => ({
  snapshot: (read) =>
    pool.lend((connection) =>
      Effect.flatMap(
        // A deferred transaction takes its state at its first read, which is this one.
        connection.attempt(() => Checkpoints.readUnsafe(connection, chain)),
        (columns) => {
          const { change, serial } = columns
          return read(readsOf({ serial, change, checkpoint: CheckpointRow.toCheckpoint(columns), connection, chain }))
        },
      ),
    ),
  awaitChange: ChangeWait.make(
    pool.once(
      (connection) => connection.valuesUnsafe<readonly [number]>(JournalStatements.newestChange, [chain])[0]?.[0] ?? 0,
    ),
  ),
  headers: (from, to) => pool.once((connection) => headersUnsafe(connection, chain, from, to)),
  gaps: (query) => pool.once((connection) => Gaps.listUnsafe(connection, query)),
})
