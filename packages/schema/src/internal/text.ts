/**
 * Plain texts of the REST operation that some servers send as something else.
 */
import * as Schema from "effect/Schema"
import { unread } from "./coder.ts"
import { leaf, orEmpty, relax, type Side, textSide } from "./leaf.ts"

const text: Schema.Codec<string, string> = leaf<string, string>({
  expected: "text",
  wire: Schema.String,
  read: (input) => (typeof input === "string" ? input : unread),
  write: (value) => value,
  type: textSide,
  repeats: false,
})

/** A text where `null` means an empty one. Written as it is. */
export const OrNothing: Schema.Codec<string, string> = leaf<string, string>({
  expected: "text",
  wire: Schema.String,
  read: (input) => (typeof input === "string" ? input : input === null ? "" : unread),
  write: (value) => value,
  type: textSide,
  repeats: false,
})

/** A value written as text; numbers and booleans are read as their text. */
export const Value: Schema.Codec<string, string> = leaf<string, string>({
  expected: "a value as text",
  wire: Schema.String,
  read: (input) =>
    typeof input === "string"
      ? input
      : typeof input === "boolean" || Number.isSafeInteger(input)
        ? String(input)
        : unread,
  write: (value) => value,
  type: textSide,
  repeats: false,
})

const filledSide: Side<string> = {
  schema: Schema.NonEmptyString,
  is: (value): value is string => typeof value === "string" && value !== "",
}

/** A text that is `null` when the wire has none (`""` or `null`); written as `null`. Source: decision 0002. */
export const OrNone: Schema.Codec<string | null, string | null> = orEmpty(
  relax(text, (options) => ({ ...options, type: filledSide })),
  null,
)
