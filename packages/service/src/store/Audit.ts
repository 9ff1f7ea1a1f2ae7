/**
 * Reads a chain's rows as stored, and replaces single blocks: what `daybook verify` and `daybook repair` need from an engine.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BlockRef, BlockRows, Checkpoint, TransactionRow } from "../block/BlockRows.ts"
import type { StoreError } from "./StoreError.ts"

/** A transaction as it is stored. */
export interface StoredTransaction extends TransactionRow {
  readonly decoderRevision: number
  /** Wallets that the row names, but whose history does not contain it. */
  readonly missingAppearances: ReadonlyArray<string>
}

/** A block as it is stored. */
export interface StoredBlock extends BlockRef {
  readonly parentHash: string
  readonly timestamp: number
  /** Number of transactions that were stored with it. */
  readonly count: number
  readonly transactions: ReadonlyArray<StoredTransaction>
  /** Its row does not match its checksum. */
  readonly isDamaged: boolean
  /** Text of its facts; `null` where it has none, or where they are damaged. */
  readonly facts: string | null
  /** The row of its facts does not match its checksum. */
  readonly hasDamagedFacts: boolean
  /** Where the roles and movements of wallets are not those of its transactions and facts; none where they are not derived yet. */
  readonly ledgerIssues: ReadonlyArray<string>
  /** Indexes of transactions whose rows do not match their checksums; these are not in `transactions`. */
  readonly damagedTransactions: ReadonlyArray<number>
}

/** An entry of a wallet's history, or a row of its ledger. */
export interface Appearance {
  /** Where the engine keeps it. */
  readonly table: string
  /** Key of the wallet, as the engine stores it: hex text. */
  readonly key: string
  readonly block: number
  readonly index: number
  /** Number of the range of blocks with which its key begins, where the engine keeps such ranges. */
  readonly range?: number
  /** Assets that move by a row of a ledger: addresses of tokens, or the native currency; left out for other entries. */
  readonly assets?: ReadonlyArray<string>
}

/** A row that is removed without a loss: damaged where it is made again when it is missing, or of a block outside of the index. */
export interface RemovableRow {
  /** Where the engine keeps it. */
  readonly table: string
  /** Its key, as the engine writes it. */
  readonly key: ReadonlyArray<string>
  /** Block that it names; `null` where that cannot be read. */
  readonly block: number | null
  /** What it is, for an operator. */
  readonly what: string
}

/** A range of stored blocks, all of one committed state. */
export interface StoredRange {
  readonly checkpoint: Checkpoint | null
  /** Lowest first. */
  readonly blocks: ReadonlyArray<StoredBlock>
}

/** The audit of one chain. */
export interface Audit {
  /** Issues that the engine finds in its own files; empty when none. */
  readonly engineIssues: Effect.Effect<ReadonlyArray<string>, StoreError>
  /** Stored blocks from `from` to `to`, inclusive. */
  readonly range: (from: number, to: number) => Effect.Effect<StoredRange, StoreError>
  /**
   * Appearances without a document, and rows of ledgers that their block does not name, in an order of the engine's own. They are those
   * among the next `limit` appearances after one, and the last that was examined, `null` at the end.
   */
  readonly orphanedAppearances: (
    after: Appearance | null,
    limit: number,
  ) => Effect.Effect<{ readonly orphaned: ReadonlyArray<Appearance>; readonly last: Appearance | null }, StoreError>
  /** Removable rows among the next `limit` ones of each table, and the last one that was examined, `null` at the end. */
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

/** Repairs single rows. Needs no lease: each repair changes only what it was made for. */
export interface Repairer {
  /** Removes appearances without a document; others are left unchanged. */
  readonly removeOrphaned: (appearances: ReadonlyArray<Appearance>) => Effect.Effect<void, StoreError>
  /** Removes rows that are still removable; what they were made of is read again. */
  readonly removeRows: (rows: ReadonlyArray<RemovableRow>) => Effect.Effect<void, StoreError>
  /**
   * Replaces the rows of a block. False when the stored block has another hash, or, where none is stored, when the rows do not link
   * to its neighbours: nothing was changed then.
   */
  readonly replace: (rows: BlockRows) => Effect.Effect<boolean, StoreError>
}
