/**
 * A block as passed from the indexer to the store, and the extent of the index.
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

/** A stored transaction. Its JSON text is created once, when its block is appended, and served unchanged. */
export interface TransactionRow {
  /** Position in the block. */
  readonly index: number
  readonly hash: string
  /** JSON text of a `WalletTransaction` without labels and internal transactions, with empty values in the form of the interface. */
  readonly body: string
  /** JSON text of an array of `InternalTransaction`, or of `null` if the trace is a gap; `null` if traces were off. */
  readonly internal: string | null
  /** Wallets that the transaction belongs to, each once: sender, recipient, created contract. */
  readonly addresses: ReadonlyArray<string>
}

/** Kinds of gaps: what the nodes did not return, or what could not be verified. */
export const gapKinds = ["trace", "receipt", "transaction", "check"] as const

/** A missing or invalid part of a block. */
export interface BlockGap {
  /**
   * - `trace`: a transaction has no internal transactions.
   * - `receipt`: a transaction has no decodable receipt, and no row.
   * - `transaction`: a transaction does not decode, and has no row.
   * - `check`: a check of the block failed or could not be made, while the others passed.
   */
  readonly kind: (typeof gapKinds)[number]
  /** Hash of the transaction; absent if the gap concerns the whole block or the hash does not decode. */
  readonly transaction?: string | undefined
  /** Reason for the operator; never contains a key or a URL. */
  readonly reason: string
}

/** True for gaps of transactions without a row. */
export const isWithoutRow = (kind: BlockGap["kind"]): boolean => kind === "receipt" || kind === "transaction"

/** A gap of a stored block. */
export interface Gap extends BlockGap {
  readonly block: number
}

/** A block with everything that is stored for it. */
export interface BlockRows extends LinkedBlock {
  /** Revision of the decoder that made the bodies. */
  readonly decoderRevision: number
  readonly transactions: ReadonlyArray<TransactionRow>
  /**
   * JSON text of the facts of the block and its transactions beyond the documents; absent if an earlier version stored the block, or if
   * they exceed the bounds.
   */
  readonly facts?: string | undefined
  /**
   * Roles and movements of the block's wallets, packed by `LedgerCodec` from the node's responses before `append`; absent if they are
   * derived from the texts.
   */
  readonly ledger?: Uint8Array | undefined
  /** What the engine stores for the block's texts, prepared before `append`: see `Engine.preparer`. If absent, `append` prepares it. */
  readonly prepared?: unknown
  /** Size of the prepared data in bytes; absent if nothing was prepared. */
  readonly preparedBytes?: number
  /** Gaps of the block; absent for none. */
  readonly gaps?: ReadonlyArray<BlockGap> | undefined
}

/** Extent of the index. It changes in the same database transaction as the rows. */
export interface Checkpoint {
  /** First indexed block. */
  readonly first: number
  /** Last indexed block. */
  readonly head: BlockRef
  /** Time of the last indexed block, in seconds since 1970. */
  readonly headTimestamp: number
  /** Last final block; `null` if none is known. */
  readonly finalized: number | null
  /** Indexed wallets, lower case and sorted; absent if all wallets are indexed. */
  readonly watch?: ReadonlyArray<string> | undefined
  /**
   * For wallets of `watch` that were added later, the first block from which all of their transactions are indexed; the others have all
   * blocks.
   */
  readonly addedFrom?: Readonly<Record<string, number>> | undefined
  /** For these wallets, the last block up to which their past was searched; absent until a part of it is searched. */
  readonly searchedTo?: Readonly<Record<string, number>> | undefined
}
