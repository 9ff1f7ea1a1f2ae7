/**
 * Plain texts of the REST operation that some servers send as something else.
 */
import * as Schema from "effect/Schema"
import { leaf, orEmpty, relax } from "./leaf.ts"

const text: Schema.Codec<string, string> = leaf<string, string>({
  expected: "text",
  wire: Schema.String,
  reads: (input) => typeof input === "string",
  decode: (input) => input,
  encode: (value) => value,
  type: Schema.String,
})

/** A text where `null` means an empty one. Written as it is. */
export const OrNothing: Schema.Codec<string, string> = leaf<string, string>({
  expected: "text",
  wire: Schema.String,
  reads: (input) => input === null || typeof input === "string",
  decode: (input: string | null) => input ?? "",
  encode: (value) => value,
  type: Schema.String,
})

/** A value written as text; numbers and booleans are read as their text. */
export const Value: Schema.Codec<string, string> = leaf<string, string>({
  expected: "a value as text",
  wire: Schema.String,
  reads: (input) => typeof input === "string" || typeof input === "boolean" || Number.isSafeInteger(input),
  decode: (input) => String(input),
  encode: (value) => value,
  type: Schema.String,
})

/** A text that is `null` when the wire has none (`""` or `null`); written as `null`. Source: decision 0002. */
export const OrNone: Schema.Codec<string | null, string | null> = orEmpty(
  relax(text, (options) => ({ ...options, type: Schema.NonEmptyString })),
  null,
)
