/**
 * Status board: what the indexer of each chain reports to other processes. The age of a status is computed with the database's clock, so
 * that readers on other machines need no synchronised clock.
 */
import type * as Effect from "effect/Effect"
import type { TraceSource } from "../block/Traces.ts"
import type { ChainRef } from "./ChainRef.ts"
import type { FencingToken } from "./Leases.ts"
import type { LeaseLost, StoreError } from "./StoreError.ts"

/** Blocks that an index which follows its node may be behind it: `synced` and `/ready` permit them, and ranges without an end lack them. */
export const maxLagBlocks = 16

/** A setting that stored blocks depend on, from a block to the next entry of the same name. */
export interface AppliedSetting {
  /** `rows`, of an index of some wallets: whose transactions its blocks have. */
  readonly name: "traces" | "allFrames" | "checks" | "rows"
  readonly value: string
  /** First block that was indexed with the value; left out for the first entry of a name. */
  readonly from?: number
}

/** The settings that blocks were indexed with, those of a name in the order of the blocks; the last of a name is in force. */
export type AppliedSettings = ReadonlyArray<AppliedSetting>

/** A search of the past of wallets that were added to an index of some. */
export interface PastProgress {
  readonly wallets: ReadonlyArray<string>
  /** Last block up to which their past is searched; below the first block of the index where nothing is. */
  readonly searchedTo: number
  /** Last block that is to be searched. */
  readonly end: number
  /** Calls that this search has made. */
  readonly calls: number
  /** Calls that are left at least. */
  readonly callsLeft: number
  /** Time that these take by the pace so far, in milliseconds; left out while it is unknown. */
  readonly etaMillis?: number | undefined
  /** Why the search does not go on at present, for the operator; left out where nothing is in the way. */
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
  /** Head of the node as it was last seen; `null` while it is unknown: no node has answered, or not recently. */
  readonly nodeHead: number | null
  /** Time between the poll that saw that head and this status, in milliseconds; left out while the head is unknown. */
  readonly headAgeMillis?: number
  /** Interval between two polls of the head, in milliseconds; left out while the head is unknown. */
  readonly pollMillis?: number
  /** A sentence for the operator; never a key or a URL. */
  readonly message: string
  /** Blocks stored per second (moving average); left out while none were. */
  readonly blocksPerSecond?: number | undefined
  /** Blocks per second by which the head of the node has moved recently; left out while it has not. */
  readonly headBlocksPerSecond?: number | undefined
  /** Checks that the chain's hash rules skip, for the operator; left out when none. */
  readonly unchecked?: string | undefined
  /** Settings that blocks were indexed with; left out where they were not recorded. */
  readonly settings?: AppliedSettings | undefined
  /** A sentence for the operator where the index begins before the configured start; left out where it does not. */
  readonly startNote?: string | undefined
  /** What the nodes do not offer, for the operator; left out for nothing. */
  readonly lacking?: string | undefined
  /** Blocks below the first one that are to be indexed; left out for none. */
  readonly prepend?:
    | {
        /** Lowest block. */
        readonly to: number
        /** Blocks stored per second (moving average); left out while none were. */
        readonly blocksPerSecond?: number | undefined
        /** Why none can be indexed at present, for the operator; left out where nothing is in the way. */
        readonly issue?: string | undefined
      }
    | undefined
  /** The search of the past of added wallets; left out for none. */
  readonly past?: PastProgress | undefined
  /** What the indexer has done since it was started. */
  readonly counts?: IndexerCounts
}

/** What an indexer has done since it was started. */
export interface IndexerCounts {
  /** Blocks that were stored, those of removed forks among them. */
  readonly blocks: number
  readonly transactions: number
  /** Reorgs whose blocks were removed. */
  readonly reorgs: number
  /** Times that something kept it from going on: a node that failed, or what an operator has to correct. */
  readonly obstacles: number
}

/** A status as readers receive it. */
export interface ReportedStatus extends IndexerStatus {
  /** Time since it was written, by the database's clock; `null` when that clock was set back since, so that the age is unknown. */
  readonly ageMillis: number | null
}

/** Three times the interval of an indexer's heartbeat. */
const unresponsiveMillis = 15_000

/** The indexer no longer reports, though it was not stopped. */
export const isUnresponsive = ({ ageMillis, state }: Pick<ReportedStatus, "ageMillis" | "state">): boolean =>
  state !== "stopped" && (ageMillis === null || ageMillis > unresponsiveMillis)

/** Bytes that a chain takes on disk. */
export interface DiskUse {
  /** Of its rows and indexes, with free space among them. */
  readonly data: number
  /** Of its write-ahead log; `null` where chains share one. */
  readonly log: number | null
}

/** The statuses of a database, one for each chain. */
export interface StatusBoard {
  /** Replaces the status of a chain. A status of an indexer that lost its lease is refused with `LeaseLost`. */
  readonly write: (
    chain: ChainRef,
    status: IndexerStatus,
    token: FencingToken,
  ) => Effect.Effect<void, StoreError | LeaseLost>
  /** The status that was written last; `null` when no indexer has written one. */
  readonly read: (chain: ChainRef) => Effect.Effect<ReportedStatus | null, StoreError>
  /** What a chain takes on disk; `null` while it does not exist. */
  readonly diskUse: (chain: ChainRef) => Effect.Effect<DiskUse | null, StoreError>
  /** Why this process cannot write the chain, and so no status of it; `null` where nothing prevents it. */
  readonly writeIssue: (chain: ChainRef) => Effect.Effect<string | null>
}
