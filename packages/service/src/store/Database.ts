/**
 * A database as the service sees it: what every engine implements. The indexer, the server and the commands know no more than this.
 *
 * Each chain has a namespace of its own (a file, a schema): readers and writers of one chain never see rows of another.
 * Source: decision 0027.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Projection } from "../projection/Projection.ts"
import type { ApiKeys } from "./ApiKeys.ts"
import type { Audit } from "./Audit.ts"
import type { ChainReader } from "./ChainReader.ts"
import type { ChainRef } from "./ChainRef.ts"
import type { ChainWriter } from "./ChainWriter.ts"
import type { Space } from "./Space.ts"
import type { Leases } from "./Leases.ts"
import type { StatusBoard } from "./StatusBoard.ts"
import type { StoreError } from "./StoreError.ts"

/** How an engine stores. */
export interface EngineOptions {
  /** How documents are stored: compressed, or as plain text. Rows of either form stay readable. Default `zstd`. */
  readonly documents?: "plain" | "zstd"
}

/** How to open a chain for writing. */
export interface WriterOptions {
  /** Wallets to index, lower case; `null` for all. Left out, the index keeps what it has. */
  readonly watch?: ReadonlySet<string> | null
  /** Projections that are kept at the head. Default: the transactions of wallets. */
  readonly projections?: ReadonlyArray<Projection>
}

/** The store of one chain. */
export interface ChainStore {
  /** Reads; the chain need not exist before the first read. */
  readonly reader: ChainReader
  /**
   * Opens the chain for writing until the scope ends; makes or migrates it first.
   *
   * **Errors**
   * - `StoreError`: the namespace cannot be opened, is locked, damaged, newer than this program, holds another chain, or lacks a
   *   wallet of `watch`.
   */
  readonly writer: (options?: WriterOptions) => Effect.Effect<ChainWriter, StoreError, Scope.Scope>
  readonly audit: Audit
  readonly space: Space
}

/** A part of a backup. */
export interface Copy {
  readonly file: string
  readonly bytes: number
}

/** A database with the stores of all its chains. */
export interface Database {
  readonly chain: (ref: ChainRef) => ChainStore
  readonly apiKeys: ApiKeys
  readonly leases: Leases
  readonly status: StatusBoard
  /**
   * Migrates the stores of these chains that an earlier version made, where that takes no time, so that no reader finds an older one.
   * Only for a process that writes them; one that cannot be migrated is left to its writer.
   */
  readonly migrate: (chains: ReadonlyArray<ChainRef>) => Effect.Effect<void>
  /**
   * Copies these chains and the keys, while they are in use, to a folder that a configuration can name in place of this database.
   * A chain without a store is skipped.
   *
   * **Errors**
   * - `StoreError`: the folder holds a copy already, the disk is full, or a store is damaged.
   */
  readonly backup: (chains: ReadonlyArray<ChainRef>, folder: string) => Effect.Effect<ReadonlyArray<Copy>, StoreError>
}
