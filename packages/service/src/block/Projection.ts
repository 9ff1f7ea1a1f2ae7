/**
 * Projections: rows derived from stored blocks. A projection at the head is applied in the transaction that appends a block and
 * unwound with it; a new or revised one is filled from stored blocks in the background, without asking a node.
 *
 * `Projections` lists those of an index. Pure.
 */
import type { BlockRows } from "./BlockRows.ts"

/** A derived row. */
export interface ProjectionRow {
  /** Index of the transaction that it belongs to. */
  readonly index: number
  /** JSON text of the row; `null` for an appearance, whose text is the document of its transaction. */
  readonly body: string | null
  /** Keys under which the row is found, each once, as lower-case hex text; none for a document. */
  readonly keys: ReadonlyArray<string>
}

/** What all projections have. */
interface Derivation {
  /** Names the projection in the database. */
  readonly id: string
  /** A change of it derives all rows again. */
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
   * How the rows are stored: `entries` with a key and a body of their own, `appearances` of a key in a transaction, or `documents` that
   * replace those of their transactions.
   */
  readonly kind: "entries" | "appearances" | "documents"
  /** Rows of a block, in its order. The block has its facts for `entries` alone. */
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
