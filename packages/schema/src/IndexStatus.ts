/**
 * Status of the indexes of a server: whether it can answer, and how far the index of each chain is.
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
  /** Lowest block that is to be indexed. */
  to: count,
  /** Number of blocks that are left. */
  blocks: count,
  /** Blocks stored per second (moving average); absent while none were. */
  blocksPerSecond: Schema.optionalKey(Schema.Finite),
  /** Estimated time until all are indexed, in milliseconds; absent while it is unknown. */
  etaMillis: Schema.optionalKey(count),
  /** Why none can be indexed at present; absent where nothing is in the way. */
  issue: Schema.optionalKey(Schema.String),
})

export interface Prepend extends Schema.Schema.Type<typeof prependCodec> {}

/** Encoded form of `Prepend`: the values of its JSON. */
export interface PrependWire extends Schema.Codec.Encoded<typeof prependCodec> {}

/**
 * Blocks below the first one that are to be indexed.
 *
 * Source: decision 0046.
 */
export const Prepend: Named<typeof prependCodec, Prepend, PrependWire> = prependCodec

const countsCodec = open("IndexerCounts", {
  /** Blocks that were stored, those of removed forks among them. */
  blocks: count,
  /** Transactions that were stored. */
  transactions: count,
  /** Reorgs whose blocks were removed. */
  reorgs: count,
  /** Times that something kept it from continuing: a node that failed, or what an operator has to correct. */
  obstacles: count,
})

export interface IndexerCounts extends Schema.Schema.Type<typeof countsCodec> {}

/** Encoded form of `IndexerCounts`: the values of its JSON. */
export interface IndexerCountsWire extends Schema.Codec.Encoded<typeof countsCodec> {}

/**
 * What an indexer has done since it was started.
 *
 * Source: decision 0012.
 */
export const IndexerCounts: Named<typeof countsCodec, IndexerCounts, IndexerCountsWire> = countsCodec

const gapsCodec = open("GapCounts", {
  /** Transactions without internal transactions. */
  trace: count,
  /** Transactions without a receipt that decodes. */
  receipt: count,
  /** Transactions that do not decode. */
  transaction: count,
  /** Checks of blocks that do not hold, or could not be made. */
  check: count,
})

export interface GapCounts extends Schema.Schema.Type<typeof gapsCodec> {}

/** Encoded form of `GapCounts`: the values of its JSON. */
export interface GapCountsWire extends Schema.Codec.Encoded<typeof gapsCodec> {}

/**
 * What the stored blocks lack, by kind.
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
 * - `not_started`: none has written to this database. `unresponsive`: it stopped reporting.
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
  /** Name of the chain, as parameters accept it. */
  chain: Schema.String,
  /** EIP-155 id. */
  chainId: count,
  /** The index follows the head of its node: the state is `synced`. */
  ready: Schema.Boolean,
  /** State of the indexer. */
  state: State,
  /** First and last indexed block; `null` while there is none. */
  indexed: Schema.NullOr(IndexedRange),
  /** Last indexed block that is final; `null` while none is known. */
  finalized: Schema.NullOr(count),
  /** Head of the node as last seen; `null` while it is unknown, because no indexer runs or no node responds. */
  head: Schema.NullOr(count),
  /** Time since a head was last seen, in milliseconds; absent where none was. */
  headAgeMillis: Schema.optionalKey(Schema.Finite),
  /** Blocks between the head of the node and the last indexed block; `null` while it is unknown. */
  lag: Schema.NullOr(count),
  /** Source of internal transactions; `off` where the node has no tracer, `null` while no node has responded. */
  traces: Schema.NullOr(Schema.Literals(["trace_block", "debug_traceBlock", "debug_traceTransaction", "off"])),
  /** A sentence for the operator. */
  message: Schema.String,
  /** Blocks stored per second (moving average), in the state `backfill`; absent while none were. */
  blocksPerSecond: Schema.optionalKey(Schema.Finite),
  /**
   * Estimated time until the head of the node is reached, in milliseconds, with the growth of the chain meanwhile. Absent at the head,
   * while it is unknown, and while the head moves faster than the index.
   */
  etaMillis: Schema.optionalKey(count),
  /** Blocks below the first one that are to be indexed; absent for none. */
  prepend: Schema.optionalKey(Prepend),
  /** Checks of blocks that are skipped; absent when none. */
  unchecked: Schema.optionalKey(Schema.String),
  /** Sentences about settings that apply to a part of the index alone; absent when all apply to the whole. */
  notes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What the nodes do not offer; absent for nothing. */
  lacking: Schema.optionalKey(Schema.String),
  /** Blocks whose ledgers are not derived yet, so that `scope=all` is not served; absent when there is none. */
  blocksWithoutLedgers: Schema.optionalKey(count),
  /** Time of the last indexed block, in seconds since 1970; absent while there is none. */
  indexedTimestamp: Schema.optionalKey(count),
  /** What the indexer has done since it was started; absent while none has reported it. */
  counts: Schema.optionalKey(IndexerCounts),
  /** Number of gaps of each kind: what the stored blocks lack; absent while it is unknown. */
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
  /** Webhooks that are sent. */
  active: count,
  /** Webhooks whose last attempts failed, and are made again. */
  failing: count,
  /** Webhooks of which nothing is sent until they are resumed. */
  paused: count,
})

export interface WebhookCounts extends Schema.Schema.Type<typeof webhooksCodec> {}

/** Encoded form of `WebhookCounts`: the values of its JSON. */
export interface WebhookCountsWire extends Schema.Codec.Encoded<typeof webhooksCodec> {}

/**
 * How many webhooks are in each state.
 *
 * Source: decision 0073.
 */
export const WebhookCounts: Named<typeof webhooksCodec, WebhookCounts, WebhookCountsWire> = webhooksCodec

const serviceCodec = open("ServiceStatus", {
  /** The server can answer. */
  ready: Schema.Boolean,
  /** Status of the index of each chain. */
  chains: Schema.Array(ChainStatus),
  /** Webhooks by their state; absent where the server sends none. */
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
  /** Chain by name or identifier, whose status alone is the response. Default: the server and all chains. */
  chain: Schema.optionalKey(Schema.String),
})
