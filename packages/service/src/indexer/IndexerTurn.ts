/**
 * Inputs and actions of an indexer's state machine: what happened, and what to do next.
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

/** Polls the head of the node. If `rules` are `null`, also detects them, with the block that they rejected. */
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
      /** Hash of the stored block at the head's number; `null` if there is none. */
      readonly localHash: string | null
      readonly traces: TraceSource
      /** What the nodes do not offer; `null` or absent for nothing. */
      readonly lacking?: string | null
      readonly rules: HashRules.HashRules
      /** The configured start; `null` or absent while the index is empty. */
      readonly startBlock?: number | null
    }
  /** `number` is `null` if the chain has no block at or after the date yet. */
  | { readonly _tag: "StartBlockFound"; readonly remote: Header; readonly number: number | null }
  /** Blocks were appended; `head` is the last one if it was the head of the node. */
  | { readonly _tag: "Extended"; readonly head?: number | undefined }
  /** The block `found` does not extend the index with this checkpoint. */
  | {
      readonly _tag: "ChainBroken"
      readonly checkpoint: Checkpoint | null
      readonly nodeHead: number
      readonly found: BlockRef
    }
  | { readonly _tag: "ChainChecked" }
  /** A block as stored and as the node has it; `null` if one side has no block with that number. */
  | {
      readonly _tag: "BlockCompared"
      readonly number: number
      readonly local: BlockRef | null
      readonly remote: BlockRef | null
    }
  | { readonly _tag: "Unwound"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** `finalized` is `null` if the node has no `finalized` tag. */
  | { readonly _tag: "FinalityRead"; readonly finalized: BlockRef | null }
  | { readonly _tag: "BlockFinalized" }
  | { readonly _tag: "ProjectionsFilled"; readonly isDone: boolean }
  | { readonly _tag: "Waited" }
  /** Blocks below the first one could not be fetched, this many times in a row. */
  | { readonly _tag: "PrependFailed"; readonly error: TurnError; readonly failures: number }
  /** `millis` is the duration of the action since the last block that it appended. */
  | { readonly _tag: "Failed"; readonly error: TurnError; readonly millis: number }

/** Appends the blocks from `from` to `to` above the stored block `tip`, or fewer if they take longer than a turn. */
export interface Extend {
  readonly _tag: "Extend"
  readonly tip: BlockRef | null
  readonly from: number
  readonly to: number
  /** First indexed block after this append. */
  readonly first: number
  readonly nodeHead: number
  readonly rules: HashRules.HashRules
  /** Number of turns that failed on the first block because of node responses; absent for none. */
  readonly failures?: number
  /** Whether the previous turn failed, so that the node gets as few calls as possible. */
  readonly isRetry: boolean
}

/** Blocks below the first one of the index that are yet to be indexed, from the top down. */
export interface Below {
  readonly lowest: number
  readonly rules: HashRules.HashRules
}

/** Waits while keeping the lease. */
export interface Wait {
  readonly _tag: "Wait"
  readonly millis: number
  /** Whether the lease is offered to a waiting indexer. Default false. */
  readonly isLeaseOffered?: boolean | undefined
  /** Blocks to index meanwhile; absent for none. */
  readonly below?: Below
}

/**
 * The next action. Each yields one input: its outcome, or `Failed`.
 */
export type Action =
  | { readonly _tag: "AcquireLease" }
  /** If `rules` are `null`, they are detected. */
  | PollHead
  | { readonly _tag: "FindStartBlock"; readonly remote: Header; readonly timestamp: number }
  | Extend
  /** Reads the chain id of the node again. */
  | { readonly _tag: "CheckChain" }
  /** `remote` is the node's block, if known. */
  | { readonly _tag: "CompareBlock"; readonly number: number; readonly remote?: BlockRef }
  | { readonly _tag: "Unwind"; readonly head: BlockRef; readonly to: BlockRef | null }
  | { readonly _tag: "ReadFinality" }
  | { readonly _tag: "FinalizeBlock"; readonly number: number }
  /** Fills new and revised projections from stored blocks, for a limited time. */
  | { readonly _tag: "FillProjections"; readonly millis: number }
  | Wait
  /** Ends the indexer, because the database failed permanently. */
  | { readonly _tag: "Stop"; readonly error: StoreError }
