/**
 * Status of a server's indexes: whether it can answer, and how far the index of each chain reaches.
 */
import * as Schema from "effect/Schema"
import { type Named, open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

/** Number of blocks, a block number, or a time in milliseconds. */
const count = Quantity.SafeIntegerFromNumber

const rangeCodec = open("IndexedRange", {
  /** First indexed block. */
  from: count,
  /** Last indexed block. */
  to: count,
})

export interface IndexedRange extends Schema.Schema.Type<typeof rangeCodec> {}

/** Encoded form of `IndexedRange`: the values of its JSON. */
export interface IndexedRangeWire extends Schema.Codec.Encoded<typeof rangeCodec> {}

/**
 * First and last indexed block.
 *
 * Source: decision 0013.
 */
export const IndexedRange: Named<typeof rangeCodec, IndexedRange, IndexedRangeWire> = rangeCodec

const prependCodec = open("Prepend", {
  /** Lowest block to be indexed. */
  to: count,
  /** Number of blocks left. */
  blocks: count,
  /** Blocks stored per second (moving average); absent until blocks are stored. */
  blocksPerSecond: Schema.optionalKey(Schema.Finite),
  /** Estimated time until all are indexed, in milliseconds; absent if unknown. */
  etaMillis: Schema.optionalKey(count),
  /** Why no block can be indexed at present; absent if there is no obstacle. */
  issue: Schema.optionalKey(Schema.String),
})

export interface Prepend extends Schema.Schema.Type<typeof prependCodec> {}

/** Encoded form of `Prepend`: the values of its JSON. */
export interface PrependWire extends Schema.Codec.Encoded<typeof prependCodec> {}

/**
 * Blocks below the first indexed one that are yet to be indexed.
 *
 * Source: decision 0046.
 */
export const Prepend: Named<typeof prependCodec, Prepend, PrependWire> = prependCodec

const countsCodec = open("IndexerCounts", {
  /** Number of blocks stored, including those of removed forks. */
  blocks: count,
  /** Number of transactions stored. */
  transactions: count,
  /** Number of reorgs whose blocks were removed. */
  reorgs: count,
  /** Number of times that the indexer could not continue: a node failed, or an operator had to correct something. */
  obstacles: count,
})

export interface IndexerCounts extends Schema.Schema.Type<typeof countsCodec> {}

/** Encoded form of `IndexerCounts`: the values of its JSON. */
export interface IndexerCountsWire extends Schema.Codec.Encoded<typeof countsCodec> {}

/**
 * Counters of an indexer since its start.
 *
 * Source: decision 0012.
 */
export const IndexerCounts: Named<typeof countsCodec, IndexerCounts, IndexerCountsWire> = countsCodec

const gapsCodec = open("GapCounts", {
  /** Transactions without internal transactions. */
  trace: count,
  /** Transactions without a decodable receipt. */
  receipt: count,
  /** Transactions that do not decode. */
  transaction: count,
  /** Checks of blocks that failed or could not be made. */
  check: count,
})

export interface GapCounts extends Schema.Schema.Type<typeof gapsCodec> {}

/** Encoded form of `GapCounts`: the values of its JSON. */
export interface GapCountsWire extends Schema.Codec.Encoded<typeof gapsCodec> {}

/**
 * Gaps of the stored blocks, by kind.
 *
 * Source: decision 0035.
 */
export const GapCounts: Named<typeof gapsCodec, GapCounts, GapCountsWire> = gapsCodec

/**
 * State of the indexer of a chain.
 *
 * **Details**
 *
 * - `waiting` for a node, `backfill`, `synced` with the head of the node, or `stopped` by a shutdown.
 * - `misconfigured` until an operator corrects something.
 * - `not_started`: no indexer has written to this database. `unresponsive`: the indexer stopped reporting.
 * - `unreadable`: the database is damaged, or holds another chain.
 *
 * Source: decision 0012.
 */
export const State = Schema.Literals([
  "waiting",
  "backfill",
  "synced",
  "misconfigured",
  "stopped",
  "not_started",
  "unresponsive",
  "unreadable",
])

export type State = typeof State.Type

const statusCodec = open("ChainStatus", {
  /** Name of the chain, as accepted by parameters. */
  chain: Schema.String,
  /** EIP-155 id. */
  chainId: count,
  /** Whether the index follows the head of its node: the state is `synced`. */
  ready: Schema.Boolean,
  /** State of the indexer. */
  state: State,
  /** First and last indexed block; `null` if there is none. */
  indexed: Schema.NullOr(IndexedRange),
  /** Last indexed block that is final; `null` if none is known. */
  finalized: Schema.NullOr(count),
  /** Last seen head of the node; `null` if it is unknown, because no indexer runs or no node responds. */
  head: Schema.NullOr(count),
  /** Time since a head was last seen, in milliseconds; absent if none was. */
  headAgeMillis: Schema.optionalKey(Schema.Finite),
  /** Number of blocks between the head of the node and the last indexed block; `null` if it is unknown. */
  lag: Schema.NullOr(count),
  /** Source of internal transactions; `off` if the node has no tracer, `null` if no node has responded. */
  traces: Schema.NullOr(Schema.Literals(["trace_block", "debug_traceBlock", "debug_traceTransaction", "off"])),
  /** A sentence for the operator. */
  message: Schema.String,
  /** Blocks stored per second (moving average), in the state `backfill`; absent until blocks are stored. */
  blocksPerSecond: Schema.optionalKey(Schema.Finite),
  /**
   * Estimated time until the head of the node is reached, in milliseconds, taking the growth of the chain into account. Absent at the head,
   * if it is unknown, and while the head moves faster than the index.
   */
  etaMillis: Schema.optionalKey(count),
  /** Blocks below the first indexed one that are yet to be indexed; absent for none. */
  prepend: Schema.optionalKey(Prepend),
  /** Block checks that are skipped; absent for none. */
  unchecked: Schema.optionalKey(Schema.String),
  /** Sentences about settings that apply to only a part of the index; absent if all apply to the whole index. */
  notes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What the nodes do not offer; absent if nothing is lacking. */
  lacking: Schema.optionalKey(Schema.String),
  /** Number of blocks whose ledgers are not derived yet, so that `scope=all` is not served; absent for none. */
  blocksWithoutLedgers: Schema.optionalKey(count),
  /** Time of the last indexed block, in seconds since 1970; absent if there is none. */
  indexedTimestamp: Schema.optionalKey(count),
  /** Counters of the indexer since its start; absent until they are reported. */
  counts: Schema.optionalKey(IndexerCounts),
  /** Number of gaps of each kind in the stored blocks; absent if it is unknown. */
  gaps: Schema.optionalKey(GapCounts),
})

export interface ChainStatus extends Schema.Schema.Type<typeof statusCodec> {}

/** Encoded form of `ChainStatus`: the values of its JSON. */
export interface ChainStatusWire extends Schema.Codec.Encoded<typeof statusCodec> {}

/**
 * Status of the index of a chain.
 *
 * Source: decisions 0012 and 0013.
 */
export const ChainStatus: Named<typeof statusCodec, ChainStatus, ChainStatusWire> = statusCodec

const webhooksCodec = open("WebhookCounts", {
  /** Number of active webhooks. */
  active: count,
  /** Number of webhooks whose last attempts failed and are retried. */
  failing: count,
  /** Number of webhooks that are paused until they are resumed. */
  paused: count,
})

export interface WebhookCounts extends Schema.Schema.Type<typeof webhooksCodec> {}

/** Encoded form of `WebhookCounts`: the values of its JSON. */
export interface WebhookCountsWire extends Schema.Codec.Encoded<typeof webhooksCodec> {}

/**
 * Number of webhooks in each state.
 *
 * Source: decision 0073.
 */
export const WebhookCounts: Named<typeof webhooksCodec, WebhookCounts, WebhookCountsWire> = webhooksCodec

const serviceCodec = open("ServiceStatus", {
  /** Whether the server can answer. */
  ready: Schema.Boolean,
  /** Status of the index of each chain. */
  chains: Schema.Array(ChainStatus),
  /** Webhooks by state; absent if the server does not send webhooks. */
  webhooks: Schema.optionalKey(WebhookCounts),
})

export interface ServiceStatus extends Schema.Schema.Type<typeof serviceCodec> {}

/** Encoded form of `ServiceStatus`: the values of its JSON. */
export interface ServiceStatusWire extends Schema.Codec.Encoded<typeof serviceCodec> {}

/**
 * Status of the server and of all of its chains.
 *
 * Source: decision 0012.
 */
export const ServiceStatus: Named<typeof serviceCodec, ServiceStatus, ServiceStatusWire> = serviceCodec

/**
 * Query parameters of the status.
 *
 * Source: decision 0012.
 */
export const Query = Schema.Struct({
  /** Chain by name or identifier, to request its status only. Default: the server and all chains. */
  chain: Schema.optionalKey(Schema.String),
})
