/**
 * The fields that transactions of several types share, and how a type is read. The types themselves are in `Transaction`.
 */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { unread } from "./coder.ts"
import { smallDecimal, smallHex } from "./hexText.ts"
import { leaf, oneOf, typeSide } from "./leaf.ts"

/** Where a transaction stands in the chain. */
export const place = {
  /** Hash of the block; `null` while pending, also where missing. */
  blockHash: Schema.optionalKey(Hash.OrNull),
  /** Number of the block; `null` while pending, also where missing. Wire: hex quantity. */
  blockNumber: Schema.optionalKey(Quantity.OrNull),
  /** Position in the block, from 0; `null` while pending, also where missing. */
  transactionIndex: Schema.optionalKey(Quantity.SafeIntegerOrNull),
  /** Time of the block in seconds since 1970; `null` while pending; only newer nodes send it. Source: execution-apis. */
  blockTimestamp: Schema.optionalKey(Quantity.OrNull),
}

/** What a transaction without a place has in the program. */
export const unplaced = { blockHash: () => null, blockNumber: () => null, transactionIndex: () => null }

/** What every transaction has. */
export const common = {
  ...place,
  /** Hash of the transaction. */
  hash: Hash.Hash,
  /** Sender. */
  from: Address.Address,
  /** Recipient; `null` when a contract is created. */
  to: Address.OrNull,
  /** Amount in wei. Wire: hex quantity. */
  value: Quantity.Quantity,
  /** Call data, or the init code of a creation; `0x` when none. */
  input: Hex.Hex,
  /** Gas limit, in gas units. Wire: hex quantity. */
  gas: Quantity.Quantity,
  /** How many transactions the sender had sent before. Wire: hex quantity. */
  nonce: Quantity.SafeInteger,
}

/** The signature of a transaction that has a signer. */
export const signature = {
  /** Recovery value of the signature; may exceed 64 bits on chains with large ids. */
  v: Quantity.Quantity,
  /** First half of the signature, digits as they came. */
  r: Hex.HexText,
  /** Second half of the signature, digits as they came. */
  s: Hex.HexText,
  /** Parity of the signature's point, 0 or 1; newer nodes send it beside `v`. Source: EIP-2930. */
  yParity: Schema.optionalKey(Quantity.OrNull),
}

/** The signature where there may be none. */
export const unsigned = {
  v: Schema.optionalKey(Quantity.Quantity),
  r: Schema.optionalKey(Hex.HexText),
  s: Schema.optionalKey(Hex.HexText),
  yParity: Schema.optionalKey(Quantity.OrNull),
}

/** The number of a transaction type under any spelling; NaN where it is none. */
export const numberOf = (type: unknown): number => {
  if (typeof type === "number") return type
  if (typeof type !== "string") return NaN
  const hex = smallHex(type)
  const number = hex >= 0 ? hex : smallDecimal(type)
  return number >= 0 ? number : NaN
}

/** The `type` of one known family: only its number is read, under any spelling. */
export const typeOf = <const N extends number>(type: N): Schema.Codec<N, string> =>
  leaf<N, string>({
    expected: `transaction type 0x${type.toString(16)}`,
    wire: Schema.Literal(`0x${type.toString(16)}`),
    read: (input) => (numberOf(input) === type ? type : unread),
    write: (value) => `0x${value.toString(16)}`,
    type: oneOf([type]),
  })

/** The price of a transaction before EIP-1559. */
export const price = {
  /** Price paid per unit of gas, in wei. */
  gasPrice: Quantity.Quantity,
}

/** The chain that a transaction was signed for. */
export const chain = {
  /** EIP-155 id of the chain. Wire: hex quantity. */
  chainId: Quantity.Quantity,
}

/** The prices of a transaction since EIP-1559. */
export const fees = {
  /** Price paid per unit of gas, in wei, once it is known; some nodes leave it out. */
  gasPrice: Schema.optionalKey(Quantity.OrNull),
  /** Most that is paid per unit of gas, in wei. */
  maxFeePerGas: Quantity.Quantity,
  /** Most that goes to the block's producer per unit of gas, in wei. */
  maxPriorityFeePerGas: Quantity.Quantity,
}

const arbitrumTypes = [0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x78] as const

type ArbitrumType = (typeof arbitrumTypes)[number]

const isArbitrumType = (type: number): type is ArbitrumType => (arbitrumTypes as ReadonlyArray<number>).includes(type)

/** The `type` of the families of Arbitrum. */
export const arbitrumType = leaf<ArbitrumType, string>({
  expected: "a transaction type of Arbitrum",
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

/** The bytes that are no known type. */
export type UnknownTypeByte = Exclude<Bytes, 0 | 1 | 2 | 3 | 4 | 0x7e | 0x7f | ArbitrumType>

/** The types that have a case of their own. */
export const knownTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 0x7e, 0x7f, ...arbitrumTypes])

// A type is one byte; what is read of larger ones ends where `numberOf` ends.
const isUnknownType = (input: unknown): input is UnknownTypeByte =>
  Number.isInteger(input) && (input as number) >= 0 && (input as number) < 2 ** 52 && !knownTypes.has(input as number)

/** The `type` of every other family. */
export const unknownType = leaf<UnknownTypeByte, string>({
  expected: "a transaction type outside the known ones",
  wire: Schema.String.check(Schema.isPattern(/^0x(0|[1-9a-f][0-9a-f]*)$/u)),
  read: (input) => {
    const type = numberOf(input)
    return isUnknownType(type) ? type : unread
  },
  write: (value) => `0x${value.toString(16)}`,
  type: typeSide<UnknownTypeByte>({
    expected: "a transaction type outside the known ones",
    is: isUnknownType,
    from: Schema.Int.check(Schema.isBetween({ minimum: 0x80, maximum: 0xff })),
  }),
})
