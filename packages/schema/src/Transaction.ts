/**
 * Transactions of JSON-RPC, discriminated by their EIP-2718 type. Transactions of the REST operations are `WalletTransaction`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import * as objects from "./internal/generated/objects.ts"
import { Arbitrum, Deposit, StateSync } from "./internal/chainTransactions.ts"
import { coderOf, type Step, unread, withCoder } from "./internal/coder.ts"
import { same } from "./internal/leaf.ts"
import { type Named, open, type Open, type Resource } from "./internal/open.ts"
import {
  chain,
  common,
  feeCurrency,
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

const accessListEntryCodec = open("AccessListEntry", {
  /** Accessed address. */
  address: Address.Address,
  /** Accessed storage slots of the address. */
  storageKeys: Schema.Array(Hash.Hash),
})

export interface AccessListEntry extends Schema.Schema.Type<typeof accessListEntryCodec> {}

/** Encoded form of `AccessListEntry`: the values of its JSON. */
export interface AccessListEntryWire extends Schema.Codec.Encoded<typeof accessListEntryCodec> {}

/**
 * Entry of an access list: an address and the storage slots that the transaction declares to access.
 *
 * **Example** (Decoding an entry)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * const entry = Schema.decodeUnknownSync(Transaction.AccessListEntry)({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", storageKeys: [] })
 * console.log(entry.storageKeys) // []
 * ```
 *
 * Source: EIP-2930.
 */
export const AccessListEntry: Named<typeof accessListEntryCodec, AccessListEntry, AccessListEntryWire> =
  accessListEntryCodec

const authorizationCodec = open("Authorization", {
  /** Chain id for which the authorization is valid; 0 for every chain; Moonbeam sends `chain_id` instead. */
  chainId: Schema.optionalKey(Quantity.Quantity),
  /** Contract that the code is delegated to. */
  address: Address.Address,
  /** Nonce of the authorizing account. */
  nonce: Quantity.Quantity,
  /** Parity of the y coordinate of the signature, 0 or 1. */
  yParity: Schema.optionalKey(Quantity.Quantity),
  /** Recovery id; some nodes send it instead of `yParity`. */
  v: Schema.optionalKey(Quantity.Quantity),
  /** Signature value r; Moonbeam nests it in `signature`. */
  r: Schema.optionalKey(Hex.HexText),
  /** Signature value s; Moonbeam nests it in `signature`. */
  s: Schema.optionalKey(Hex.HexText),
})

export interface Authorization extends Schema.Schema.Type<typeof authorizationCodec> {}

/** Encoded form of `Authorization`: the values of its JSON. */
export interface AuthorizationWire extends Schema.Codec.Encoded<typeof authorizationCodec> {}

/**
 * Signed authorization of an account to delegate its code to a contract.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.Authorization.fields.chainId)("0x1")) // 1n
 * ```
 *
 * Source: EIP-7702; decision 0020.
 */
export const Authorization: Named<typeof authorizationCodec, Authorization, AuthorizationWire> = authorizationCodec

const accessList = {
  /** Addresses and storage slots that the transaction declares to access. */
  accessList: Schema.Array(AccessListEntry),
}

const mayHaveAccessList = {
  /** Addresses and storage slots that the transaction declares to access; some nodes omit it, those of Filecoin send `null`. */
  accessList: Schema.optionalKey(Schema.NullOr(Schema.Array(AccessListEntry))),
}

const legacyCodec = open(
  "Legacy transaction",
  {
    ...common,
    ...signature,
    ...price,
    /** Transaction type 0; some nodes omit it. */
    type: Schema.optionalKey(typeOf(0)),
    /** Chain id; absent before EIP-155, and omitted by some nodes. */
    chainId: Schema.optionalKey(Quantity.OrNull),
    ...feeCurrency,
  },
  unplaced,
  objects.Legacy,
)

export interface Legacy extends Schema.Schema.Type<typeof legacyCodec> {}

/** Encoded form of `Legacy`: the values of its JSON. */
export interface LegacyWire extends Schema.Codec.Encoded<typeof legacyCodec> {}

