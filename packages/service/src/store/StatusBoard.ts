/**
 * Status board: what the indexer of each chain reports to other processes. The age of a status is computed with the database's clock, so
 * that readers on other machines need no synchronised clock.
 */
import type * as Effect from "effect/Effect"
import type { TraceSource } from "../block/Traces.ts"
import type { ChainRef } from "./ChainRef.ts"
import type { FencingToken } from "./Leases.ts"
import type { LeaseLost, StoreError } from "./StoreError.ts"

/**
 * Maximum number of blocks that an index may lag behind its node while following it: `synced` and `/ready` permit them, and ranges without
 * an end omit them.
 */
export const maxLagBlocks = 16

/** A setting on which stored blocks depend, from a block to the next entry with the same name. */
export interface AppliedSetting {
  /** `rows`, for an index of some wallets: whose transactions its blocks have. */
  readonly name: "traces" | "allFrames" | "checks" | "rows"
  readonly value: string
  /** First block indexed with the value; absent for the first entry of a name. */
  readonly from?: number
}

/** Settings with which blocks were indexed, in block order for each name; the last entry of a name is in force. */
export type AppliedSettings = ReadonlyArray<AppliedSetting>

/** Progress of searching the past of wallets that were added to an index of some wallets. */
export interface PastProgress {
  readonly wallets: ReadonlyArray<string>
  /** Last block up to which their past is searched; below the first block of the index if nothing is. */
  readonly searchedTo: number
  /** Last block to search. */
  readonly end: number
  /** Number of calls made by this search. */
  readonly calls: number
  /** Minimum number of calls left. */
  readonly callsLeft: number
  /** Estimated time for these at the pace so far, in milliseconds; absent if unknown. */
  readonly etaMillis?: number | undefined
  /** Why the search cannot continue at present, for the operator; absent if there is no obstacle. */
  readonly issue?: string | undefined
}

/** Status of the indexer of one chain. */
export interface IndexerStatus {
  /**
   * `waiting` for a node, `backfill`, `synced` with the node's head, `misconfigured` until an operator corrects something (a node
   * of another chain, other wallets to watch), or `stopped` by a shutdown.
   */
  readonly state: "waiting" | "backfill" | "synced" | "misconfigured" | "stopped"
  /** Source of internal transactions; `off` when the node has no tracer, `null` while no node has responded. */
  readonly traces: TraceSource | null
  /** Head of the node when last seen; `null` if unknown because no node has responded, or not recently. */
  readonly nodeHead: number | null
  /** Time between the poll that saw that head and this status, in milliseconds; absent if the head is unknown. */
  readonly headAgeMillis?: number
  /** Interval between polls of the head, in milliseconds; absent if the head is unknown. */
  readonly pollMillis?: number
  /** A sentence for the operator; never contains a key or a URL. */
  readonly message: string
  /** Blocks stored per second (moving average); absent until blocks are stored. */
  readonly blocksPerSecond?: number | undefined
  /** Blocks per second by which the node's head has advanced recently; absent if it has not. */
  readonly headBlocksPerSecond?: number | undefined
  /** Checks that the chain's hash rules skip, for the operator; absent if there are none. */
  readonly unchecked?: string | undefined
  /** Settings with which blocks were indexed; absent if they were not recorded. */
  readonly settings?: AppliedSettings | undefined
  /** A sentence for the operator if the index begins before the configured start; otherwise absent. */
  readonly startNote?: string | undefined
  /** What the nodes do not offer, for the operator; absent if they offer everything. */
  readonly lacking?: string | undefined
  /** Blocks below the first one that are yet to be indexed; absent if there are none. */
  readonly prepend?:
    | {
        /** Lowest block. */
        readonly to: number
        /** Blocks stored per second (moving average); absent until blocks are stored. */
        readonly blocksPerSecond?: number | undefined
        /** Why none can be indexed at present, for the operator; absent if there is no obstacle. */
        readonly issue?: string | undefined
      }
    | undefined
  /** Search of the past of added wallets; absent if there is none. */
  readonly past?: PastProgress | undefined
  /** Counters of the indexer since its start. */
  readonly counts?: IndexerCounts
}

/** Counters of an indexer since its start. */
export interface IndexerCounts {
  /** Number of stored blocks, including those of removed forks. */
  readonly blocks: number
  readonly transactions: number
  /** Number of reorgs whose blocks were removed. */
  readonly reorgs: number
  /** Number of obstacles: a node that failed, or something that an operator must correct. */
  readonly obstacles: number
}

/** A status as readers receive it. */
export interface ReportedStatus extends IndexerStatus {
  /** Time since it was written, by the database's clock; `null` if that clock was set back since, so the age is unknown. */
  readonly ageMillis: number | null
}

/** Three times the interval of an indexer's heartbeat. */
const unresponsiveMillis = 15_000

/** True if the indexer no longer reports although it was not stopped. */
export const isUnresponsive = ({ ageMillis, state }: Pick<ReportedStatus, "ageMillis" | "state">): boolean =>
  state !== "stopped" && (ageMillis === null || ageMillis > unresponsiveMillis)

/** Disk space used by a chain, in bytes. */
export interface DiskUse {
  /** Size of its rows and indexes, including free space. */
  readonly data: number
  /** Size of its write-ahead log; `null` if chains share one. */
  readonly log: number | null
}

/** Statuses of a database, one per chain. */
export interface StatusBoard {
  /** Replaces the status of a chain. A status from an indexer that lost its lease is rejected with `LeaseLost`. */
  readonly write: (
    chain: ChainRef,
    status: IndexerStatus,
    token: FencingToken,
  ) => Effect.Effect<void, StoreError | LeaseLost>
  /** The status that was last written; `null` if no indexer has written one. */
  readonly read: (chain: ChainRef) => Effect.Effect<ReportedStatus | null, StoreError>
  /** Disk space used by a chain; `null` if it does not exist. */
  readonly diskUse: (chain: ChainRef) => Effect.Effect<DiskUse | null, StoreError>
  /** Why this process cannot write the chain, and therefore no status; `null` if nothing prevents it. */
  readonly writeIssue: (chain: ChainRef) => Effect.Effect<string | null>
}
