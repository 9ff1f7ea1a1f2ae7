/**
 * Looking at a chain's rows as they lie, and putting one block right: what `daybook verify` needs of an engine. Whoever serves or
 * indexes wants `Store`.
 */
import type * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint, StoreError, TransactionRow } from "./Store.ts"
import type { BlockRows } from "./Store.ts"

/** A transaction as it lies in the store. */
export interface StoredTransaction extends TransactionRow {
  readonly decoderRevision: number
  /** Wallets that the row names, but under which it is not found. */
  readonly lostAddresses: ReadonlyArray<string>
}

/** A block as it lies in the store. */
export interface StoredBlock extends BlockRef {
  readonly parentHash: string
  readonly timestamp: number
  /** How many transactions were stored with it; `null` where a version that did not count wrote it. */
  readonly count: number | null
  readonly transactions: ReadonlyArray<StoredTransaction>
}

/** A transaction that a wallet's history names. */
export interface Appearance {
  readonly address: string
  readonly block: number
  readonly index: number
}

/** A part of the store, all of one state. */
export interface Part {
  readonly checkpoint: Checkpoint | null
  /** Lowest first. */
  readonly blocks: ReadonlyArray<StoredBlock>
}

/** The store of one chain, looked at closely. */
export interface Audit {
  /** What the engine finds wrong with its own files; empty when nothing. */
  readonly engine: Effect.Effect<ReadonlyArray<string>, StoreError>
  /** Stored blocks from `from` to `to`, inclusive. */
  readonly part: (from: number, to: number) => Effect.Effect<Part, StoreError>
  /**
   * Appearances that no document names, in an order of the engine's own: those among the next `limit` appearances after one,
   * and the last that was looked at, `null` at the end.
   */
  readonly strays: (
    after: Appearance | null,
    limit: number,
  ) => Effect.Effect<{ readonly strays: ReadonlyArray<Appearance>; readonly last: Appearance | null }, StoreError>
  /** Removes appearances that no document names; others are left alone. */
  readonly dropStrays: (strays: ReadonlyArray<Appearance>) => Effect.Effect<void, StoreError>
  /**
   * Puts the rows of a block in place of what lies there. False when the stored block has another hash, or, where none is stored,
   * when it does not fit between its neighbours: nothing was changed then.
   */
  readonly replace: (rows: BlockRows) => Effect.Effect<boolean, StoreError>
}