/**
 * Legacy transaction: type 0, or no `type` at all.
 *
 * **Example** (Narrowing by type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * export const priceOf = (legacy: Transaction.Legacy): bigint => legacy.gasPrice
 * console.log(Schema.decodeUnknownSync(Transaction.Legacy.fields.gasPrice)("0x7")) // 7n
 * ```
 *
 * Source: docs/interface.md#2.9; EIP-155, EIP-2718; decision 0020.
 */
export const Legacy: Named<typeof legacyCodec, Legacy, LegacyWire> = legacyCodec

const accessListCodec = open(
  "AccessList transaction",
  {
    ...common,
    ...signature,
    ...price,
    ...chain,
    ...accessList,
    /** Transaction type 1. */
    type: typeOf(1),
  },
  unplaced,
)

export interface AccessList extends Schema.Schema.Type<typeof accessListCodec> {}

/** Encoded form of `AccessList`: the values of its JSON. */
export interface AccessListWire extends Schema.Codec.Encoded<typeof accessListCodec> {}

/**
 * Access list transaction (type 1).
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.AccessList.fields.type)("0x1")) // 1
 * ```
 *
 * Source: docs/interface.md#2.9; EIP-2718, EIP-2930.
 */
export const AccessList: Named<typeof accessListCodec, AccessList, AccessListWire> = accessListCodec

const feeMarketCodec = open(
  "FeeMarket transaction",
  {
    ...common,
    ...signature,
    ...fees,
    ...chain,
    ...mayHaveAccessList,
    /** Transaction type 2. */
    type: typeOf(2),
  },
  unplaced,
  objects.FeeMarket,
)

export interface FeeMarket extends Schema.Schema.Type<typeof feeMarketCodec> {}

/** Encoded form of `FeeMarket`: the values of its JSON. */
export interface FeeMarketWire extends Schema.Codec.Encoded<typeof feeMarketCodec> {}

/**
 * Fee market transaction (type 2).
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.FeeMarket.fields.type)("0x2")) // 2
 * ```
 *
 * Source: docs/interface.md#2.9; EIP-1559, EIP-2718.
 */
export const FeeMarket: Named<typeof feeMarketCodec, FeeMarket, FeeMarketWire> = feeMarketCodec

const blobCodec = open(
  "Blob transaction",
  {
    ...common,
    ...signature,
    ...fees,
    ...chain,
    ...mayHaveAccessList,
    /** Transaction type 3. */
    type: typeOf(3),
    /** Maximum fee per unit of blob gas, in wei. */
    maxFeePerBlobGas: Quantity.Quantity,
    /** Versioned hashes of the blobs. */
    blobVersionedHashes: Schema.Array(Hash.Hash),
  },
  unplaced,
)

export interface Blob extends Schema.Schema.Type<typeof blobCodec> {}

/** Encoded form of `Blob`: the values of its JSON. */
export interface BlobWire extends Schema.Codec.Encoded<typeof blobCodec> {}

/**
 * Blob transaction (type 3).
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.Blob.fields.type)("0x3")) // 3
 * ```
 *
 * Source: EIP-2718, EIP-4844.
 */
export const Blob: Named<typeof blobCodec, Blob, BlobWire> = blobCodec

const setCodeCodec = open(
  "SetCode transaction",
  {
    ...common,
    ...signature,
    ...fees,
    ...chain,
    ...mayHaveAccessList,
    /** Transaction type 4. */
    type: typeOf(4),
    /** Authorizations of the accounts whose code is delegated. */
    authorizationList: Schema.Array(Authorization),
  },
  unplaced,
  objects.SetCode,
)

export interface SetCode extends Schema.Schema.Type<typeof setCodeCodec> {}

/** Encoded form of `SetCode`: the values of its JSON. */
export interface SetCodeWire extends Schema.Codec.Encoded<typeof setCodeCodec> {}

/**
 * Set code transaction (type 4): delegates the code of accounts to contracts.
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.SetCode.fields.type)("0x4")) // 4
 * ```
 *
 * Source: EIP-2718, EIP-7702.
 */
