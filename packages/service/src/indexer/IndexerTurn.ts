/**
 * The inputs and the actions of an indexer's state machine: what has happened, and what to do next.
 */
import type { TraceSource } from "../block/Traces.ts"
import type { Header } from "../node/NodeEndpoint.ts"
import type { NodeError } from "../node/NodeError.ts"
import type { BlockRef, Checkpoint } from "../block/BlockRows.ts"
import type { CheckpointConflict, LeaseLost, StoreError } from "../store/StoreError.ts"
import type * as HashRules from "../verification/HashRules.ts"
import type { InvalidBlock } from "../verification/InvalidBlock.ts"
import type { BlockNotFound } from "../fetch/BlockNotFound.ts"
import type { FinalBlocksDiffer } from "./FinalBlocksDiffer.ts"
import type { TracerLost } from "./TracerLost.ts"

/**
 * Why a turn failed.
 */
export type TurnError =
  | NodeError
  | InvalidBlock
  | BlockNotFound
  | FinalBlocksDiffer
  | TracerLost
  | StoreError
  | CheckpointConflict
  | LeaseLost

/** Polls the head of the node, and detects the hash rules where they are `null`, with the block that they refused. */
export interface PollHead {
  readonly _tag: "PollHead"
  readonly rules: HashRules.HashRules | null
  readonly doubtful: number | null
}

/**
 * What has happened.
 */
export type Input =
  | { readonly _tag: "Begun" }
  | { readonly _tag: "LeaseAcquired" }
  | { readonly _tag: "LeaseDenied" }
  | {
      readonly _tag: "HeadSeen"
      readonly remote: Header
      readonly checkpoint: Checkpoint | null
      /** Hash of the stored block of the head's number; `null` where there is none. */
      readonly localHash: string | null
      readonly traces: TraceSource
      /** What the nodes do not offer; `null` or left out for nothing. */
      readonly lacking?: string | null
      readonly rules: HashRules.HashRules
      /** The configured start; `null` or left out while the index is empty. */
      readonly startBlock?: number | null
    }
  /** `number` is `null` while the chain has no block at or after the date. */
  | { readonly _tag: "StartBlockFound"; readonly remote: Header; readonly number: number | null }
  /** Blocks were appended; `head` is the last one where it was the head of the node. */
  | { readonly _tag: "Extended"; readonly head?: number | undefined }
  /** The block `found` does not extend the index, whose checkpoint is given. */
  | {
      readonly _tag: "ChainBroken"
      readonly checkpoint: Checkpoint | null
      readonly nodeHead: number
      readonly found: BlockRef
    }
  | { readonly _tag: "ChainChecked" }
  /** A block as the index and the node have it; `null` where one has none of that number. */
  | {
      readonly _tag: "BlockCompared"
      readonly number: number
      readonly local: BlockRef | null
      readonly remote: BlockRef | null
    }
  | { readonly _tag: "Unwound"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** `finalized` is `null` where the node has no `finalized` tag. */
  | { readonly _tag: "FinalityRead"; readonly finalized: BlockRef | null }
  | { readonly _tag: "BlockFinalized" }
  | { readonly _tag: "ProjectionsFilled"; readonly isDone: boolean }
  | { readonly _tag: "Waited" }
  /** Blocks below the first one could not be fetched, so many times in a row. */
  | { readonly _tag: "PrependFailed"; readonly error: TurnError; readonly failures: number }
  /** `millis` is the time that the action took, since the last block that it appended. */
  | { readonly _tag: "Failed"; readonly error: TurnError; readonly millis: number }

/** Appends the blocks from `from` to `to`, above the stored block `tip`; fewer where they take longer than a turn. */
export interface Extend {
  readonly _tag: "Extend"
  readonly tip: BlockRef | null
  readonly from: number
  readonly to: number
  /** First indexed block once these are appended. */
  readonly first: number
  readonly nodeHead: number
  readonly rules: HashRules.HashRules
  /** Turns that have failed on the first of the blocks by what nodes responded; left out when none. */
  readonly failures?: number
  /** The turn before failed: the node gets as few calls as possible. */
  readonly isRetry: boolean
}

/** Blocks below the first one of the index that are to be indexed, from the top down. */
export interface Below {
  readonly lowest: number
  readonly rules: HashRules.HashRules
}

/** Waits, and keeps the lease meanwhile. */
export interface Wait {
  readonly _tag: "Wait"
  readonly millis: number
  /** The lease is offered to an indexer that waits for it. Default false. */
  readonly isLeaseOffered?: boolean | undefined
  /** Blocks that are indexed meanwhile; left out for none. */
  readonly below?: Below
}

/**
 * What to do next. Each gives one input: what became of it, or `Failed`.
 */
export type Action =
  | { readonly _tag: "AcquireLease" }
  /** `rules` are detected when they are `null`. */
  | PollHead
  | { readonly _tag: "FindStartBlock"; readonly remote: Header; readonly timestamp: number }
  | Extend
  /** Asks the node for its chain id again. */
  | { readonly _tag: "CheckChain" }
  /** `remote` is the node's block where it is known. */
  | { readonly _tag: "CompareBlock"; readonly number: number; readonly remote?: BlockRef }
  | { readonly _tag: "Unwind"; readonly head: BlockRef; readonly to: BlockRef | null }
  | { readonly _tag: "ReadFinality" }
  | { readonly _tag: "FinalizeBlock"; readonly number: number }
  /** Fills new and revised projections from stored blocks, for so long at most. */
  | { readonly _tag: "FillProjections"; readonly millis: number }
  | Wait
  /** Ends the indexer: the database will not work again by itself. */
  | { readonly _tag: "Stop"; readonly error: StoreError }
