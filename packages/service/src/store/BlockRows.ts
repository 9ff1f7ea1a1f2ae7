/**
 * A block as the indexer hands it to the store, and how far the index reaches.
 *
 * Block numbers are safe integers; hashes and addresses are lower-case hex text.
 */

/** A block by number and hash. */
export interface BlockRef {
  readonly number: number
  readonly hash: string
}

/** A stored transaction. Its JSON text is made once, when its block is appended, and served unchanged. */
export interface TransactionRow {
  /** Position in the block. */
  readonly index: number
  readonly hash: string
  /** JSON text of a `WalletTransaction` without labels and internal transactions; empty values as the interface writes them. */
  readonly body: string
  /** JSON text of an array of `InternalTransaction`; `null` where traces were off. */
  readonly internal: string | null
  /** Wallets that the transaction belongs to, each once: sender, recipient, created contract. */
  readonly addresses: ReadonlyArray<string>
}

/** A block with everything that is stored of it. */
export interface BlockRows extends BlockRef {
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Revision of the decoder that made the bodies. */
  readonly decoderRevision: number
  readonly transactions: ReadonlyArray<TransactionRow>
}

/** How far the index reaches. Moves in the same database transaction as the rows. */
export interface Checkpoint {
  /** First indexed block. */
  readonly first: number
  /** Last indexed block. */
  readonly head: BlockRef
  /** Time of the last indexed block, in seconds since 1970. */
  readonly headTimestamp: number
  /** Last final block; `null` while none is known. */
  readonly finalized: number | null
  /** Wallets that are indexed, lower case and sorted; left out when all are. */
  readonly watch?: ReadonlyArray<string>
}
