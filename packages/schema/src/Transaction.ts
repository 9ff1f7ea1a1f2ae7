/**
 * A transaction as a node gives it (JSON-RPC), told apart by its EIP-2718 type.
 * The wallet operation's record of a transaction is `WalletTransaction`; the outcome of one is `Receipt`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { Arbitrum, Deposit, StateSync } from "./internal/chainTransactions.ts"
import { coderOf, type Step, unread, withCoder } from "./internal/coder.ts"
import { same } from "./internal/leaf.ts"
import { open, type Open, type Resource } from "./internal/open.ts"
import {
  chain,
  common,
  fees,
  knownTypes,
  numberOf,
  place,
  price,
  signature,
  type UnknownTypeByte,
  typeOf,
  unknownType,
  unplaced,
  unsigned,
} from "./internal/transactionFields.ts"
import * as Quantity from "./Quantity.ts"

/**
 * Storage that a transaction announces to touch.
 *
 * Source: EIP-2930.
 */
export const AccessListEntry = open("AccessListEntry", {
  /** The account. Source: EIP-2930. */
  address: Address.Address,
  /** Its storage slots. Source: EIP-2930. */
  storageKeys: Schema.Array(Hash.Hash),
})

/**
 * Storage that a transaction announces to touch.
 */
export interface AccessListEntry extends Schema.Schema.Type<typeof AccessListEntry> {}

/**
 * An account's signed permission to run a contract's code as its own.
 *
 * Source: EIP-7702.
 */
export const Authorization = open("Authorization", {
  /** Chain that it holds for; 0 for any; the moonbeam family writes `chain_id`. Source: EIP-7702; decision 0020. */
  chainId: Schema.optionalKey(Quantity.Quantity),
  /** Contract whose code is used. Source: EIP-7702. */
  address: Address.Address,
  /** Nonce of the authority. Source: EIP-7702. */
  nonce: Quantity.Quantity,
  /** Parity of the signature, 0 or 1. Source: EIP-7702. */
  yParity: Schema.optionalKey(Quantity.Quantity),
  /** Recovery value, sent by some nodes instead of `yParity`. */
  v: Schema.optionalKey(Quantity.Quantity),
  /** First half of the signature; the moonbeam family nests it in `signature`. Source: EIP-7702; decision 0020. */
  r: Schema.optionalKey(Hex.HexText),
  /** Second half of the signature; the moonbeam family nests it in `signature`. Source: EIP-7702; decision 0020. */
  s: Schema.optionalKey(Hex.HexText),
})

/**
 * An account's signed permission to run a contract's code as its own.
 */
export interface Authorization extends Schema.Schema.Type<typeof Authorization> {}

const accessList = {
  /** Storage announced in advance. Source: EIP-2930. */
  accessList: Schema.Array(AccessListEntry),
}

const mayHaveAccessList = {
  /** Storage announced in advance; some nodes leave it out. Source: EIP-2930; decision 0020. */
  accessList: Schema.optionalKey(Schema.Array(AccessListEntry)),
}

/**
 * A legacy transaction (type 0, or none written). `chainId` is missing before EIP-155 and on a fifth of real answers.
 *
 * Source: docs/interface.md#2.9, EIP-155.
 */
