/**
 * Reads the index of one chain. A snapshot sees one committed state, whatever the indexer writes meanwhile.
 */
import type * as Effect from "effect/Effect"
import type { LedgerRow } from "../ledger/WalletRows.ts"
import type { Projection, ProjectionCheckpoint } from "../block/Projection.ts"
import type { BlockGap, BlockRef, Checkpoint, Gap, LinkedBlock } from "../block/BlockRows.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type { OpeningBalance, UnreadOpenings, UnreadQuery, UnreadTokens, WalletProof } from "./Proofs.ts"
import type { ReportedStatus } from "./StatusBoard.ts"
import type { StoreError } from "./StoreError.ts"
import type * as Journal from "./Journal.ts"

/** Position of a row among those of a key: its block, and its index in it. */
export interface Position {
  readonly block: number
  /** Index of the transaction for an appearance, of the row among those of its block for an entry. */
  readonly index: number
}

/** The form in which a text is stored. Texts with the same form are the same. */
export interface StoredForm {
  /** The dictionary, and where the bytes lie. */
  readonly form: number
  /** Bytes of the text. */
  readonly size: number
  /** Its compressed bytes, which may be followed by others. */
  readonly frame: Uint8Array
}

/** A row of a projection as a page returns it. */
export interface PageRow extends Position {
  /** JSON text: the transaction's document for an appearance, the row's own for an entry. */
  readonly body: string
  /** JSON text of internal transactions; `null` for an entry, where traces were off, or where they were not requested. */
  readonly internal: string | null
  /** Revision that made the body: of the decoder for a document, of the projection for an entry. */
  readonly revision: number
  /** Roles of the wallet in the transaction, as bits, where the page is one of a ledger. */
  readonly roles?: number
  /** The form in which the body is stored; undefined for one that is stored as it is. */
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
  /** Maximum size of the rows' texts together, in UTF-8 bytes. The first row is read whatever its size. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** False: internal transactions are not read, and `null` in each row. Default true. */
  readonly internal?: boolean
}

/** A range of the transactions of a chain. */
export type TransactionsQuery = Omit<PageQuery, "key">

/** Rows of a key that are passed over. */
export interface SkipQuery extends Pick<PageQuery, "key" | "from" | "to" | "order" | "after"> {
  /** Number of rows, at least 1. */
  readonly rows: number
}

/** The rows of a range that fit a page. */
export interface PageRows {
  readonly rows: ReadonlyArray<PageRow>
  /** The range has rows after these: the number of rows or their bytes reached the limit. */
  readonly hasMore: boolean
}

/** A range of the ledger of a wallet. */
export interface LedgerQuery extends Pick<PageQuery, "from" | "to" | "order" | "after" | "limit"> {
  /** Address, lower case. */
  readonly wallet: string
  /** Maximum size of the rows together as they are stored, in bytes. The first row is read whatever its size. Default: no limit. */
  readonly maxBytes?: number | undefined
  /** True where the rows are compared with the chain, which names the asset and the block of a row that is missing. */
  readonly isForProof?: boolean
}

/** Roles and movements of a wallet at a place; the index of one that belongs to its block alone is `Movement.blockLevelIndex`. */
export interface LedgerEntry extends Position, Pick<LedgerRow, "candidates" | "roles" | "movements"> {}

/** Rows of a ledger in the order of a query. */
export interface LedgerRows {
  readonly rows: ReadonlyArray<LedgerEntry>
  /** The range may have rows after these: the number of rows or their bytes reached the limit. Then there is one at least. */
  readonly hasMore: boolean
}

