/**
 * A database as seen by the service: what every engine implements. The indexer, the server and the commands depend on nothing else.
 *
 * Each chain has its own namespace (a file, a schema), so readers and writers of one chain never see rows of another. Source: decision
 * 0027.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Projection } from "../block/Projection.ts"
import type { ApiKeys } from "./ApiKeys.ts"
import type { Audit } from "./Audit.ts"
import type { ChainReader } from "./ChainReader.ts"
import type { ChainRef } from "./ChainRef.ts"
import type { ChainWriter } from "./ChainWriter.ts"
import type { ProofWriter } from "./Proofs.ts"
import type { Space } from "./Space.ts"
import type { Contracts } from "./Contracts.ts"
import type { Leases } from "./Leases.ts"
import type { StatusBoard } from "./StatusBoard.ts"
import type { StoreError } from "./StoreError.ts"
import type { WatchChange, WatchChanged } from "./WatchList.ts"
import type { Webhooks } from "./Webhooks.ts"

/** Storage options of an engine. */
export interface EngineOptions {
  /** True to reject a folder that does not exist instead of creating it. Default: false. */
  readonly mustExist?: boolean
  /** How documents are stored: compressed, or as plain text. Rows of either form remain readable. Default: `zstd`. */
  readonly documents?: "plain" | "zstd"
  /** Number of history entries and ledger rows after which a range of blocks ends, if the engine uses such ranges. Default: 65,536. */
  readonly rangeEntries?: number
  /** Called with the name of each operation, such as `page` or `append`, and its duration. */
  readonly onOperation?: (operation: string, seconds: number) => void
}

/** How to open a chain for writing. */
export interface WriterOptions {
  /** Wallets to index in addition to those that were added, in lower case; `null` for all. Default: the index keeps its wallets. */
  readonly watch?: ReadonlySet<string> | null
  /** Projections that are kept at the head. Default: the transactions of wallets. */
  readonly projections?: ReadonlyArray<Projection>
}

/** Store of one chain. */
export interface ChainStore {
  /** Reads the chain, which need not exist before the first read. */
  readonly reader: ChainReader
  /**
   * Opens the chain for writing until the scope ends; creates or migrates it first.
   *
   * **Errors**
   * - `StoreError`: the namespace cannot be opened, is locked, damaged, or newer than this program, holds another chain, or lacks a wallet
   *   of `watch`.
   */
  readonly writer: (options?: WriterOptions) => Effect.Effect<ChainWriter, StoreError, Scope.Scope>
  readonly audit: Audit
  /**
   * Adds wallets to an index of some wallets, or removes added ones, while an indexer runs. The index has the transactions of an added
   * wallet from the block after its head; that block advances while blocks made without the wallet are stored.
   *
   * **Errors**
   * - `StoreError`: the chain cannot be opened for writing.
   */
  readonly changeWatch: (change: WatchChange) => Effect.Effect<WatchChanged, StoreError>
  /** Opens the chain for writing openings and proofs until the scope ends. */
  readonly proofs: Effect.Effect<ProofWriter, StoreError, Scope.Scope>
  readonly space: Space
}

/** Progress of copying a chain. */
export interface CopyProgress {
  /** Name of the chain. */
  readonly chain: string
  /** Last block of the copy; `null` if it has none yet. */
  readonly block: number | null
  /** Block at which the copy is complete. */
  readonly goal: number
  /** Bytes of the copy and of the original. */
  readonly bytes: number
  readonly totalBytes: number
}

/** How to copy. */
export interface CopyOptions {
  /** True to pause after each step for as long as it took, so that indexer and server have the disk half of the time. Default: no pauses. */
  readonly isPaced?: boolean
  readonly onProgress?: (progress: CopyProgress) => Effect.Effect<void>
}

/** Copy of a chain or of the keys. */
export interface Copy {
  readonly file: string
  /** Bytes of the copy. */
  readonly bytes: number
  /** Number of copied blocks, and bytes of their rows; 0 for the keys. */
  readonly blocks: number
  readonly copiedBytes: number
  /** Last block of the copy; `null` for an empty index and for the keys. */
  readonly head: number | null
}

/** A database with the stores of all its chains. */
export interface Database {
  readonly chain: (ref: ChainRef) => ChainStore
  readonly apiKeys: ApiKeys
  readonly contracts: Contracts
  readonly webhooks: Webhooks
  readonly leases: Leases
  readonly status: StatusBoard
  /**
   * Migrates stores of these chains that an earlier version made, if the migration is instant, so that no reader finds an older one. Only
   * for a process that writes them; a store that cannot be migrated is left to its writer.
   */
  readonly migrate: (chains: ReadonlyArray<ChainRef>) => Effect.Effect<void>
  /**
   * Copies these chains and the keys, while they are in use, to a folder that a configuration can name instead of this database. An earlier
   * copy in the folder receives what has changed since; an interrupted copy is continued. A chain without a store is skipped.
   *
   * **Errors**
   * - `StoreError`: the folder has a database that is not a copy of this one, or that an indexer wrote; the disk is full, or a store is
   *   damaged.
   */
  readonly backup: (
    chains: ReadonlyArray<ChainRef>,
    folder: string,
    options?: CopyOptions,
  ) => Effect.Effect<ReadonlyArray<Copy>, StoreError>
  /**
   * Copies these chains from a folder into this database, which has none of them, or an unfinished copy. Keys are not copied, because
   * the creator of the folder may know them. A chain that is missing from the folder is skipped.
   *
   * **Errors**
   * - `StoreError`: this database has a chain already, a copy is unfinished, or a row does not match its checksum.
   */
  readonly restore: (
    chains: ReadonlyArray<ChainRef>,
    folder: string,
    options?: CopyOptions,
  ) => Effect.Effect<ReadonlyArray<Copy>, StoreError>
}
