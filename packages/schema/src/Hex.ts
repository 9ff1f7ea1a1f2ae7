/**
 * Codecs of bytes in hex: call data, log data, blooms, block nonces, signature values. Integers in hex are `Quantity`; addresses and
 * hashes are `Address` and `Hash`.
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { unread, type Unread } from "./internal/coder.ts"
import { hexCase } from "./internal/hexText.ts"
import { leaf, orEmpty, orNull, relax, typeSide } from "./internal/leaf.ts"

export type Hex = `0x${string}`

const pattern = (byteCount: number | undefined) =>
  byteCount === undefined ? /^0x([0-9a-f]{2})*$/u : new RegExp(`^0x[0-9a-f]{${byteCount * 2}}$`, "u")

/** Text in lower case; `unread` if it is not hex. */
const lower = (text: string): string | Unread => {
  const found = hexCase(text)
  return found === 1 ? text : found === 2 ? text.toLowerCase() : unread
}

/** Codec of a fixed or arbitrary number of bytes, with its own brand. */
const bytesAs = <A extends string>(what: string, byteCount: number | undefined): Schema.Codec<A, string> => {
  const length = byteCount === undefined ? undefined : byteCount * 2 + 2
  const wire = Schema.String.check(Schema.isPattern(pattern(byteCount))).annotate({ title: what })
  const fits = (text: string) => (length === undefined ? text.length % 2 === 0 : text.length === length)
  return leaf<A, string>({
    expected: what,
    wire,
    read: (input) => {
      if (typeof input !== "string") return unread
      if (length === undefined && input === "") return "0x" as A
      return fits(input) ? (lower(input) as A | Unread) : unread
    },
    write: (value) => value,
    type: typeSide<A>({
      expected: what,
      is: (input): input is A => typeof input === "string" && fits(input) && hexCase(input) === 1,
      from: wire,
    }),
  })
}

/**
 * Codec of exactly `byteCount` bytes in hex: decodes any case, encodes lower case.
 *
 * **Example** (Making a codec of 4 bytes)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * const Selector = Hex.bytes("a selector of 4 bytes in hex", 4)
 * console.log(Schema.decodeUnknownSync(Selector)("0xA9059CBB")) // 0xa9059cbb
 * ```
 *
 * Source: docs/interface.md#2 (hex strings).
 */
export const bytes = <A extends string = Hex>(what: string, byteCount: number): Schema.Codec<A, string> =>
  bytesAs<A>(what, byteCount)

/**
 * Bytes of any length in lower-case hex, such as call data; `0x` when empty.
 *
 * **Details**
 *
 * Decodes upper-case digits, and `""` as `0x`.
 *
 * **Example** (Decoding call data)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.Hex)("0xA9059CBB")) // 0xa9059cbb
 * ```
 *
 * Source: docs/interface.md#2 (hex strings); tolerance: decision 0020.
 */
export const Hex: Schema.Codec<Hex, string> = bytesAs<Hex>("hex bytes such as 0xa9059cbb", undefined)

/**
 * Logs bloom of a block or receipt: 256 bytes.
 *
 * **Example** (Decoding a bloom)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.Bloom)(`0x${"00".repeat(256)}`).length) // 514
 * ```
 *
 * Source: docs/interface.md#2.8 (logsBloom).
 */
export const Bloom: Schema.Codec<Hex, string> = /* @__PURE__ */ bytesAs<Hex>("256 bytes of hex", 256)

/**
 * Proof-of-work nonce of a block: 8 bytes of data, not a quantity.
 *
 * **Example** (Decoding a nonce)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.BlockNonce)("0x0000000000000042")) // 0x0000000000000042
 * ```
 *
 * Source: docs/interface.md#2.8 (nonce).
 */
export const BlockNonce: Schema.Codec<Hex, string> = /* @__PURE__ */ bytesAs<Hex>("8 bytes of hex", 8)

/**
 * `Hex`, or `null`.
 *
 * **Example** (Decoding a missing value)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.OrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<Hex | null, string | null> = orNull(Hex)

/**
 * `Bloom`, or `null` for a pending block.
 *
 * **Example** (Decoding the bloom of a pending block)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.BloomOrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const BloomOrNull: Schema.Codec<Hex | null, string | null> = /* @__PURE__ */ orNull(Bloom)

/**
 * `BlockNonce`, or `null` for a pending block and on chains without proof of work.
 *
 * **Example** (Decoding the nonce of a pending block)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.BlockNonceOrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const BlockNonceOrNull: Schema.Codec<Hex | null, string | null> = /* @__PURE__ */ orNull(BlockNonce)

/**
 * `Hex`, or `null`: decodes `""` and `null` to `null`, encodes `null` as `""`.
 *
 * **Example** (Decoding an empty value)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.OrEmpty)("")) // null
 * ```
 *
 * Source: decision 0020.
 */
export const OrEmpty: Schema.Codec<Hex | null, string> = /* @__PURE__ */ orEmpty(
  // Here `""` means no value, not empty bytes.
  /* @__PURE__ */ relax(Hex, (options) => ({
    ...options,
    read: (input) => (input === "" ? unread : options.read(input)),
  })),
  "",
)

/**
 * `Hex` that decodes `""` and `null` to `0x`.
 *
 * **Example** (Decoding a missing value as no bytes)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.OrNothing)(null)) // 0x
 * ```
 *
 * Source: docs/interface.md#2.5 (input, output); decision 0020.
 */
export const OrNothing: Schema.Codec<Hex, string> = /* @__PURE__ */ relax(Hex, (options) => ({
  ...options,
  read: (input) => options.read(input ?? ""),
}))

const empty = "0x" as Hex

/**
 * Empty bytes: `0x`.
 *
 * **Example** (Calling a contract without data)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 *
 * console.log(Hex.nothing()) // 0x
 * ```
 *
 * Source: decision 0020.
 */
export const nothing = (): Hex => empty

export type HexText = `0x${string}` & Brand.Brand<"HexText">

const isHexText = (input: unknown): input is HexText =>
  typeof input === "string" && input.length <= 4098 && hexCase(input) !== 0

/** Pure as a whole, so that bundlers drop it from programs without signatures. */
const hexText = () =>
  leaf<HexText, string>({
    expected: "hex digits such as 0x1f",
    wire: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]*$/u)).annotate({ title: "hex text" }),
    read: (input) => (isHexText(input) ? input : unread),
    write: (value) => value,
    type: typeSide<HexText>({
      expected: "hex digits such as 0x1f",
      is: isHexText,
      from: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,64}$/u)),
    }),
  })

/**
 * Hex digits of any length and case, unchanged: signature values `r` and `s`, which nodes send with odd lengths and leading zeros.
 * `toBigInt` returns their value.
 *
 * **Example** (Decoding part of a signature)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hex.HexText)("0x0A1")) // 0x0A1
 * ```
 *
 * Source: docs/interface.md#2.9 (r, s); decision 0020.
 */
export const HexText: Schema.Codec<HexText, string> = /* @__PURE__ */ hexText()

/**
 * Returns the integer value of hex digits; 0 for `0x`.
 *
 * **Example** (Reading a signature as a number)
 *
 * ```ts
 * import * as Hex from "@daybook/schema/Hex"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Hex.toBigInt(Schema.decodeUnknownSync(Hex.HexText)("0x0A1"))) // 161n
 * ```
 *
 * Source: docs/interface.md#2.9.
 */
export const toBigInt = (text: Hex | HexText): bigint => (text.length <= 2 ? 0n : BigInt(text))
