/**
 * Movements of a wallet: each change of its holdings by transactions, contract calls, token logs, withdrawals and rewards.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as assets from "./internal/asset.ts"
import * as objects from "./internal/generated/objects.ts"
import { unread } from "./internal/coder.ts"
import { leaf, orEmpty, typeSide } from "./internal/leaf.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import * as Timestamp from "./Timestamp.ts"
import * as Token from "./Token.ts"

/**
 * Kinds of movements.
 *
 * **Details**
 *
 * `fee`: fees paid by the sender of a transaction, including a failed one. `value`: value of a transaction. `internal`: value of a call,
 * creation or selfdestruct inside it. `ether_log`: value from the log of EIP-7708, if there are no traces. `withdrawal`: from the beacon
 * chain. `reward`: fees and rewards of a block. `mint`: value minted by a deposit from L1 or a bridge of the chain. `erc20`, `erc721`,
 * `erc1155`: tokens. `genesis`: opening balance before the first indexed block. `irregular`: other changes by a rule of the chain, such as
 * imports from and exports to another chain. Services store the position of a kind in this list, so new kinds are added at the end.
 *
 * **Example** (Listing the kinds of movements)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 *
 * console.log(Movement.kinds.includes("fee")) // true
 * ```
 *
 * Source: decision 0048.
 */
export const kinds = [
  "fee",
  "value",
  "internal",
  "ether_log",
  "withdrawal",
  "reward",
  "mint",
  "erc20",
  "erc721",
  "erc1155",
  "genesis",
  "irregular",
] as const

/**
 * Kind of a movement.
 *
 * Source: decision 0048.
 */
export type Kind = (typeof kinds)[number]

export type Role =
  | "sender"
  | "recipient"
  | "created"
  | "creator"
  | "internal_caller"
  | "internal_callee"
  | "token_sender"
  | "token_recipient"
  | "approval_owner"
  | "approval_spender"
  | "approval_operator"
  | "authority"
  | "withdrawal_recipient"
  | "fee_recipient"
  | "fee_payer"
  | "mint_recipient"
  | "operation_sender"
  | "paymaster"
  | "bundler"

/** A name that a later version of the server may add. */
type Other = string & {}

/** Names of a growing list: unknown ones of the same form decode too. */
const name = <A extends string>(expected: string) => {
  const is = (value: unknown): value is A | Other => typeof value === "string" && /^[a-z][a-z0-9_]{0,39}$/.test(value)
  const wire = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,39}$/u))
  return leaf<A | Other, string>({
    expected,
    wire,
    read: (input) => (is(input) ? input : unread),
    write: (value) => value,
    type: typeSide<A | Other>({ expected, is, from: wire }),
    repeats: false,
  })
}

const Kind = name<Kind>("a kind of movement such as value")

/**
 * Role of a wallet in a transaction or block: why it appears there. Roles unknown to this version decode too.
 *
 * **Example** (Decoding a role)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Movement.Role)("sender")) // sender
 * ```
 *
 * Source: decision 0048.
 */
export const Role: Schema.Codec<Role | Other, string> = name<Role>("a role such as sender")

/**
 * Hints that a movement may be deceptive.
 *
 * **Details**
 *
 * `poisoning`: the counterparty's address resembles one that the wallet paid before, or nothing moved in a transaction of another account.
 * `fake_symbol`: the token's symbol resembles that of a known token or of the native currency, but the contract is a different one. `link`:
 * a token sent by another account has a link in its name or symbol. A movement without flags is not known to be safe.
 *
 * **Example** (Listing the flags)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 *
 * console.log(Movement.flags) // [ 'poisoning', 'fake_symbol', 'link' ]
 * ```
 *
 * Source: decision 0049.
 */
export const flags = ["poisoning", "fake_symbol", "link"] as const

/**
 * Hint that a movement may be deceptive.
 *
 * Source: decision 0049.
 */
export type Flag = (typeof flags)[number]

const Flag = name<Flag>("a flag such as poisoning")

export type Asset = assets.Asset

const expectedAsset = "native, or the address of a token"

/**
 * Asset of a movement: `native`, the currency of the chain, or a token address. Decodes any case.
 *
 * **Example** (Decoding an asset)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Movement.Asset)("native")) // native
 * ```
 *
 * Source: decision 0048.
 */