export const SetCode: Named<typeof setCodeCodec, SetCode, SetCodeWire> = setCodeCodec

export {
  Deposit,
  type DepositWire,
  Arbitrum,
  type ArbitrumWire,
  StateSync,
  type StateSyncWire,
} from "./internal/chainTransactions.ts"

/**
 * Number of a transaction type unknown to the schema. The TypeScript type lists the remaining bytes, so that comparing `type` with a known
 * number narrows a `Transaction`. Larger numbers decode too.
 *
 * Source: EIP-2718; decision 0020.
 */
export type UnknownType = UnknownTypeByte

const unknownCodec = open(
  "Unknown transaction",
  {
    ...place,
    ...unsigned,
    /** Transaction hash. */
    hash: Hash.Hash,
    /** Sender address. */
    from: Address.Address,
    /** Number of an unknown transaction type. */
    type: unknownType,
    /** Recipient address. */
    to: Schema.optionalKey(Address.OrNull),
    /** Transferred value in wei. */
    value: Schema.optionalKey(Quantity.OrNull),
    /** Call data, or init code of a contract creation. */
    input: Schema.optionalKey(Hex.OrNull),
    /** Gas limit, in gas units. */
    gas: Schema.optionalKey(Quantity.OrNull),
    /** Number of transactions sent by the sender before this one. */
    nonce: Schema.optionalKey(Quantity.OrNull),
    /** Gas price in wei. */
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Maximum fee per gas in wei. */
    maxFeePerGas: Schema.optionalKey(Quantity.OrNull),
    /** Maximum priority fee per gas in wei. */
    maxPriorityFeePerGas: Schema.optionalKey(Quantity.OrNull),
    /** Chain id. */
    chainId: Schema.optionalKey(Quantity.OrNull),
    ...feeCurrency,
  },
  unplaced,
)

export interface Unknown extends Schema.Schema.Type<typeof unknownCodec> {}

/** Encoded form of `Unknown`: the values of its JSON. */
export interface UnknownWire extends Schema.Codec.Encoded<typeof unknownCodec> {}

/**
 * Transaction of a type unknown to the schema. Fields with the same meaning on every chain are typed; other keys are kept and listed by
 * `extras`.
 *
 * **Example** (Decoding a transaction of an unknown type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { type: "0x55", hash: `0x${"ab".repeat(32)}`, from: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", shard: "0x1" }
 * const transaction = Schema.decodeUnknownSync(Transaction.Unknown)({ ...wire, blockHash: null, blockNumber: null, transactionIndex: null })
 * console.log(transaction.type, Transaction.Unknown.extras(transaction)) // 85 { shard: '0x1' }
 * ```
 *
 * Source: EIP-2718; decision 0020.
 */
export const Unknown: Named<typeof unknownCodec, Unknown, UnknownWire> = unknownCodec

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
 * Transaction of any type, discriminated by `type`; a transaction without one is legacy.
 *
 * **Details**
 *
 * An invalid transaction of a known type is an error and does not decode as an unknown type. Unknown keys are kept and encoded again.
 *
 * **Example** (Narrowing by type)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 * import * as Transaction from "@daybook/schema/Transaction"
 *
 * export const tipOf = (transaction: Transaction.Transaction): bigint | undefined =>
 *   transaction.type === 2 ? transaction.maxPriorityFeePerGas : undefined
 * console.log(Issue.find(Transaction.Transaction, { type: "0x2" })[0]?.received) // nothing
 * ```
 *
 * Source: docs/interface.md#2.9; EIP-2718; decision 0020.
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
 * Unknown keys of a transaction, by the schema of its type, with the values received.
 *
 * **Example** (Listing the fields of a chain)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 *
 * declare const transaction: Transaction.Transaction
 * export const extras = () => Transaction.extras(transaction)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (transaction: Transaction): Readonly<Record<string, unknown>> =>
  (members[memberOf(transaction)] as Open<Schema.Struct.Fields>).extras(transaction)
