/**
 * Events of a wallet: what a service sends when blocks of its index are added, removed, finalized or derived again.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as LedgerQuery from "./LedgerQuery.ts"
import { unread } from "./internal/coder.ts"
import { literals } from "./internal/leaf.ts"
import { list } from "./internal/list.ts"
import * as Movement from "./Movement.ts"
import * as Timestamp from "./Timestamp.ts"
import * as WalletQuery from "./WalletQuery.ts"
import * as WalletTransaction from "./WalletTransaction.ts"

/**
 * Types of events that have a row. Events without one are always sent.
 *
 * **Example** (Listing the types)
 *
 * ```ts
 * import * as WalletEvent from "@daybook/schema/WalletEvent"
 *
 * console.log(WalletEvent.rowTypes) // [ 'wallet.transaction', 'wallet.movement' ]
 * ```
 *
 * Source: decision 0073.
 */
export const rowTypes = ["wallet.transaction", "wallet.movement"] as const

/**
 * Type of an event that has a row.
 *
 * Source: decision 0073.
 */
export type RowType = (typeof rowTypes)[number]

/**
 * Types of all events.
 *
 * **Example** (Listing those without a row)
 *
 * ```ts
 * import * as WalletEvent from "@daybook/schema/WalletEvent"
 *
 * console.log(WalletEvent.types.slice(2)) // [ 'block.voided', 'block.final', 'covered', 'gap' ]
 * ```
 *
 * Source: decision 0073.
 */
export const types = [...rowTypes, "block.voided", "block.final", "covered", "gap"] as const

const isRowType = (value: unknown): value is RowType => (rowTypes as ReadonlyArray<unknown>).includes(value)

const RowTypes = list<RowType>({
  expected: `types of events separated by commas: ${rowTypes.join(", ")}`,
  read: (input) => (isRowType(input) ? input : unread),
  from: Schema.Literals(rowTypes),
  maxValues: rowTypes.length,
  maxCharacters: 100,
})

/**
 * When rows are sent: `head` once their block is stored, `final` once it is final.
 *
 * Source: decision 0073.
 */
export type Finality = "head" | "final"

const { chain } = WalletQuery.WalletQuery.fields
const { asset, kind } = LedgerQuery.MovementQuery.fields

/**
 * Query parameters of the events of a wallet, all optional.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as WalletEvent from "@daybook/schema/WalletEvent"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(WalletEvent.EventQuery)({ from: "17000000", finality: "final" }).finality) // final
 * ```
 *
 * Source: decision 0073.
 */
export const EventQuery = Schema.Struct({
  chain,
  /** Where the events start: a block number, a date, a cursor, or `now`. Default `now`. */
  from: Schema.optionalKey(Schema.String),
  /** `head`: rows of every stored block, with a void if a reorg removes it. `final`: only rows of final blocks. Default `head`. */
  finality: Schema.optionalKey(literals("head", "final")),
  /** Types of rows, separated by commas. Default: all. */
  types: Schema.optionalKey(RowTypes),
  asset,
  kind,
})

export interface EventQuery extends Schema.Schema.Type<typeof EventQuery> {}

const common = {
  /** Name of the chain. */
  chain: Schema.String,
  /** Position of the stream: everything before it was sent. */
  cursor: Schema.String,
}

const row = {
  ...common,
  /** The wallet. */
  address: Address.Address,
  /** The row's `rowId`, by block and position: the same row on another branch has another id. Two wallets of a transaction have the same ids. */
  row: Schema.String,
  /** Revision of the row: of two events for a row, the one with the higher revision is newer. */
  revision: Schema.Int,
  /** Whether its block is final. */
  final: Schema.Boolean,
}

const block = { ...common, number: Decimal.Decimal, hash: Hash.Hash }

const event = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), timestamp: Timestamp.Timestamp, data: Schema.Struct(fields) })

/** Reasons of gaps known to this version; a service may add others. */
const reason = Schema.String

/**
 * An event of a wallet.
 *
 * **Details**
 *
 * `wallet.transaction` and `wallet.movement` carry a row as in the wallet's lists. `block.voided`: the rows of the block with this hash are
 * no longer valid; it is sent before the rows that replace them. `block.final`: this block and those below it are final. `covered`: all
 * rows up to this block were sent. `gap`: the index has gaps in these blocks, so rows may be missing.
 *
 * **Example** (Decoding an event)
 *
 * ```ts
 * import * as WalletEvent from "@daybook/schema/WalletEvent"
 * import * as Schema from "effect/Schema"
 *
 * const hash = `0x${"ab".repeat(32)}`
 * const data = { chain: "eth", cursor: "c", number: "17000000", hash }
 * const wire = { type: "block.final", timestamp: "2026-01-01T00:00:00.000Z", data }
 * console.log(Schema.decodeUnknownSync(WalletEvent.WalletEvent)(wire).data.cursor) // c
 * ```
 *
 * Source: decision 0073.
 */
export const WalletEvent = Schema.Union([
  event("wallet.transaction", { ...row, transaction: WalletTransaction.WalletTransaction }),
  event("wallet.movement", { ...row, movement: Movement.Movement }),
  event("block.voided", block),
  event("block.final", block),
  event("covered", block),
  event("gap", {
    ...common,
    from_block: Decimal.Decimal,
    to_block: Decimal.Decimal,
    reason,
    transaction_hash: Hash.OrNull,
  }),
])

export type WalletEvent = Schema.Schema.Type<typeof WalletEvent>
