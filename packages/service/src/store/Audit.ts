/**
 * Reads a chain's rows as stored, and replaces single blocks: what `daybook verify` and `daybook repair` need from an engine.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BlockRef, BlockRows, Checkpoint, TransactionRow } from "../block/BlockRows.ts"
import type { StoreError } from "./StoreError.ts"

/** A stored transaction. */
export interface StoredTransaction extends TransactionRow {
  readonly decoderRevision: number
  /** Wallets that the row names, but whose history does not contain it. */
  readonly missingAppearances: ReadonlyArray<string>
}

/** A stored block. */
export interface StoredBlock extends BlockRef {
  readonly parentHash: string
  readonly timestamp: number
  /** Number of transactions that were stored with it. */
  readonly count: number
  readonly transactions: ReadonlyArray<StoredTransaction>
  /** True if its row does not match its checksum. */
  readonly isDamaged: boolean
  /** Text of its facts; `null` if it has none, or if they are damaged. */
  readonly facts: string | null
  /** True if the row of its facts does not match its checksum. */
  readonly hasDamagedFacts: boolean
  /** Where roles and movements of wallets differ from its transactions and facts; empty if they are not derived yet. */
  readonly ledgerIssues: ReadonlyArray<string>
  /** Indexes of transactions whose rows do not match their checksums; these are not in `transactions`. */
  readonly damagedTransactions: ReadonlyArray<number>
}

/** An entry of a wallet's history, or a row of its ledger. */
export interface Appearance {
  /** Table in which the engine stores it. */
  readonly table: string
  /** Key of the wallet as stored by the engine, in hex. */
  readonly key: string
  readonly block: number
  readonly index: number
  /** Number of the block range with which its key begins, if the engine uses such ranges. */
  readonly range?: number
  /** Assets that a ledger row moves: token addresses, or the native currency; absent for other entries. */
  readonly assets?: ReadonlyArray<string>
}

/** A row that can be removed without loss: damaged and re-created when missing, or of a block outside the index. */
export interface RemovableRow {
  /** Table in which the engine stores it. */
  readonly table: string
  /** Its key as written by the engine. */
  readonly key: ReadonlyArray<string>
  /** The block that it names; `null` if that cannot be read. */
  readonly block: number | null
  /** Description for an operator. */
  readonly what: string
}

/** A range of stored blocks from one committed state. */
export interface StoredRange {
  readonly checkpoint: Checkpoint | null
  /** Lowest first. */
  readonly blocks: ReadonlyArray<StoredBlock>
}

/** Audit of one chain. */
export interface Audit {
  /** Issues that the engine finds in its own files; empty if there are none. */
  readonly engineIssues: Effect.Effect<ReadonlyArray<string>, StoreError>
  /** Stored blocks from `from` to `to`, inclusive. */
  readonly range: (from: number, to: number) => Effect.Effect<StoredRange, StoreError>
  /**
   * Appearances without a document, and ledger rows that their block does not name, in an engine-specific order. They are taken from the
   * next `limit` appearances after a given one. Also returns the last one examined; `null` at the end.
   */
  readonly orphanedAppearances: (
    after: Appearance | null,
    limit: number,
  ) => Effect.Effect<{ readonly orphaned: ReadonlyArray<Appearance>; readonly last: Appearance | null }, StoreError>
  /** Removable rows among the next `limit` rows of each table, and the last one examined; `null` at the end. */
  readonly removableRows: (
    after: Pick<RemovableRow, "table" | "key"> | null,
    limit: number,
  ) => Effect.Effect<
    {
      readonly found: ReadonlyArray<RemovableRow>
      readonly last: Pick<RemovableRow, "table" | "key"> | null
    },
    StoreError
  >
  /** Opens the chain for repairs until the scope ends. */
  readonly repairer: Effect.Effect<Repairer, StoreError, Scope.Scope>
}

/** Repairs single rows. Needs no lease: each repair only changes the rows for which it was made. */
export interface Repairer {
  /** Removes appearances without a document and leaves others unchanged. */
  readonly removeOrphaned: (appearances: ReadonlyArray<Appearance>) => Effect.Effect<void, StoreError>
  /** Removes rows that are still removable; their contents are read again from their source. */
  readonly removeRows: (rows: ReadonlyArray<RemovableRow>) => Effect.Effect<void, StoreError>
  /**
   * Replaces the rows of a block. Returns false, and changes nothing, if the stored block has another hash, or if none is stored and the
   * rows do not link to its neighbours.
   */
  readonly replace: (rows: BlockRows) => Effect.Effect<boolean, StoreError>
}
