/**
 * What is asked of the wallet operation: the address in the path and the parameters of the query, and the rules that
 * say which bound wins.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import { unread } from "./internal/coder.ts"
import { leaf, oneOf } from "./internal/leaf.ts"

/**
 * Newest first or oldest first.
 *
 * Source: docs/interface.md#4.1.
 */
export type Order = "ASC" | "DESC"

const Order: Schema.Codec<Order, string> = leaf<Order, string>({
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
 * The path of the wallet operation.
 *
 * Source: docs/interface.md#4.1.
 */
export const Path = Schema.Struct({
  /** The wallet. */
  address: Address.Address,
})

/**
 * The parameters of the wallet operation. All are optional; what is left out is decided by the server.
 *
 * Source: docs/interface.md#4.1; decisions 0006 to 0008.
 */
export const WalletQuery = Schema.Struct({
  /** Chain by name (`eth`) or identifier (`0x1`). Default `eth`. */
  chain: Schema.optionalKey(Schema.String),
  /** First block, inclusive. Beats `from_date`. */
  from_block: Schema.optionalKey(Decimal.Decimal),
  /** Last block, inclusive. Beats `to_date`. */
  to_block: Schema.optionalKey(Decimal.Decimal),
  /** First instant: the first block at or after it. Any format of the moment library, in UTC. */
  from_date: Schema.optionalKey(Schema.String),
  /** Last instant: the last block at or before it. Any format of the moment library, in UTC. */
  to_date: Schema.optionalKey(Schema.String),
  /** The `cursor` of the page before. */
  cursor: Schema.optionalKey(Schema.String),
  /** `internal_transactions` to get the calls inside each transaction. */
  include: Schema.optionalKey(Schema.Literal("internal_transactions")),
  /** Rows wanted on a page, from 1. Default 100. */
  limit: Schema.optionalKey(Decimal.SafeInteger),
  /** `DESC` newest first (default), `ASC` oldest first; read in any case. */
  order: Schema.optionalKey(Order),
})

/**
 * The parameters of the wallet operation.
 */
export interface WalletQuery extends Schema.Schema.Type<typeof WalletQuery> {}

/**
 * One end of the range that is asked for.
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
 * The range that a query asks for: a block beats a date, at each end by itself.
 *
 * **Example** (Giving both a block and a date)
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
  readonly from_block?: Block
  readonly to_block?: Block
  readonly from_date?: Instant
  readonly to_date?: Instant
}): { readonly from: Bound<Block, Instant>; readonly to: Bound<Block, Instant> } => ({
  from: bound(query.from_block, query.from_date),
  to: bound(query.to_block, query.to_date),
})
