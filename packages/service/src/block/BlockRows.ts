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

/** A block with its link to the previous one. */
export interface LinkedBlock extends BlockRef {
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** A stored transaction. Its JSON text is made once, when its block is appended, and served unchanged. */
export interface TransactionRow {
  /** Position in the block. */
  readonly index: number
  readonly hash: string
  /** JSON text of a `WalletTransaction` without labels and internal transactions; empty values as the interface writes them. */
  readonly body: string
  /** JSON text of an array of `InternalTransaction`, or of `null` where the trace is a gap; `null` where traces were off. */
  readonly internal: string | null
  /** Wallets that the transaction belongs to, each once: sender, recipient, created contract. */
  readonly addresses: ReadonlyArray<string>
}

/** Kinds of gaps: what the nodes did not give, or what could not be verified. */
export const gapKinds = ["trace", "receipt", "transaction", "check"] as const

/** What a block lacks of the nodes' responses. */
export interface BlockGap {
  /**
   * - `trace`: a transaction has no internal transactions.
   * - `receipt`: a transaction has no receipt that decodes, and no row.
   * - `transaction`: a transaction does not decode, and has no row.
   * - `check`: a check of the block does not hold, or could not be made, where the others hold.
   */
  readonly kind: (typeof gapKinds)[number]
  /** Hash of the transaction; left out where the gap concerns the whole block, or the hash does not decode. */
  readonly transaction?: string | undefined
  /** Why, for an operator; never a key or a URL. */
  readonly reason: string
}

/** True for the gap of a transaction that has no row. */
export const isWithoutRow = (kind: BlockGap["kind"]): boolean => kind === "receipt" || kind === "transaction"

/** A gap of a stored block. */
export interface Gap extends BlockGap {
  readonly block: number
}

/** A block with everything that is stored of it. */
export interface BlockRows extends LinkedBlock {
  /** Revision of the decoder that made the bodies. */
  readonly decoderRevision: number
  readonly transactions: ReadonlyArray<TransactionRow>
  /**
   * JSON text of the facts of the block and its transactions that documents do not state; left out where an earlier version stored the
   * block, and where they exceed the bounds.
   */
  readonly facts?: string | undefined
  /**
   * Roles and movements of the block's wallets, packed by `LedgerCodec`, made ahead of `append` from what the node sent; left out
   * where they are derived from the texts.
   */
  readonly ledger?: Uint8Array | undefined
  /** What the engine stores of the block's texts, made ahead of `append`: see `Engine.preparer`. Left out: `append` makes it. */
  readonly prepared?: unknown
  /** Bytes of what was prepared; left out where nothing was. */
  readonly preparedBytes?: number
  /** What the block lacks; left out when nothing. */
  readonly gaps?: ReadonlyArray<BlockGap> | undefined
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
  readonly watch?: ReadonlyArray<string> | undefined
  /** First block with every transaction of wallets of `watch` that were added later; those that are left out have all blocks. */
  readonly addedFrom?: Readonly<Record<string, number>> | undefined
  /** Last block up to which the past of such wallets was searched; left out before anything of it was. */
  readonly searchedTo?: Readonly<Record<string, number>> | undefined
}
