/**
 * Reads the index of one chain. A snapshot sees one committed state, whatever the indexer writes meanwhile.
 */
import type * as Effect from "effect/Effect"
import type { LedgerRow } from "../ledger/WalletRows.ts"
import type { Projection, ProjectionCheckpoint } from "../block/Projection.ts"
import type { BlockGap, BlockRef, Checkpoint, Gap, LinkedBlock } from "../block/BlockRows.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type {
  OpeningQuery,
  OpeningRows,
  OpeningSlice,
  UnreadOpenings,
  UnreadQuery,
  UnreadTokens,
  WalletProof,
} from "./Proofs.ts"
import type { ReportedStatus } from "./StatusBoard.ts"
import type { StoreError } from "./StoreError.ts"
import type * as Journal from "./Journal.ts"

/** Position of a row among those of a key: its block, and its index within the block. */
export interface Position {
  readonly block: number
  /** Index of the transaction for an appearance, or of the row within its block for an entry. */
  readonly index: number
}

/** Stored form of a text. Texts with the same stored form are equal. */
export interface StoredForm {
  /** The dictionary, and where the bytes are stored. */
  readonly form: number
  /** Length of the text in bytes. */
  readonly size: number
  /** Compressed bytes, which other bytes may follow. */
  readonly frame: Uint8Array
}

/** A row of a projection as a page returns it. */
export interface PageRow extends Position {
  /** JSON text: the transaction's document for an appearance, the row's own text for an entry. */
  readonly body: string
  /** JSON text of internal transactions; `null` for an entry, if traces were off, or if they were not requested. */
  readonly internal: string | null
  /** Revision of the body: of the decoder for a document, of the projection for an entry. */
  readonly revision: number
  /** Roles of the wallet in the transaction as bits, if the page is read from a ledger. */
  readonly roles?: number
  /** Stored form of the body; undefined if it is stored uncompressed. */
  readonly stored?: StoredForm | undefined
}

/** A range of the rows of a key. */
export interface PageQuery {
  readonly key: string
  /** First block, inclusive. */
  readonly from: number
  /** Last block, inclusive. */
  readonly to: number
  readonly order: "ASC" | "DESC"
  /** Rows begin after this position, in the order of the page. */
  readonly after: Position | null
  /** Maximum number of rows. */
  readonly limit: number
  /** Maximum total size of the rows' texts in UTF-8 bytes. The first row is read regardless of its size. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** False to skip internal transactions, which are then `null` in each row. Default: true. */
  readonly internal?: boolean
}

/** A range of the transactions of a chain. */
export type TransactionsQuery = Omit<PageQuery, "key">

/** Rows of a key that are skipped. */
export interface SkipQuery extends Pick<PageQuery, "key" | "from" | "to" | "order" | "after"> {
  /** Number of rows; at least 1. */
  readonly rows: number
}

/** The rows of a range that fit a page. */
export interface PageRows {
  readonly rows: ReadonlyArray<PageRow>
  /** True if the range has more rows: the number of rows or their bytes reached the limit. */
  readonly hasMore: boolean
  /**
   * The last row that was read, if the page ended because many rows belong to another wallet with the same key; undefined otherwise. It
   * is not part of the page, which may then be empty.
   */
  readonly searched?: Position
}

/** A range of the ledger of a wallet. */
export interface LedgerQuery extends Pick<PageQuery, "from" | "to" | "order" | "after" | "limit"> {
  /** Address, lower case. */
  readonly wallet: string
  /** Maximum total size of the stored rows in bytes. The first row is read regardless of its size. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** True if the rows are compared with the chain, which identifies the asset and block of a missing row. */
  readonly isForProof?: boolean
}

/** Roles and movements of a wallet at a position; the index of an entry that belongs only to its block is `Movement.blockLevelIndex`. */
export interface LedgerEntry extends Position, Pick<LedgerRow, "candidates" | "roles" | "movements"> {}

/** Rows of a ledger in the order of a query. */
export interface LedgerRows {
  readonly rows: ReadonlyArray<LedgerEntry>
  /** True if the range may have more rows: the number of rows or their bytes reached the limit. There is then at least one row. */
  readonly hasMore: boolean
}

/** Block and transaction of a ledger position. */
export interface Place {
  readonly block: LinkedBlock
  /** `null` for a position that belongs only to its block. */
  readonly transactionHash: string | null
}

