/**
 * Path and query parameters of the wallet operation, and the precedence of its bounds.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import { unread } from "./internal/coder.ts"
import { leaf, oneOf, relax, typeSide } from "./internal/leaf.ts"

/**
 * Sort order: `DESC` newest first, `ASC` oldest first.
 *
 * Source: docs/interface.md#4.1.
 */
export type Order = "ASC" | "DESC"

const Order: Schema.Codec<Order> = leaf<Order, Order>({
  expected: "ASC or DESC",
  wire: Schema.Literals(["ASC", "DESC"]),
  read: (input) => {
    const order = typeof input === "string" && input.length <= 4 ? input.toUpperCase() : unread
    return order === "ASC" || order === "DESC" ? order : unread
  },
  write: (value) => value,
  type: oneOf(["ASC", "DESC"]),
})

/**
 * Path parameters of the wallet operation.
 *
 * **Example** (Decoding the address of a path)
 *
 * ```ts
 * import * as WalletQuery from "@daybook/schema/WalletQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(WalletQuery.Path)({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" }).address.length)
 * // 42
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export const Path = Schema.Struct({
  /** Wallet address, in any case. */
  address: Address.Address,
})

const BlockNumber = relax(Decimal.Decimal, (options) => ({ ...options, expected: "a block number in decimal digits" }))

const isLimit = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

const Limit = relax(Decimal.SafeInteger, (options) => ({
  ...options,
  expected: "a whole number of at least 1",
  wire: Schema.String.check(Schema.isPattern(/^[1-9][0-9]*$/u)),
  read: (input) => {
    const value = options.read(input)
    return isLimit(value) ? value : unread
  },
  type: typeSide<number>({
    expected: "a safe integer of at least 1",
    is: isLimit,
    from: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  }),
}))

/**
 * Query parameters of the wallet operation, all optional. Server, client and OpenAPI are derived from these fields. Their documentation is
 * in `internal/documentation.ts`, so that clients do not download it.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as WalletQuery from "@daybook/schema/WalletQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(WalletQuery.WalletQuery)({ order: "asc", limit: "25" }))
 * // { limit: 25, order: 'ASC' }
 * ```
 *
 * Source: docs/interface.md#4.1; decision 0008.
 */
export const WalletQuery = Schema.Struct({
  /** Chain by name (`eth`) or identifier (`0x1`). Default `eth`. */
  chain: Schema.optionalKey(Schema.String),
  /** First block, inclusive. Takes precedence over `from_date`. */
  from_block: Schema.optionalKey(BlockNumber),
  /** Last block, inclusive. Takes precedence over `to_date`. */
  to_block: Schema.optionalKey(BlockNumber),
  /** Start date: the first block at or after it. Any format of the moment library, in UTC. */
  from_date: Schema.optionalKey(Schema.String),
  /** End date: the last block at or before it. Any format of the moment library, in UTC. */
  to_date: Schema.optionalKey(Schema.String),
  /** `cursor` of the previous page. */
  cursor: Schema.optionalKey(Schema.String),
  /** `internal_transactions` adds the internal transactions of each transaction. */
  include: Schema.optionalKey(Schema.Literal("internal_transactions")),
  /**
   * `direct` (default): transactions that the wallet sent or received, or that created it. `all`: also those in which it appears in any
   * other role, such as the recipient of a token or of a payment by a contract.
   */
  scope: Schema.optionalKey(Schema.Literals(["direct", "all"])),
  /** Maximum number of rows on a page, from 1. Default 100. */
  limit: Schema.optionalKey(Limit),
  /** `DESC` newest first (default), `ASC` oldest first; any case. */
  order: Schema.optionalKey(Order),
})

export interface WalletQuery extends Schema.Schema.Type<typeof WalletQuery> {}

/**
 * Bound of the requested range; `Open` if the query has none.
 *
 * Source: docs/interface.md#4.1, rules 1 to 4.
 */
export type Bound<Block, Instant> =
  | { readonly _tag: "Block"; readonly block: Block }
  | { readonly _tag: "Date"; readonly date: Instant }
  | { readonly _tag: "Open" }

const bound = <Block, Instant>(block: Block | undefined, date: Instant | undefined): Bound<Block, Instant> =>
  block !== undefined ? { _tag: "Block", block } : date !== undefined ? { _tag: "Date", date } : { _tag: "Open" }

/**
 * Returns the requested range. At each end a block takes precedence over a date.
 *
 * **Example** (Reading a query with a block and a date)
 *
 * ```ts
 * import * as WalletQuery from "@daybook/schema/WalletQuery"
 *
 * const { from, to } = WalletQuery.bounds({ from_block: 5n, from_date: "2024-01-01", to_date: "2024-02-01" })
 * console.log(from, to) // { _tag: 'Block', block: 5n } { _tag: 'Date', date: '2024-02-01' }
 * ```
 *
 * Source: docs/interface.md#4.1, rules 1 to 4.
 */
export const bounds = <Block, Instant>(query: {
  readonly from_block?: Block | undefined
  readonly to_block?: Block | undefined
  readonly from_date?: Instant | undefined
  readonly to_date?: Instant | undefined
}): { readonly from: Bound<Block, Instant>; readonly to: Bound<Block, Instant> } => ({
  from: bound(query.from_block, query.from_date),
  to: bound(query.to_block, query.to_date),
})
