/**
 * Reports of an indexer to its status tracker: what happened, without the time, which the tracker adds.
 */
import type { TraceSource } from "../block/Traces.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { Settings } from "../store/AppliedSettings.ts"
import type { PastProgress } from "../store/StatusBoard.ts"

/** Severity of a log line. */
export type Level = "Debug" | "Info" | "Warn"

/** Annotations of a log line; an undefined one is omitted. */
export type Annotations = Readonly<Record<string, string | number | undefined>>

/**
 * What an indexer reports.
 */
export type IndexerReport =
  /** The indexer runs and has the lease; the node has not responded yet. */
  | { readonly _tag: "Started" }
  /** The node responded. `unchecked` lists the checks that the chain's hash rules exclude, `lacking` what the nodes do not offer. */
  | {
      readonly _tag: "Connected"
      readonly traces: TraceSource
      readonly unchecked: string | null
      readonly lacking?: string | null
      readonly settings: Settings
      /** Last indexed block; `null` while the index is empty. */
      readonly head: number | null
    }
  /** The index starts before the configured start, with a sentence for the operator. */
  | { readonly _tag: "StartedBefore"; readonly note: string }
  /** Blocks below the first one, down to another, are to be indexed. */
  | { readonly _tag: "StartsBelow"; readonly first: number; readonly to: number }
  /** Fetching of blocks below the first one has started. */
  | { readonly _tag: "Prepending"; readonly first: number; readonly to: number }
  /** Blocks were stored below the first one, which is now `first`; blocks down to `to` remain. */
  | {
      readonly _tag: "Prepended"
      readonly first: number
      readonly to: number
      readonly blocks: number
      readonly transactions: number
    }
  /** Blocks below the first one cannot be indexed at present. */
  | { readonly _tag: "PrependObstructed"; readonly message: string }
  /** Progress of the search of added wallets' past; `null` when it is complete. */
  | { readonly _tag: "PastSearched"; readonly past: PastProgress | null }
  /** The head of the node was polled; `isExtending` while blocks are fetched. */
  | { readonly _tag: "HeadSeen"; readonly nodeHead: number; readonly isExtending?: boolean }
  /** Blocks were stored. `first` and `head` are the first and last indexed blocks. */
  | {
      readonly _tag: "Indexed"
      readonly first: number
      readonly head: number
      readonly blocks: number
      readonly transactions: number
    }
  /** The index is at the head of the node, or above it if the node lags. */
  | { readonly _tag: "Synced"; readonly head: number }
  | { readonly _tag: "Reorged"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** The indexer cannot continue at present. Logged once per `subject`, by default the message; a warning is repeated each minute. */
  | {
      readonly _tag: "Waiting"
      readonly message: string
      readonly level?: Level
      readonly subject?: string | undefined
    }
  | { readonly _tag: "Misconfigured"; readonly message: string }
  | { readonly _tag: "Stopped" }
  /** A line for the log only. */
  | { readonly _tag: "Note"; readonly level: Level; readonly message: string; readonly annotations?: Annotations }
