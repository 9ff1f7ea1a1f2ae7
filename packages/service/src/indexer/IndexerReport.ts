/**
 * Reports of an indexer to its status tracker: what has happened, without the time, which the tracker adds.
 */
import type { TraceSource } from "../block/Traces.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { Settings } from "../store/AppliedSettings.ts"
import type { PastProgress } from "../store/StatusBoard.ts"

/** Severity of a log line. */
export type Level = "Debug" | "Info" | "Warn"

/** Values of a log line, beside its message; an undefined one is not written. */
export type Annotations = Readonly<Record<string, string | number | undefined>>

/**
 * What an indexer reports.
 */
export type IndexerReport =
  /** The indexer runs and has the lease; the node has not answered yet. */
  | { readonly _tag: "Started" }
  /** The node answered. `unchecked` names the checks that the chain's hash rules leave out, `lacking` what the nodes do not offer. */
  | {
      readonly _tag: "Connected"
      readonly traces: TraceSource
      readonly unchecked: string | null
      readonly lacking?: string | null
      readonly settings: Settings
      /** Last indexed block; `null` while the index is empty. */
      readonly head: number | null
    }
  /** The index begins before the configured start, with a sentence for the operator. */
  | { readonly _tag: "StartedBefore"; readonly note: string }
  /** Blocks below the first one, down to another, are to be indexed. */
  | { readonly _tag: "StartsBelow"; readonly first: number; readonly to: number }
  /** The blocks below the first one are fetched from now on. */
  | { readonly _tag: "Prepending"; readonly first: number; readonly to: number }
  /** Blocks were stored below the first one, which is now `first`; those down to `to` are left. */
  | {
      readonly _tag: "Prepended"
      readonly first: number
      readonly to: number
      readonly blocks: number
      readonly transactions: number
    }
  /** Blocks below the first one cannot be indexed at present. */
  | { readonly _tag: "PrependObstructed"; readonly message: string }
  /** How far the past of added wallets is searched; `null` once nothing is left. */
  | { readonly _tag: "PastSearched"; readonly past: PastProgress | null }
  /** The head of the node was polled; `isExtending` while blocks are fetched. */
  | { readonly _tag: "HeadSeen"; readonly nodeHead: number; readonly isExtending?: boolean }
  /** Blocks were stored. `first` is the first indexed block, `head` the last one. */
  | {
      readonly _tag: "Indexed"
      readonly first: number
      readonly head: number
      readonly blocks: number
      readonly transactions: number
    }
  /** The index is at the head of the node, or above it where the node lags. */
  | { readonly _tag: "Synced"; readonly head: number }
  | { readonly _tag: "Reorged"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** The indexer cannot go on at present. Logged once per `subject`, by default the message; a warning again each minute. */
  | {
      readonly _tag: "Waiting"
      readonly message: string
      readonly level?: Level
      readonly subject?: string | undefined
    }
  | { readonly _tag: "Misconfigured"; readonly message: string }
  | { readonly _tag: "Stopped" }
  /** A line for the log alone. */
  | { readonly _tag: "Note"; readonly level: Level; readonly message: string; readonly annotations?: Annotations }