/** Number of gaps of each kind. */
export type GapCounts = Readonly<Record<BlockGap["kind"], number>>

/** A range of gaps. */
export interface GapQuery {
  /** First block, inclusive. */
  readonly from: number
  /** Last block, inclusive. */
  readonly to: number
  /** Maximum number of gaps. */
  readonly limit: number
}

/** Result of reading the journal. */
export interface ChangesRead {
  /** Numbers of the oldest change that is kept and of the newest one. */
  readonly oldest: number
  readonly newest: Journal.Position
  /** True if the journal does not have the position: it is too old, or belongs to another store. No changes are then returned. */
  readonly isLost: boolean
  /** Changes after the position, oldest first; empty if the position is ahead, as on a lagging replica. */
  readonly changes: ReadonlyArray<Journal.Change>
}

/** Reads expected in a snapshot, which an engine may combine; other reads remain possible. */
export interface ExpectedReads {
  /** Wallet of `reconciledTo`. */
  readonly wallet?: string
  /** Id of `projection`. */
  readonly projection?: string
  /** Numbers of blocks. */
  readonly blocks?: ReadonlyArray<number>
  /** Rows of `page` by appearances. Its range may exceed the index. */
  readonly page?: PageQuery | undefined
}

/** How to read a snapshot. */
export interface SnapshotOptions {
  /**
   * Serial of a state that the caller has seen; 0 for none. A replica that has reached it may be read; reads from a failing replica are
   * repeated on another server. Default: the newest state is read.
   */
  readonly atLeast?: number
  readonly expected?: ExpectedReads
}

