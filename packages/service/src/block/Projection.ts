/**
 * Projections: rows derived from stored blocks. A projection at the head is applied in the transaction that appends a block, and unwound
 * with the block. A new or revised projection is filled from stored blocks in the background, without calling a node.
 *
 * `Projections` lists the projections of an index. Pure.
 */
import type { BlockRows } from "./BlockRows.ts"

/** A derived row. */
export interface ProjectionRow {
  /** Index of the transaction to which it belongs. */
  readonly index: number
  /** JSON text of the row; `null` for an appearance, whose text is the document of its transaction. */
  readonly body: string | null
  /** Keys by which the row is found, without duplicates, as lower-case hex text; none for a document. */
  readonly keys: ReadonlyArray<string>
}

/** Properties common to all projections. */
interface Derivation {
  /** Names the projection in the database. */
  readonly id: string
  /** Changing it derives all rows again. */
  readonly revision: number
}

/** Roles and movements of wallets derived from a block. */
export interface LedgerProjection extends Derivation {
  readonly kind: "ledger"
  /** The ledger of a block, packed by `LedgerCodec`. */
  readonly ledger: (block: BlockRows) => Uint8Array
}

/** Texts and appearances derived from a block. */
export interface RowProjection extends Derivation {
  /**
   * How the rows are stored: `entries` with their own key and body, `appearances` of a key in a transaction, or `documents` that replace
   * those of their transactions.
   */
  readonly kind: "entries" | "appearances" | "documents"
  /** Derives the rows of a block, in order. Only for `entries` does the block include its facts. */
  readonly rows: (block: BlockRows) => ReadonlyArray<ProjectionRow>
}

/** Rows derived from a block. */
export type Projection = RowProjection | LedgerProjection

/** Checkpoint of a projection. */
export interface ProjectionCheckpoint {
  readonly revision: number
  /** First block whose rows are not derived with this revision yet; `null` while the index is empty. */
  readonly next: number | null
}