export const Legacy = open(
  "Legacy transaction",
  {
    ...common,
    ...signature,
    ...price,
    /** 0; some nodes leave it out. Source: EIP-2718; decision 0020. */
    type: Schema.optionalKey(typeOf(0)),
    chainId: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

/**
 * A transaction with an access list (type 1).
 *
 * Source: docs/interface.md#2.9, EIP-2930.
 */
export const AccessList = open(
  "AccessList transaction",
  {
    ...common,
    ...signature,
    ...price,
    ...chain,
    ...accessList,
    /** 1. Source: EIP-2718. */
    type: typeOf(1),
  },
  unplaced,
)

/**
 * A transaction with a fee market (type 2).
 *
 * Source: docs/interface.md#2.9, EIP-1559.
 */
export const FeeMarket = open(
  "FeeMarket transaction",
  {
    ...common,
    ...signature,
    ...fees,
    ...chain,
    ...mayHaveAccessList,
    /** 2. Source: EIP-2718. */
    type: typeOf(2),
  },
  unplaced,
)

/**
 * A transaction that carries blobs (type 3).
 *
 * Source: EIP-4844.
 */
export const Blob = open(
  "Blob transaction",
  {
    ...common,
    ...signature,
    ...fees,
    ...chain,
    ...mayHaveAccessList,
    /** 3. Source: EIP-2718. */
    type: typeOf(3),
    /** Most that is paid per unit of blob gas, in wei. Source: EIP-4844. */
    maxFeePerBlobGas: Quantity.Quantity,
    /** Versioned hashes of the blobs. Source: EIP-4844. */
    blobVersionedHashes: Schema.Array(Hash.Hash),
  },
  unplaced,
)

/**
 * A transaction that sets the code of accounts (type 4).
 *
 * Source: EIP-7702.
 */
export const SetCode = open(
  "SetCode transaction",
  {
    ...common,
    ...signature,
    ...fees,
    ...chain,
    ...mayHaveAccessList,
    /** 4. Source: EIP-2718. */
    type: typeOf(4),
    /** Permissions of the accounts whose code is set. Source: EIP-7702. */
    authorizationList: Schema.Array(Authorization),
  },
  unplaced,
)

export { Deposit, Arbitrum, StateSync } from "./internal/chainTransactions.ts"

/**
 * A type number outside the families that are known here. A type is one byte, so the type lists the other bytes: comparing
 * with a known type then narrows to its case. A larger number that a chain might send is kept as well.
 *
 * Source: EIP-2718; decision 0004.
 */
export type UnknownType = UnknownTypeByte

/**
 * A transaction of a type that is not known here. Fields that mean the same on every chain are typed where present;
 * the rest is kept as it came and listed by `extras`.
 *
 * Source: EIP-2718; decision 0004.
 */
export const Unknown = open(
  "Unknown transaction",
  {
    ...place,
    ...unsigned,
    /** Hash of the transaction. */
    hash: Hash.Hash,
    /** Sender. */
    from: Address.Address,
    /** A number outside the known families. Source: EIP-2718. */
    type: unknownType,
    to: Schema.optionalKey(Address.OrNull),
    value: Schema.optionalKey(Quantity.OrNull),
    input: Schema.optionalKey(Hex.OrNull),
    gas: Schema.optionalKey(Quantity.OrNull),
    nonce: Schema.optionalKey(Quantity.OrNull),
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    maxFeePerGas: Schema.optionalKey(Quantity.OrNull),
    maxPriorityFeePerGas: Schema.optionalKey(Quantity.OrNull),
    chainId: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

/**
 * A legacy transaction.
 */
export interface Legacy extends Schema.Schema.Type<typeof Legacy> {}

/**
 * A transaction with an access list.
 */
export interface AccessList extends Schema.Schema.Type<typeof AccessList> {}

/**
 * A transaction with a fee market.
 */
export interface FeeMarket extends Schema.Schema.Type<typeof FeeMarket> {}

/**
 * A transaction that carries blobs.
 */
export interface Blob extends Schema.Schema.Type<typeof Blob> {}

/**
 * A transaction that sets the code of accounts.
 */
export interface SetCode extends Schema.Schema.Type<typeof SetCode> {}

/**
 * A transaction of a type that is not known here.
 */
export interface Unknown extends Schema.Schema.Type<typeof Unknown> {}

/**
 * A transaction of any type; `type` tells which, and narrows.
 */
export type Transaction = Legacy | AccessList | FeeMarket | Blob | SetCode | Deposit | Arbitrum | StateSync | Unknown

const members = [Legacy, AccessList, FeeMarket, Blob, SetCode, Deposit, Arbitrum, StateSync, Unknown] as const

const memberOf = (value: object): number => {
  const type = (value as { readonly type?: unknown }).type
  if (type === undefined) return 0
  const number = numberOf(type)
  if (number <= 4 && knownTypes.has(number)) return number
  if (number === 0x7e) return 5
  if (number === 0x7f) return 7
  return knownTypes.has(number) ? 6 : 8
}

const byMember = (direction: "read" | "write"): Step => {
  const steps = members.map((member) => coderOf(member)![direction])
  return (input) => (typeof input === "object" && input !== null ? steps[memberOf(input)]!(input) : unread)
}

/**
 * A transaction of any type, dispatched by `type` (missing: legacy).
 *
 * **Details**
 *
 * A broken transaction of a known type is an error, never an unknown one. Unknown keys are kept and written again.
 *
 * Source: docs/interface.md#2.9, EIP-2718; decisions 0004 and 0020.
 */
export const Transaction: Resource<Transaction, (typeof members)[number]["Encoded"]> = Schema.toStandardSchemaV1(
  withCoder(
    Schema.declareConstructor<Transaction, (typeof members)[number]["Encoded"]>()(
      members,
      (codecs) => {
        const parsers = codecs.map((codec) =>
          SchemaParser.decodeUnknownEffect(codec as Schema.Codec<Transaction, unknown>),
        )
        return (input, ast, options) =>
          typeof input === "object" && input !== null
            ? parsers[memberOf(input)]!(input, options)
            : Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
      },
      {
        expected: "a transaction object",
        toCodecJson: (codecs) => same(Schema.Union(codecs)),
        toCodecArbitrary: ({ typeParameters }) => same(Schema.Union(typeParameters)),
      },
    ),
    { read: byMember("read"), write: byMember("write") },
  ),
)

/**
 * The keys of a transaction that its type does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (transaction: Transaction): Readonly<Record<string, unknown>> =>
  (members[memberOf(transaction)] as Open<Schema.Struct.Fields>).extras(transaction)
