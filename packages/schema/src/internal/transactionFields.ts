/**
 * Fields that several transaction types share, and the codecs of the `type` field. The transactions are in `Transaction`.
 */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { unread } from "./coder.ts"
import { smallDecimal, smallHex } from "./hexText.ts"
import { leaf, oneOf, typeSide } from "./leaf.ts"

/** Position of a transaction in the chain. */
export const place = {
  /** Block hash; `null` while pending or absent. */
  blockHash: Schema.optionalKey(Hash.OrNull),
  /** Block number; `null` while pending or absent. */
  blockNumber: Schema.optionalKey(Quantity.OrNull),
  /** Index in the block, from 0; `null` while pending or absent. */
  transactionIndex: Schema.optionalKey(Quantity.SafeIntegerOrNull),
  /** Block time, in seconds since 1970; `null` while pending; only newer nodes send it. */
  blockTimestamp: Schema.optionalKey(Quantity.OrNull),
}

/** Decoded position of a transaction that is not in a block. */
export const unplaced = { blockHash: () => null, blockNumber: () => null, transactionIndex: () => null }

/** Fields of every transaction. */
export const common = {
  ...place,
  /** Transaction hash. */
  hash: Hash.Hash,
  /** Sender address. */
  from: Address.Address,
  /** Recipient address; `null` for a contract creation. */
  to: Address.OrNull,
  /** Transferred value in wei. */
  value: Quantity.Quantity,
  /** Call data, or init code of a contract creation; `0x` when empty. */
  input: Hex.Hex,
  /** Gas limit, in gas units. */
  gas: Quantity.Quantity,
  /** Number of transactions sent by the sender before this one; `null` on Tron, which has none. */
  nonce: Quantity.SafeIntegerOrNull,
}

/** Signature of a transaction. */
export const signature = {
  /** Recovery id of the signature; may exceed 64 bits on chains with large ids. */
  v: Quantity.Quantity,
  /** Signature value r, with the digits received. */
  r: Hex.HexText,
  /** Signature value s, with the digits received. */
  s: Hex.HexText,
  /** Parity of the y coordinate of the signature, 0 or 1; newer nodes send it next to `v`. */
  yParity: Schema.optionalKey(Quantity.OrNull),
}

/** Signature of a transaction that may have none. */
export const unsigned = {
  /** Recovery id of the signature. */
  v: Schema.optionalKey(Quantity.Quantity),
  /** Signature value r, with the digits received. */
  r: Schema.optionalKey(Hex.HexText),
  /** Signature value s, with the digits received. */
  s: Schema.optionalKey(Hex.HexText),
  /** Parity of the y coordinate of the signature, 0 or 1. */
  yParity: Schema.optionalKey(Quantity.OrNull),
}

/** Number of a transaction type given in hex, decimal or as a JSON number; NaN for any other value. */
export const numberOf = (type: unknown): number => {
  if (typeof type === "number") return type
  if (typeof type !== "string") return NaN
  const hex = smallHex(type)
  const number = hex >= 0 ? hex : smallDecimal(type)
  return number >= 0 ? number : NaN
}

/** Codec of the `type` field of one transaction type. */
export const typeOf = <const N extends number>(type: N): Schema.Codec<N, string> =>
  leaf<N, string>({
    expected: `transaction type 0x${type.toString(16)}`,
    wire: Schema.Literal(`0x${type.toString(16)}`),
    read: (input) => (numberOf(input) === type ? type : unread),
    write: (value) => `0x${value.toString(16)}`,
    type: oneOf([type]),
  })

/** Gas price of a transaction before EIP-1559. */
export const price = {
  /** Gas price in wei. */
  gasPrice: Quantity.Quantity,
}

/** Chain of a transaction. */
export const chain = {
  /** Chain id (EIP-155). */
  chainId: Quantity.Quantity,
}

/** Fees of a transaction since EIP-1559. */
export const fees = {
  /** Effective gas price in wei; `null` while pending; some nodes omit it. */
  gasPrice: Schema.optionalKey(Quantity.OrNull),
  /** Maximum fee per gas in wei. */
  maxFeePerGas: Quantity.Quantity,
  /** Maximum priority fee per gas in wei. */
  maxPriorityFeePerGas: Quantity.Quantity,
}

/** Currency of the fee. */
export const feeCurrency = {
  /** Celo: token in which the fee is paid; `null` or absent for the native currency. */
  feeCurrency: Schema.optionalKey(Address.OrNull),
}

const arbitrumTypes = [0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x78] as const

type ArbitrumType = (typeof arbitrumTypes)[number]

const isArbitrumType = (type: number): type is ArbitrumType => (arbitrumTypes as ReadonlyArray<number>).includes(type)

/** Codec of the `type` field of Arbitrum transactions. */
export const arbitrumType = leaf<ArbitrumType, string>({
  expected: "an Arbitrum transaction type such as 0x64",
  wire: Schema.Literals(["0x64", "0x65", "0x66", "0x68", "0x69", "0x6a", "0x78"]),
  read: (input) => {
    const type = numberOf(input)
    return isArbitrumType(type) ? type : unread
  },
  write: (value) => `0x${value.toString(16)}`,
  type: oneOf(arbitrumTypes),
})

type Bytes<Counted extends ReadonlyArray<number> = []> = Counted["length"] extends 256
  ? Counted[number]
  : Bytes<readonly [...Counted, Counted["length"]]>

/** Bytes that are not a known transaction type. */
export type UnknownTypeByte = Exclude<Bytes, 0 | 1 | 2 | 3 | 4 | 0x7e | 0x7f | ArbitrumType>

/** Numbers of the known transaction types. */
export const knownTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 0x7e, 0x7f, ...arbitrumTypes])

// By EIP-2718 a type is one byte; larger numbers decode up to the limit of `numberOf`.
const isUnknownType = (input: unknown): input is UnknownTypeByte =>
  Number.isInteger(input) && (input as number) >= 0 && (input as number) < 2 ** 52 && !knownTypes.has(input as number)

/** Codec of the `type` field of unknown transaction types. */
export const unknownType = leaf<UnknownTypeByte, string>({
  expected: "an unknown transaction type",
  wire: Schema.String.check(Schema.isPattern(/^0x(0|[1-9a-f][0-9a-f]*)$/u)),
  read: (input) => {
    const type = numberOf(input)
    return isUnknownType(type) ? type : unread
  },
  write: (value) => `0x${value.toString(16)}`,
  type: typeSide<UnknownTypeByte>({
    expected: "an unknown transaction type",
    is: isUnknownType,
    from: Schema.Int.check(Schema.isBetween({ minimum: 0x80, maximum: 0xff })),
  }),
})
