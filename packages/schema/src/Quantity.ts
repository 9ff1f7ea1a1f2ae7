/**
 * Codecs of hex quantities, the unsigned integers of JSON-RPC. Decimal strings of the REST operations are `Decimal`; bytes are `Hex`.
 */
import * as Schema from "effect/Schema"
import { hexCase, hexWord, isDigits, smallHex } from "./internal/hexText.ts"
import { unread, type Unread } from "./internal/coder.ts"
import { bigint, isCount, maxDigits, numberLeaf, safeInteger, tooLarge } from "./internal/integer.ts"
import { leaf, orNull, relax } from "./internal/leaf.ts"

const maxHexLength = 66

const toBigInt = (input: unknown): bigint | Unread => {
  if (typeof input !== "string") return isCount(input) ? BigInt(input) : unread
  const word = hexWord(input)
  if (word !== undefined) return word
  if (input.length > maxDigits) return unread
  if (input.length <= maxHexLength && hexCase(input) !== 0) return BigInt(input)
  const value = isDigits(input) ? BigInt(input) : tooLarge
  return value < tooLarge ? value : unread
}

const toSafeInteger = (input: unknown): number | Unread => {
  if (typeof input !== "string") return isCount(input) ? input : unread
  const small = smallHex(input)
  if (small >= 0) return small
  const value = toBigInt(input)
  return value === unread || value > maxSafe ? unread : Number(value)
}

const wire = Schema.String.check(Schema.isPattern(/^0x(0|[1-9a-f][0-9a-f]*)$/u)).annotate({
  title: "quantity",
  examples: ["0x0", "0x1f"],
})

const maxSafe = 2n ** 53n - 1n

/**
 * Unsigned integer of up to 256 bits; decodes to `bigint`.
 *
 * **Details**
 *
 * Wire: `0x` and lower-case hex digits without leading zeros; zero is `0x0`. Also decodes other forms that nodes send: leading zeros, `0x`
 * for zero, upper-case digits, JSON numbers and decimal digits.
 *
 * **Example** (Decoding an amount in wei)
 *
 * ```ts
 * import * as Quantity from "@daybook/schema/Quantity"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Quantity.Quantity)("0xde0b6b3a7640000")) // 1000000000000000000n
 * ```
 *
 * Source: docs/interface.md#2 (hex quantities), Ethereum JSON-RPC; tolerance: decision 0020.
 */
export const Quantity: Schema.Codec<bigint, string> = leaf({
  expected: "a hex quantity of at most 256 bits such as 0x1f",
  wire,
  read: toBigInt,
  write: (value) => `0x${value.toString(16)}`,
  type: bigint,
})

/**
 * Index, count, nonce or type: an unsigned safe integer; decodes to `number`.
 *
 * **Details**
 *
 * Wire form of `Quantity`, at most 2^53 - 1.
 *
 * **Example** (Decoding an index)
 *
 * ```ts
 * import * as Quantity from "@daybook/schema/Quantity"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Quantity.SafeInteger)("0x1f")) // 31
 * ```
 *
 * Source: docs/interface.md#2 (hex quantities); the type side: decision 0020.
 */
export const SafeInteger: Schema.Codec<number, string> = leaf({
  expected: "a hex quantity of at most 53 bits such as 0x1f",
  wire,
  read: toSafeInteger,
  write: (value) => `0x${value.toString(16)}`,
  type: safeInteger,
})

/**
 * `Quantity`, or `null` if there is none yet, such as the number of a pending block.
 *
 * **Example** (Decoding the number of a pending block)
 *
 * ```ts
 * import * as Quantity from "@daybook/schema/Quantity"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Quantity.OrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<bigint | null, string | null> = orNull(Quantity)

/**
 * `SafeInteger`, or `null` if there is none yet, such as the index of a pending transaction.
 *
 * **Example** (Decoding the index of a pending transaction)
 *
 * ```ts
 * import * as Quantity from "@daybook/schema/Quantity"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Quantity.SafeIntegerOrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const SafeIntegerOrNull: Schema.Codec<number | null, string | null> = orNull(SafeInteger)

/**
 * Unsigned integer that JSON-RPC sends as a JSON number, such as the block number of a flat trace; decodes to `bigint`.
 *
 * **Details**
 *
 * Encoding fails for a value above 2^53 - 1.
 *
 * **Example** (Decoding a JSON number)
 *
 * ```ts
 * import * as Quantity from "@daybook/schema/Quantity"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Quantity.FromNumber)(12)) // 12n
 * ```
 *
 * Source: OpenEthereum trace module; decision 0020.
 */
export const FromNumber: Schema.Codec<bigint, number> = relax(SafeInteger, (options) => ({
  ...options,
  ...numberLeaf("an unsigned integer", toSafeInteger),
}))

/**
 * Index or count that JSON-RPC sends as a JSON number; decodes to `number`.
 *
 * **Example** (Decoding a JSON number)
 *
 * ```ts
 * import * as Quantity from "@daybook/schema/Quantity"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Quantity.SafeIntegerFromNumber)(12)) // 12
 * ```
 *
 * Source: OpenEthereum trace module; decision 0020.
 */
export const SafeIntegerFromNumber: Schema.Codec<number, number> = relax(SafeInteger, (options) => ({
  ...options,
  expected: "an unsigned integer",
  wire: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  write: (value: number) => value,
}))
