/**
 * Codecs of decimal strings, the unsigned integers of the REST operations. Hex quantities of JSON-RPC are `Quantity`.
 */
import * as Schema from "effect/Schema"
import { isDigits, smallDecimal } from "./internal/hexText.ts"
import { unread, type Unread } from "./internal/coder.ts"
import { bigint, isCount, maxDigits, numberLeaf, safeInteger, tooLarge } from "./internal/integer.ts"
import { leaf, orEmpty, relax, typeSide } from "./internal/leaf.ts"

const toBigInt = (input: unknown): bigint | Unread => {
  if (typeof input !== "string") return isCount(input) ? BigInt(input) : unread
  const small = smallDecimal(input)
  if (small >= 0) return BigInt(small)
  if (input.length > maxDigits || !isDigits(input)) return unread
  const value = BigInt(input)
  return value < tooLarge ? value : unread
}

const toSafeInteger = (input: unknown): number | Unread => {
  if (typeof input !== "string") return isCount(input) ? input : unread
  const small = smallDecimal(input)
  if (small >= 0) return small
  if (input.length > maxDigits || !isDigits(input)) return unread
  const value = Number(input)
  return Number.isSafeInteger(value) ? value : unread
}

const wire = Schema.String.check(Schema.isPattern(/^(0|[1-9][0-9]*)$/u)).annotate({
  title: "decimal",
  examples: ["0", "21000"],
})

/**
 * Unsigned integer of up to 256 bits, such as an amount or gas; decodes to `bigint`.
 *
 * **Details**
 *
 * Wire: a string of decimal digits without leading zeros. Also decodes leading zeros and JSON numbers.
 *
 * **Example** (Decoding an amount)
 *
 * ```ts
 * import * as Decimal from "@daybook/schema/Decimal"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Decimal.Decimal)("21000")) // 21000n
 * ```
 *
 * Source: docs/interface.md#2 (numeric strings); decision 0020.
 */
export const Decimal: Schema.Codec<bigint, string> = leaf({
  expected: "decimal digits of at most 256 bits such as 21000",
  wire,
  read: toBigInt,
  write: (value) => value.toString(),
  type: bigint,
})

const maxSignedDigits = 100

const isSigned = (input: unknown): input is bigint =>
  typeof input === "bigint" && input < 10n ** 100n && input > -(10n ** 100n)

const toSigned = (input: unknown): bigint | Unread => {
  if (typeof input !== "string")
    return Number.isSafeInteger(input) && !Object.is(input, -0) ? BigInt(input as number) : unread
  const digits = input.startsWith("-") ? input.slice(1) : input
  if (digits.length > maxSignedDigits || !isDigits(digits) || (digits === "0" && input !== "0")) return unread
  return BigInt(input)
}

const signedWire = Schema.String.check(Schema.isPattern(/^(0|-?[1-9][0-9]*)$/u)).annotate({
  title: "signed decimal",
  examples: ["0", "-21000"],
})

/**
 * Signed integer, such as the amount of a movement; decodes to `bigint`. Up to 100 digits, because a sum of 256-bit amounts may exceed 256
 * bits.
 *
 * **Details**
 *
 * Wire: a string of decimal digits without leading zeros, after `-` if it is negative. Also decodes leading zeros and JSON numbers.
 *
 * **Example** (Decoding an amount that was sent)
 *
 * ```ts
 * import * as Decimal from "@daybook/schema/Decimal"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Decimal.Signed)("-21000")) // -21000n
 * ```
 *
 * Source: decision 0048.
 */
export const Signed: Schema.Codec<bigint, string> = leaf({
  expected: "at most 100 decimal digits such as -21000",
  wire: signedWire,
  read: toSigned,
  write: (value) => value.toString(),
  type: typeSide<bigint>({
    expected: "a bigint of at most 100 digits",
    is: isSigned,
    from: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n - 10n ** 100n, maximum: 10n ** 100n - 1n })),
  }),
})

/**
 * Index, count or nonce: an unsigned safe integer; decodes to `number`.
 *
 * **Details**
 *
 * Wire form of `Decimal`, at most 2^53 - 1.
 *
 * **Example** (Decoding a position)
 *
 * ```ts
 * import * as Decimal from "@daybook/schema/Decimal"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Decimal.SafeInteger)("12")) // 12
 * ```
 *
 * Source: docs/interface.md#2 (numeric strings); decision 0020.
 */
export const SafeInteger: Schema.Codec<number, string> = leaf({
  expected: "decimal digits of a safe integer such as 12",
  wire,
  read: toSafeInteger,
  write: (value) => value.toString(),
  type: safeInteger,
})

/**
 * `SafeInteger`, or `null`: decodes `""` and `null` to `null`, encodes `null` as `""`.
 *
 * **Example** (Decoding an empty value)
 *
 * ```ts
 * import * as Decimal from "@daybook/schema/Decimal"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Decimal.SafeIntegerOrEmpty)("")) // null
 * ```
 *
 * Source: decision 0020.
 */
export const SafeIntegerOrEmpty: Schema.Codec<number | null, string> = orEmpty(SafeInteger, "")

/**
 * Unsigned integer that the REST operations send as a JSON number, such as the block number of an internal transaction; decodes to
 * `bigint`.
 *
 * **Details**
 *
 * Encoding fails for a value above 2^53 - 1.
 *
 * **Example** (Decoding a JSON number)
 *
 * ```ts
 * import * as Decimal from "@daybook/schema/Decimal"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Decimal.FromNumber)(12)) // 12n
 * ```
 *
 * Source: docs/interface.md#2.5; decision 0020.
 */
export const FromNumber: Schema.Codec<bigint, number> = relax(Decimal, (options) => ({
  ...options,
  ...numberLeaf("a block number such as 12", toSafeInteger),
}))
