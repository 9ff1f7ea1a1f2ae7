/**
 * Decimal text of the REST operation: unsigned integers written as decimal digits.
 * This is the one place where they are read and written. Hex quantities of JSON-RPC are `Quantity`.
 */
import * as Schema from "effect/Schema"
import { isDigits, smallDecimal } from "./internal/hexText.ts"
import { unread, type Unread } from "./internal/coder.ts"
import { bigint, isCount, maxDigits, numberLeaf, safeInteger, tooLarge } from "./internal/integer.ts"
import { leaf, orEmpty, relax } from "./internal/leaf.ts"

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
 * An unsigned integer of up to 256 bits, such as an amount or gas; `bigint` in the program.
 *
 * **Details**
 *
 * Wire: a string of decimal digits without leading zeros. Also read: leading zeros and JSON numbers.
 *
 * Source: docs/interface.md#2 (numeric strings); decision 0003.
 */
export const Decimal: Schema.Codec<bigint, string> = leaf({
  expected: "decimal digits such as 21000",
  wire,
  read: toBigInt,
  write: (value) => value.toString(),
  type: bigint,
})

/**
 * A position, count or nonce: an unsigned safe integer; `number` in the program.
 *
 * **Details**
 *
 * Written and read like `Decimal`, but at most 2^53 - 1.
 *
 * Source: docs/interface.md#2 (numeric strings); decision 0003.
 */
export const SafeInteger: Schema.Codec<number, string> = leaf({
  expected: "decimal digits of a safe integer such as 12",
  wire,
  read: toSafeInteger,
  write: (value) => value.toString(),
  type: safeInteger,
})

/**
 * A `SafeInteger` that is `null` when the wire has none (`""` or `null`); written as `""`.
 *
 * Source: decision 0002.
 */
export const SafeIntegerOrEmpty: Schema.Codec<number | null, string> = orEmpty(SafeInteger, "")

/**
 * A `Decimal` that the interface types as a JSON number, such as the block number of an internal transaction.
 *
 * **Details**
 *
 * Written as a JSON number; a value above 2^53 - 1 cannot be written.
 *
 * Source: docs/interface.md#2.5; decision 0003.
 */
export const FromNumber: Schema.Codec<bigint, number> = relax(Decimal, (options) => ({
  ...options,
  ...numberLeaf("a block number such as 12", toSafeInteger),
}))