/** Reads of one committed state of a chain. */
export interface Snapshot {
  /** Increases with each write of blocks or of rows derived from them. */
  readonly serial: number
  /** `null` if the index is empty. */
  readonly checkpoint: Effect.Effect<Checkpoint | null, StoreError>
  /** The stored block with a number; `null` outside the index. */
  readonly block: (number: number) => Effect.Effect<LinkedBlock | null, StoreError>
  /** Text of a block's facts; `null` outside the index, and for a block whose facts exceed the limits. */
  readonly blockFacts: (number: number) => Effect.Effect<string | null, StoreError>
  /** Number of the first block at or after a time in seconds; `null` if all are before it. */
  readonly firstAtOrAfter: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Number of the last block at or before a time in seconds; `null` if all are after it. */
  readonly lastAtOrBefore: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Rows of a projection's key in the requested order, by (block, index). */
  readonly page: (projection: Pick<Projection, "id" | "kind">, query: PageQuery) => Effect.Effect<PageRows, StoreError>
  /**
   * Transactions of any wallet in a range of blocks, in the requested order. A block with fewer transactions than were stored with it is
   * damaged. The rows of all blocks in the range are read, so it is limited.
   */
  readonly transactions: (query: TransactionsQuery) => Effect.Effect<PageRows, StoreError>
  /**
   * Position of the last of the rows that a page skips; `null` if there are fewer. They are counted in an index: neither their texts nor
   * their transactions are read.
   */
  readonly skip: (
    projection: { readonly kind: "appearances" | "ledger" },
    query: SkipQuery,
  ) => Effect.Effect<Position | null, StoreError>
  /**
   * Ledger of a wallet in the requested order. It is complete up to the block to which `projection` states that its rows are derived.
   * Holdings before the first block are not part of it.
   */
  readonly ledger: (query: LedgerQuery) => Effect.Effect<LedgerRows, StoreError>
  /**
   * A wallet's holdings before the first block: every holding that was read from a node, even if the amount is 0. A holding with movements
   * that is not included is unknown. ERC-721 contracts return the number of tokens but not their ids. Returns the first thousand, with the
   * native currency first, or those that follow a key.
   */
  readonly openings: (wallet: string, after?: Uint8Array) => Effect.Effect<OpeningSlice, StoreError>
  /**
   * Those holdings before the first block that are movements (`genesis`), ordered by asset. They come before all movements of the ledger, at
   * index 0 of that block.
   */
  readonly openingRange: (query: OpeningQuery) => Effect.Effect<OpeningRows, StoreError>
  /** Openings that a background reader should read next, by the blocks in which wallets appear. */
  readonly unreadOpenings: (query: UnreadQuery) => Effect.Effect<UnreadOpenings, StoreError>
  /** The last comparison of a wallet's ledger with the state of the chain; `null` if there is none. */
  readonly proof: (wallet: string) => Effect.Effect<WalletProof | null, StoreError>
  /** `provedBlock` of that comparison, read without the rest; `null` if there is none. */
  readonly reconciledTo: (wallet: string) => Effect.Effect<number | null, StoreError>
  /** Self-descriptions of tokens by address in lower case, as far as they were read. */
  readonly tokens: (addresses: Iterable<string>) => Effect.Effect<ReadonlyMap<string, TokenMetadata>, StoreError>
  /**
   * Tokens whose symbol begins with a text, ignoring the case of A to Z, followed by those whose name does; each group is limited. Exact
   * matches come first, and equal ones are ordered by the block at which they were read.
   */
  readonly findTokens: (text: string, limit: number) => Effect.Effect<ReadonlyMap<string, TokenMetadata>, StoreError>
  /** Tokens that a background reader should read next, by the blocks in which they move. */
  readonly unreadTokens: (query: UnreadQuery) => Effect.Effect<UnreadTokens, StoreError>
  /**
   * Blocks and transactions of ledger positions, in the same order: as many as the bytes of the texts read for them allow, and at least
   * one. The index of a position that belongs only to its block is `Movement.blockLevelIndex`.
   */
  readonly places: (
    positions: ReadonlyArray<Position>,
    maxBytes: number,
  ) => Effect.Effect<ReadonlyArray<Place>, StoreError>
  /** How far a projection reaches; `null` if it was never registered. */
  readonly projection: (id: string) => Effect.Effect<ProjectionCheckpoint | null, StoreError>
  /**
   * Lowest block that was removed since the given block was: every row from there on may have changed. `null` if no remembered unwind
   * removed the block.
   */
  readonly lowestReorgedBlock: (ref: BlockRef) => Effect.Effect<number | null, StoreError>
  /** At most `limit` journal changes after a position, oldest first; `null` starts at the oldest that are kept. */
  readonly changes: (after: Journal.Position | null, limit: number) => Effect.Effect<ChangesRead, StoreError>
  /** At most `limit` blocks below a number that a change removed, highest first, as far as they are remembered. */
  readonly removed: (change: number, below: number, limit: number) => Effect.Effect<ReadonlyArray<BlockRef>, StoreError>
  /**
   * Wallets with ledger rows in a range of blocks, both ends inclusive. `null` if that is uncertain: a block is not derived, a list is
   * damaged, or the rows are distributed and may come from several states.
   */
  readonly activeWallets: (from: number, to: number) => Effect.Effect<ReadonlySet<string> | null, StoreError>
  /** True if a block from `from` to `to`, inclusive, has a stored transaction. */
  readonly hasTransactions: (from: number, to: number) => Effect.Effect<boolean, StoreError>
  /** Status of the chain's indexer; `null` if none was written. */
  readonly status: Effect.Effect<ReportedStatus | null, StoreError>
  /** Number of nodes over which the chain's rows are distributed; 0 if they are stored together. */
  readonly nodes: Effect.Effect<number, StoreError>
  /** Number of gaps in the stored blocks. */
  readonly gapCounts: Effect.Effect<GapCounts, StoreError>
}

/** Reads the index of one chain. */
export interface ChainReader {
  /** Runs reads in one read transaction. */
  readonly snapshot: <A, E, R>(
    read: (snapshot: Snapshot) => Effect.Effect<A, E, R>,
    options?: SnapshotOptions,
  ) => Effect.Effect<A, E | StoreError, R>
  /** Stored blocks from `from` to `to`, inclusive, lowest first; used to find a common ancestor. */
  readonly headers: (from: number, to: number) => Effect.Effect<ReadonlyArray<BlockRef>, StoreError>
  /** Waits until the number of the newest journal change differs from `known`, and returns it; 0 for an empty journal. */
  readonly awaitChange: (known: number) => Effect.Effect<number, StoreError>
  /** Gaps in a range of blocks, lowest block first. */
  readonly gaps: (query: GapQuery) => Effect.Effect<ReadonlyArray<Gap>, StoreError>
  /** Highest block up to a number with a gap of kind `trace`, found by an index; `null` if there is none. */
  readonly lastTraceGap: (to: number) => Effect.Effect<number | null, StoreError>
}
