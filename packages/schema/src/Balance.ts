/**
 * Balances of a wallet at a block, as the sums of its movements.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import { orEmpty } from "./internal/leaf.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import * as Movement from "./Movement.ts"
import * as Token from "./Token.ts"

const balanceCodec = open("Balance", {
  /** Asset held. */
  asset: Movement.Asset,
  /** Id of the token; `null` for a fungible asset. */
  token_id: orEmpty(Decimal.Decimal, null),
  /** The token as described by its contract; `null` for the native asset, or if it has not been read yet. */
  token: objectOrNull(Token.Token),
  /** Sum of the movements, in the smallest unit of the asset. Negative if movements or opening balances are missing. */
  balance: Decimal.Signed,
  /**
   * Block at which the sum was last compared with the state of the chain, if it was equal; `null` otherwise. For an id of an ERC-721
   * contract, its owner was compared.
   */
  proved_at_block: orEmpty(Decimal.Decimal, null),
  /**
   * Why the balance is negative; absent if it is not. `opening_unknown`: the opening balance before the first indexed block is not
   * included. `movements_missing`: `incomplete.places` counts where. `unexplained`: nothing is known to be missing, for example for a token
   * that changes balances without events; a comparison with the chain reports the difference.
   */
  negative_reason: Schema.optionalKey(Schema.Literals(["opening_unknown", "movements_missing", "unexplained"])),
})

export interface Balance extends Schema.Schema.Type<typeof balanceCodec> {}

/** Encoded form of `Balance`: the values of its JSON. */
export interface BalanceWire extends Schema.Codec.Encoded<typeof balanceCodec> {}

/**
 * Balance of a wallet in one asset.
 *
 * **Example** (Decoding a balance)
 *
 * ```ts
 * import * as Balance from "@daybook/schema/Balance"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { asset: "native", token_id: null, token: null, balance: "-5", proved_at_block: "20000000" }
 * console.log(Schema.decodeUnknownSync(Balance.Balance)(wire).balance) // -5n
 * ```
 *
 * Source: decision 0049.
 */
export const Balance: Named<typeof balanceCodec, Balance, BalanceWire> = balanceCodec

const incompleteCodec = open("Incomplete", {
  /**
   * Unknown opening: true if the opening balance of some asset before the first indexed block is unknown and not included in the sums,
   * which may therefore be negative.
   */
  opening: Schema.Boolean,
  /** Places of missing movements: number of transactions and blocks of the range in which movements of the wallet may be missing. */
  places: Decimal.SafeInteger,
  /** Block of the first of these places; `null` if there is none or it is not stored. */
  first_block: orEmpty(Decimal.Decimal, null),
  /** Contracts with so many ids that all of them form one row, whose `token_id` is `null`; absent for none. */
  merged: Schema.optionalKey(Schema.Array(Address.Address)),
  /** Number of movements of further contracts that are in no row; list those contracts in `asset` to sum them. Absent for none. */
  omitted: Schema.optionalKey(Decimal.SafeInteger),
  /**
   * Last block that an earlier version of the service stored without the wallet's tokens and internal transactions: movements up to there
   * may be missing. Absent for none.
   */
  direct_only_to: Schema.optionalKey(Decimal.Decimal),
  /**
   * Last block that was indexed without traces, or that has a transaction without them: movements by internal transactions up to there may
   * be missing. Absent for none.
   */
  untraced_to: Schema.optionalKey(Decimal.Decimal),
  /**
   * Last block up to which the chain changes native balances in ways that neither transactions nor headers show: such changes may be
   * missing. Absent for none.
   */
  unstated_to: Schema.optionalKey(Decimal.Decimal),
})

export interface Incomplete extends Schema.Schema.Type<typeof incompleteCodec> {}

/** Encoded form of `Incomplete`: the values of its JSON. */
export interface IncompleteWire extends Schema.Codec.Encoded<typeof incompleteCodec> {}

/**
 * What sums of movements may be missing.
 *
 * **Example** (Decoding what sums may be missing)
 *
 * ```ts
 * import * as Balance from "@daybook/schema/Balance"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { opening: true, places: "0", first_block: null }
 * console.log(Schema.decodeUnknownSync(Balance.Incomplete)(wire).opening) // true
 * ```
 *
 * Source: decisions 0048 and 0049.
 */
export const Incomplete: Named<typeof incompleteCodec, Incomplete, IncompleteWire> = incompleteCodec

const balancesCodec = open("Balances", {
  /** Block after which the balances are taken. */
  block_number: Decimal.Decimal,
  /** Block hash. */
  block_hash: Hash.Hash,
  /**
   * What the sums may be missing. They are complete if `opening` is false, `places` is 0, and `direct_only_to`, `untraced_to` and
   * `unstated_to` are absent.
   */
  incomplete: Incomplete,
  /** Balances: `native` first, then by asset and id. */
  result: Schema.Array(Balance),
})

export interface Balances extends Schema.Schema.Type<typeof balancesCodec> {}

/** Encoded form of `Balances`: the values of its JSON. */
export interface BalancesWire extends Schema.Codec.Encoded<typeof balancesCodec> {}

/**
 * Balances of a wallet at a block. Assets with a balance of 0 are omitted.
 *
 * **Example** (Decoding the balances of a wallet)
 *
 * ```ts
 * import * as Balance from "@daybook/schema/Balance"
 * import * as Schema from "effect/Schema"
 *
 * const incomplete = { opening: false, places: "0", first_block: null }
 * const wire = { block_number: "20000000", block_hash: `0x${"ab".repeat(32)}`, incomplete, result: [] }
 * console.log(Schema.decodeUnknownSync(Balance.Balances)(wire).block_number) // 20000000n
 * ```
 *
 * Source: decision 0049.
 */
export const Balances: Named<typeof balancesCodec, Balances, BalancesWire> = balancesCodec

/**
 * Unknown keys of balances, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as Balance from "@daybook/schema/Balance"
 * import * as Schema from "effect/Schema"
 *
 * const incomplete = { opening: false, places: "0", first_block: null }
 * const wire = { block_number: "1", block_hash: `0x${"ab".repeat(32)}`, incomplete, result: [], usd: "3" }
 * console.log(Balance.extras(Schema.decodeUnknownSync(Balance.Balances)(wire))) // { usd: '3' }
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: Balances): Readonly<Record<string, unknown>> => Balances.extras(value)