/** The block and the transaction of a place of a ledger. */
export interface Place {
  readonly block: LinkedBlock
  /** `null` for a place that belongs to its block alone. */
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

/** What was read of the journal. */
export interface ChangesRead {
  /** Number of the oldest change that is kept, and the newest one. */
  readonly oldest: number
  readonly newest: Journal.Position
  /** The journal does not have the position: it is too old, or belongs to another store. No change is given then. */
  readonly isLost: boolean
  /** Changes after the position, oldest first; none where it is ahead, as for a replica that lags. */
  readonly changes: ReadonlyArray<Journal.Change>
}

/** What the reads of a snapshot ask for, which an engine may read at once; other reads are no less possible. */
export interface ExpectedReads {
  /** Wallet of `reconciledTo`. */
  readonly wallet?: string
  /** Id of `projection`. */
  readonly projection?: string
  /** Numbers of blocks. */
  readonly blocks?: ReadonlyArray<number>
  /** Rows of `page` by appearances. Its range may exceed that of the index. */
  readonly page?: PageQuery | undefined
}

/** How to read a snapshot. */
export interface SnapshotOptions {
  /**
   * Serial of a state that the caller has seen, 0 for none. A replica of the database that has reached it may be read, and what was
   * read of one that fails is read again of another server. Left out: the newest state is read.
   */
  readonly atLeast?: number
  readonly expected?: ExpectedReads
}

/** Reads of one committed state of a chain. */
export interface Snapshot {
  /** Grows with each write of blocks, and of rows derived from them. */
  readonly serial: number
  /** `null` while the index is empty. */
  readonly checkpoint: Effect.Effect<Checkpoint | null, StoreError>
  /** The stored block of a number; `null` outside the index. */
  readonly block: (number: number) => Effect.Effect<LinkedBlock | null, StoreError>
  /** Text of the facts of a block; `null` outside the index, and for a block whose facts exceed the bounds. */
  readonly blockFacts: (number: number) => Effect.Effect<string | null, StoreError>
  /** Number of the first block at or after an instant in seconds; `null` when all are before it. */
  readonly firstAtOrAfter: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Number of the last block at or before an instant in seconds; `null` when all are after it. */
  readonly lastAtOrBefore: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Rows of a key of a projection in the requested order, by (block, index). */
  readonly page: (projection: Pick<Projection, "id" | "kind">, query: PageQuery) => Effect.Effect<PageRows, StoreError>
  /**
   * Transactions of a range of blocks, of any wallet, in the requested order. A block of which fewer are stored than were stored with it is
   * damaged. The rows of all blocks of the range are read, so it has a bound.
   */
  readonly transactions: (query: TransactionsQuery) => Effect.Effect<PageRows, StoreError>
  /**
   * Position of the last of a number of rows that a page begins behind; `null` where there are fewer. They are counted in an index: neither
   * their texts nor their transactions are read.
   */
  readonly skip: (
    projection: { readonly kind: "appearances" | "ledger" },
    query: SkipQuery,
  ) => Effect.Effect<Position | null, StoreError>
  /**
   * The ledger of a wallet in the requested order. It is complete up to where `projection` states that its rows are derived. What the
   * wallet held before the first block are movements `genesis` at index 0 of that block, as far as it is known (`openings`).
   */
  readonly ledger: (query: LedgerQuery) => Effect.Effect<LedgerRows, StoreError>
  /**
   * What a wallet held before the first block: of each holding that was read of a node, also where the amount is 0. A holding with
   * movements that is not among them is not known. ERC-721 contracts give the number of tokens, and not their ids.
   */
  readonly openings: (wallet: string) => Effect.Effect<ReadonlyArray<OpeningBalance>, StoreError>
  /** Openings that a background reader reads next, by the blocks in which wallets appear. */
  readonly unreadOpenings: (query: UnreadQuery) => Effect.Effect<UnreadOpenings, StoreError>
  /** The last comparison of the ledger of a wallet with the state of the chain; `null` when there is none. */
  readonly proof: (wallet: string) => Effect.Effect<WalletProof | null, StoreError>
  /** `provedBlock` of that comparison, which is read without the rest; `null` when there is none. */
  readonly reconciledTo: (wallet: string) => Effect.Effect<number | null, StoreError>
  /** How tokens describe themselves, by address in lower case, as far as they were read. */
  readonly tokens: (addresses: Iterable<string>) => Effect.Effect<ReadonlyMap<string, TokenMetadata>, StoreError>
  /**
   * Tokens whose symbol begins with a text, in any case of the letters A to Z, then those whose name does; each of the two up to a limit.
   * Those with the whole text come first, and of equal ones those that were read at an earlier block.
   */
  readonly findTokens: (text: string, limit: number) => Effect.Effect<ReadonlyMap<string, TokenMetadata>, StoreError>
  /** Tokens that a background reader reads next, by the blocks in which they move. */
  readonly unreadTokens: (query: UnreadQuery) => Effect.Effect<UnreadTokens, StoreError>
  /**
   * Blocks and transactions of places of ledgers, in the same order: as many as the bytes of the texts allow that are read for them,
   * and one at least. The index of a place that belongs to its block alone is `Movement.blockLevelIndex`.
   */
  readonly places: (
    positions: ReadonlyArray<Position>,
    maxBytes: number,
  ) => Effect.Effect<ReadonlyArray<Place>, StoreError>
  /** How far a projection reaches; `null` when it was never registered. */
  readonly projection: (id: string) => Effect.Effect<ProjectionCheckpoint | null, StoreError>
  /**
   * Lowest block that was removed since the given block was: every row from it on may have changed.
   * `null` when no remembered unwind removed the block.
   */
  readonly lowestReorgedBlock: (ref: BlockRef) => Effect.Effect<number | null, StoreError>
  /** At most `limit` changes of the journal after a position, oldest first; `null` for the oldest that are kept. */
  readonly changes: (after: Journal.Position | null, limit: number) => Effect.Effect<ChangesRead, StoreError>
  /** At most `limit` blocks below a number that a change removed, highest first, as far as they are remembered. */
  readonly removed: (change: number, below: number, limit: number) => Effect.Effect<ReadonlyArray<BlockRef>, StoreError>
  /**
   * Wallets with rows of the ledger in a range of blocks, both ends inclusive. `null` where that is not certain: a block is not derived, a list
   * is damaged, or the rows are distributed and may be those of several states.
   */
  readonly activeWallets: (from: number, to: number) => Effect.Effect<ReadonlySet<string> | null, StoreError>
  /** True when a block from `from` to `to`, inclusive, has a stored transaction. */
  readonly hasTransactions: (from: number, to: number) => Effect.Effect<boolean, StoreError>
  /** Status of the chain's indexer; `null` when none has written one. */
  readonly status: Effect.Effect<ReportedStatus | null, StoreError>
  /** Number of nodes that the rows of the chain are distributed over; 0 where they lie together. */
  readonly nodes: Effect.Effect<number, StoreError>
  /** Number of gaps of the stored blocks. */
  readonly gapCounts: Effect.Effect<GapCounts, StoreError>
}

/** Reads the index of one chain. */
export interface ChainReader {
  /** Runs reads in one read transaction. */
  readonly snapshot: <A, E, R>(
    read: (snapshot: Snapshot) => Effect.Effect<A, E, R>,
    options?: SnapshotOptions,
  ) => Effect.Effect<A, E | StoreError, R>
  /** Stored blocks from `from` to `to`, inclusive, lowest first; for finding a common ancestor. */
  readonly headers: (from: number, to: number) => Effect.Effect<ReadonlyArray<BlockRef>, StoreError>
  /** Waits until the number of the newest change of the journal is another one than `known`, and gives it; 0 for an empty journal. */
  readonly awaitChange: (known: number) => Effect.Effect<number, StoreError>
  /** Gaps of a range of blocks, lowest block first. */
  readonly gaps: (query: GapQuery) => Effect.Effect<ReadonlyArray<Gap>, StoreError>
  /** Highest block up to a number with a gap of kind `trace`, found by an index; `null` for none. */
  readonly lastTraceGap: (to: number) => Effect.Effect<number | null, StoreError>
}
