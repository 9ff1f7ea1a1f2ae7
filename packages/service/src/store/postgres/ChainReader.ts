/**
 * Reads a chain's schema, each snapshot in one transaction.
 */
import * as Effect from "effect/Effect"
import type { ChainReader, Snapshot } from "../ChainReader.ts"
import type { StoreError } from "../StoreError.ts"
import * as ChangeWait from "../ChangeWait.ts"
import * as Blocks from "./Blocks.ts"
import * as BlockTimes from "./BlockTimes.ts"
import type { Reading } from "./Chain.ts"
import * as Documents from "./Documents.ts"
import * as Journal from "./Journal.ts"
import * as Ledgers from "./Ledgers.ts"
import * as Nodes from "./Nodes.ts"
import * as Openings from "./Openings.ts"
import * as PageReader from "./PageReader.ts"
import * as Places from "./Places.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Proofs from "./Proofs.ts"
import type { PageReading } from "./Replicas.ts"
import * as SnapshotStart from "./SnapshotStart.ts"
import * as StatusBoard from "./StatusBoard.ts"
import * as Tokens from "./Tokens.ts"

/** No document has this revision. */
const noRevision = -1

/** Restricts a query to blocks up to the head, because a node may already have rows of later ones. */
const belowHead = <Query extends { readonly to: number }>(
  { chain, checkpoint }: SnapshotStart.State,
  query: Query,
): Query => (chain.isDistributed ? { ...query, to: Math.min(query.to, checkpoint?.head.number ?? -1) } : query)

/** The checkpoint of a projection, which may have been read with that of the chain. */
const projectionOf = (state: SnapshotStart.State, id: string) => {
  const { chain, expected, projection } = state
  if (expected.projection !== id) return ProjectionCheckpoints.read(state, id)
  return projection === undefined ? Effect.succeed(null) : ProjectionCheckpoints.fromColumns(chain, projection)
}

const snapshotOf = (state: SnapshotStart.State): Snapshot => {
  const { checkpoint, gapCounts, serial } = state
  return {
    serial,
    checkpoint: Effect.succeed(checkpoint),
    block: (number) => BlockTimes.block(state, number),
    blockFacts: Effect.fnUntraced(function* (number): Effect.fn.Return<string | null, StoreError> {
      const found = yield* BlockTimes.header(state, number)
      if (found === null || found.factsChecksum === null) return null
      const facts = (yield* Blocks.factsOf(state, [found])).get(number) ?? null
      return facts === null || typeof facts === "string" ? facts : yield* facts
    }),
    firstAtOrAfter: (timestamp) => BlockTimes.firstAtOrAfter(state, timestamp),
    lastAtOrBefore: (timestamp) => BlockTimes.lastAtOrBefore(state, timestamp),
    page: ({ id, kind }, asked) => {
      const query = belowHead(state, asked)
      if (kind === "entries") return PageReader.entries(state, id, query)
      return kind === "ledger" ? PageReader.ledger(state, query) : PageReader.wallet(state, query)
    },
    transactions: (asked) => PageReader.transactions(state, belowHead(state, asked)),
    skip: ({ kind }, asked) => PageReader.skip(state, kind, belowHead(state, asked)),
    ledger: (asked) => Ledgers.page(state, belowHead(state, asked)),
    openings: (wallet, after) =>
      checkpoint === null
        ? Effect.succeed({ balances: [], next: undefined })
        : Openings.read(state, wallet, checkpoint.first, after),
    openingRange: (query) =>
      checkpoint === null
        ? Effect.succeed({ rows: [], next: undefined })
        : Openings.range(state, query, checkpoint.first),
    unreadOpenings: (query) =>
      checkpoint === null ? Effect.succeed({ holdings: [], next: 0 }) : Openings.unread(state, checkpoint.first, query),
    proof: (wallet) => (checkpoint === null ? Effect.succeed(null) : Proofs.read(state, wallet, checkpoint.first)),
    reconciledTo: (wallet) =>
      checkpoint === null ? Effect.succeed(null) : Proofs.reconciledTo(state, wallet, checkpoint.first),
    tokens: (addresses) => Tokens.read(state, addresses),
    findTokens: (text, limit) => Tokens.find(state, text, limit),
    unreadTokens: (query) =>
      checkpoint === null
        ? Effect.succeed({ tokens: [], from: 0, next: 0 })
        : Tokens.unread(state, checkpoint.first, query),
    places: (positions, maxBytes) => Places.read(state, positions, maxBytes),
    projection: (id) =>
      Effect.map(projectionOf(state, id), (found) => found && { revision: found.revision, next: found.next }),
    lowestReorgedBlock: (ref) => Journal.lowestReorged(state, ref),
    changes: (after, limit) => Journal.read(state, after, limit),
    removed: (change, below, limit) => Journal.removed(state, change, below, limit),
    activeWallets: (from, to) => Ledgers.activeWallets(state, from, to),
    hasTransactions: (from, to) => Documents.hasStale(state, from, to, noRevision),
    status: StatusBoard.read(state),
    nodes: state.chain.isDistributed ? Nodes.count(state) : Effect.succeed(0),
    gapCounts: Effect.succeed(gapCounts),
  }
}

/** Time limit for a statement of a snapshot that is not a page. */
const snapshotMillis = 60_000

/** Interval at which a waiting reader polls the journal: replicas and some poolers deliver no notifications. */
const pollMillis = 1_000

/** How a reader reads: `readPage` for what a replica may read, and `listening` for notifications of the chain. */
export interface Options {
  readonly reading: Reading
  readonly readPage: PageReading
  readonly listening: <A, E, R>(
    use: (next: Effect.Effect<Effect.Effect<void>>) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

/** The reader of a chain. */
export const make = ({ listening, readPage, reading }: Options): ChainReader => ({
  snapshot: (read, { atLeast, expected } = {}) => {
    const readAt = (state: SnapshotStart.State) => read(snapshotOf(state))
    if (atLeast !== undefined) return readPage({ atLeast, expected }, readAt)
    return reading(
      // A transaction fixes its state at its first statement, which is this one.
      (at) => Effect.flatMap(SnapshotStart.read(at, snapshotMillis, expected), readAt),
      snapshotMillis,
    )
  },
  awaitChange: (known) => {
    const newest = reading(({ chain: { sql }, session }) =>
      Effect.map(session.rows<readonly [number]>(sql.newestChange, []), ([row]) => row?.[0] ?? 0),
    )
    return listening((next) => ChangeWait.make(newest, { everyMillis: pollMillis, next })(known))
  },
  headers: (from, to) => reading((at) => Blocks.headers(at, from, to)),
  gaps: (query) => reading((at) => Blocks.gaps(at, query)),
  lastTraceGap: (to) => reading((at) => Blocks.lastTraceGap(at, to)),
})
