/** Unsigned integers in decoded form and as JSON numbers: what `Decimal` and `Quantity` share. */
import * as Schema from "effect/Schema"
import { unread, type Unread } from "./coder.ts"
import { type LeafOptions, type Side, typeSide } from "./leaf.ts"

/** First integer that does not fit into 256 bits. */
export const tooLarge = 2n ** 256n

/** Digits of the largest integer of 256 bits. */
export const maxDigits = 78

/** True for a safe integer of at least 0. Rejects -0, which JSON has but which would not be encoded as received. */
export const isCount = (input: unknown): input is number =>
  Number.isSafeInteger(input) && (input as number) >= 0 && !Object.is(input, -0)

/** Decoded side: an unsigned 256-bit `bigint`. */
export const bigint: Side<bigint> = typeSide<bigint>({
  expected: "an unsigned bigint of at most 256 bits",
  is: (input): input is bigint => typeof input === "bigint" && input >= 0n && input < tooLarge,
  from: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: tooLarge - 1n })),
})

/** Decoded side: an unsigned safe integer. */
export const safeInteger: Side<number> = typeSide<number>({
  expected: "an unsigned safe integer",
  is: isCount,
  from: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
})

/** Leaf with a JSON number on the wire that decodes to a `bigint`. */
export const numberLeaf = (
  expected: string,
  toSafeInteger: (input: unknown) => number | Unread,
): LeafOptions<bigint, number> => ({
  expected,
  wire: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  read: (input) => {
    const value = toSafeInteger(input)
    return value === unread ? unread : BigInt(value)
  },
  write: Number,
  type: typeSide<bigint>({
    expected: "an unsigned bigint of at most 53 bits",
    is: (input): input is bigint => typeof input === "bigint" && input >= 0n && input < 2n ** 53n,
    from: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 53n - 1n })),
  }),
})
