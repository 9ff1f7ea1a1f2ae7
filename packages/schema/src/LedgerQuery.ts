/**
 * Query parameters of the operations on a wallet's ledger: movements, balances and statement.
 */
import * as Schema from "effect/Schema"
import { assetWire, readAsset } from "./internal/asset.ts"
import { unread } from "./internal/coder.ts"
import { literals } from "./internal/leaf.ts"
import { list } from "./internal/list.ts"
import * as Movement from "./Movement.ts"
import * as WalletQuery from "./WalletQuery.ts"

/** Maximum number of values and of characters in a list. */
const [maxValues, maxCharacters] = [20, 1_000]

const Assets = list<Movement.Asset>({
  expected: `native and token addresses, separated by commas, at most ${maxValues}`,
  read: readAsset,
  // Sound: the pattern only matches assets.
  from: assetWire as unknown as Schema.Codec<Movement.Asset, Movement.Asset>,
  maxValues,
  maxCharacters,
})

const isKind = (value: unknown): value is Movement.Kind => (Movement.kinds as ReadonlyArray<unknown>).includes(value)

const Kinds = list<Movement.Kind>({
  expected: `kinds of movements separated by commas: ${Movement.kinds.join(", ")}`,
  read: (input) => (isKind(input) ? input : unread),
  from: Schema.Literals(Movement.kinds),
  maxValues,
  maxCharacters,
})

/**
 * Direction of a movement: `in` if the wallet receives, `out` if it pays.
 *
 * Source: decision 0049.
 */
export type Direction = "in" | "out"

const { chain, cursor, from_block, from_date, limit, order, to_block, to_date } = WalletQuery.WalletQuery.fields

/** `native`, a token address, or several of them separated by commas. Default: all assets. */
const asset = Schema.optionalKey(Assets)

/**
 * Query parameters of the movements of a wallet, all optional.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as LedgerQuery from "@daybook/schema/LedgerQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(LedgerQuery.MovementQuery)({ asset: "native", limit: "25" }).limit) // 25
 * ```
 *
 * Source: decision 0049.
 */
export const MovementQuery = Schema.Struct({
  chain,
  from_block,
  to_block,
  from_date,
  to_date,
  cursor,
  asset,
  /** Kinds of movements, separated by commas. Default: all kinds. */
  kind: Schema.optionalKey(Kinds),
  /** `in`: what the wallet received. `out`: what it paid. Default: both. */
  direction: Schema.optionalKey(literals("in", "out")),
  limit,
  order,
})

export interface MovementQuery extends Schema.Schema.Type<typeof MovementQuery> {}

/**
 * Query parameters of the balances of a wallet, all optional. Default: the last indexed block.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as LedgerQuery from "@daybook/schema/LedgerQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(LedgerQuery.BalanceQuery)({ to_block: "20000000" }).to_block) // 20000000n
 * ```
 *
 * Source: decision 0049.
 */
export const BalanceQuery = Schema.Struct({ chain, to_block, to_date, asset })

export interface BalanceQuery extends Schema.Schema.Type<typeof BalanceQuery> {}

/**
 * Query parameters of the statement of a wallet, all optional. Default: all indexed blocks.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as LedgerQuery from "@daybook/schema/LedgerQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(LedgerQuery.StatementQuery)({ from_date: "2024-01-01" }).from_date)
 * // 2024-01-01
 * ```
 *
 * Source: decision 0049.
 */
export const StatementQuery = Schema.Struct({ chain, from_block, to_block, from_date, to_date, asset })

export interface StatementQuery extends Schema.Schema.Type<typeof StatementQuery> {}

/**
 * Query parameters of the signed statement of a wallet, all optional. Without a last block, the statement ends at the last comparison with
 * the chain, or at the last final block.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as LedgerQuery from "@daybook/schema/LedgerQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(LedgerQuery.SignedStatementQuery)({ to_block: "20000000" }).to_block) // 20000000n
 * ```
 *
 * Source: decision 0050.
 */
export const SignedStatementQuery = Schema.Struct({ chain, from_block, to_block, from_date, to_date })

export interface SignedStatementQuery extends Schema.Schema.Type<typeof SignedStatementQuery> {}

/**
 * Query parameters of a comparison of a wallet with the chain, all optional. Default: the last final block. For a given block, a comparison
 * at that block or a later one suffices.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as LedgerQuery from "@daybook/schema/LedgerQuery"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(LedgerQuery.ProofQuery)({ to_block: "20000000" }).to_block) // 20000000n
 * ```
 *
 * Source: decision 0050.
 */
export const ProofQuery = Schema.Struct({ chain, to_block })

export interface ProofQuery extends Schema.Schema.Type<typeof ProofQuery> {}