export const Asset: Schema.Codec<Asset, string> = leaf<Asset, string>({
  expected: expectedAsset,
  wire: assets.assetWire,
  read: assets.readAsset,
  write: (value) => value,
  type: typeSide<Asset>({ expected: expectedAsset, is: assets.isAsset, from: assets.assetWire }),
})

const movementCodec = open(
  "Movement",
  {
    /** Kind; may be one unknown to this version. */
    kind: Kind,
    /** Asset moved. */
    asset: Asset,
    /** Id of the token; `null` for a fungible asset. */
    token_id: orEmpty(Decimal.Decimal, null),
    /** The token as described by its contract; `null` for the native asset, or if it has not been read yet. */
    token: objectOrNull(Token.Token),
    /** Amount in the smallest unit of the asset; negative if the wallet pays. */
    amount: Decimal.Signed,
    /** Counterparty; `null` if there is none, as for fees, rewards and withdrawals. */
    counterparty: Address.OrNone,
    /** Label of the counterparty; `null` when the server has none. */
    counterparty_label: Text.OrNone,
    /** Transaction hash; `null` for a movement of a block. */
    transaction_hash: orEmpty(Hash.Hash, null),
    /** Index of the transaction in the block, from 0; `null` for a movement of a block. */
    transaction_index: orEmpty(Decimal.SafeInteger, null),
    /** Index of the log in the block; `null` for a movement without one. */
    log_index: orEmpty(Decimal.SafeInteger, null),
    /** Index among the movements of the wallet in this transaction, in this block, or before the first block; from 0, in order. */
    movement_index: Decimal.SafeInteger,
    /** Block number. */
    block_number: Decimal.Decimal,
    /** Block hash. */
    block_hash: Hash.Hash,
    /** Block time. */
    block_timestamp: Timestamp.Timestamp,
    /** True for the fee, and the minted value, of a failed transaction. */
    failed: Schema.Boolean,
    /** True if other movements of the wallet in this transaction or block may be missing. */
    incomplete: Schema.Boolean,
    /** Roles of the wallet in this transaction or block. */
    roles: Schema.Array(Role),
    /** Hints that the movement may be deceptive: `poisoning`, `fake_symbol`, `link`; absent for none. */
    flags: Schema.optionalKey(Schema.Array(Flag)),
  },
  {},
  objects.Movement,
)

export interface Movement extends Schema.Schema.Type<typeof movementCodec> {}

/** Encoded form of `Movement`: the values of its JSON. */
export interface MovementWire extends Schema.Codec.Encoded<typeof movementCodec> {}

/**
 * One change of a wallet's holdings at a position in the chain: a transaction, or a block if the chain itself moves value.
 *
 * **Details**
 *
 * A transfer is two movements, one per side. All movements of an asset sum to the wallet's balance, provided that none is `incomplete` and
 * the index starts before the first one.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Movement.Movement.fields.amount)("-21000")) // -21000n
 * ```
 *
 * Source: decision 0048.
 */
export const Movement: Named<typeof movementCodec, Movement, MovementWire> = movementCodec

const movementPageCodec = open("MovementPage", {
  /** Cursor of the next page; `null` on the last page. */
  cursor: Text.OrNone,
  /** Number of the page, from 0. */
  page: Decimal.SafeInteger,
  /** Limit in force: maximum number of rows on the page. */
  page_size: Decimal.SafeInteger,
  /** Movements, in the requested order. */
  result: Schema.Array(Movement),
})

export interface MovementPage extends Schema.Schema.Type<typeof movementPageCodec> {}

/** Encoded form of `MovementPage`: the values of its JSON. */
export interface MovementPageWire extends Schema.Codec.Encoded<typeof movementPageCodec> {}

/**
 * Page of movements.
 *
 * **Gotchas**
 *
 * - A page may have few or no rows and still have a cursor, because the server searches a bounded part of the range per page.
 *
 * **Example** (Decoding an empty page)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { cursor: null, page: "0", page_size: "100", result: [] }
 * console.log(Schema.decodeUnknownSync(Movement.MovementPage)(wire).page_size) // 100
 * ```
 *
 * Source: decision 0049.
 */
export const MovementPage: Named<typeof movementPageCodec, MovementPage, MovementPageWire> = movementPageCodec

/**
 * Unknown keys of a movement, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as Movement from "@daybook/schema/Movement"
 *
 * declare const row: Movement.Movement
 * export const extras = () => Movement.extras(row)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: Movement): Readonly<Record<string, unknown>> => Movement.extras(value)
