/**
 * Codecs of free text in the REST operations, which some servers send in other forms.
 */
import * as Schema from "effect/Schema"
import { unread } from "./coder.ts"
import { leaf, orEmpty, relax, type Side, textSide } from "./leaf.ts"

const text: Schema.Codec<string, string> = leaf<string, string>({
  expected: "a string",
  wire: Schema.String,
  read: (input) => (typeof input === "string" ? input : unread),
  write: (value) => value,
  type: textSide,
  repeats: false,
})

/** Text that decodes `null` to `""`. */
export const OrNothing: Schema.Codec<string, string> = leaf<string, string>({
  expected: "a string",
  wire: Schema.String,
  read: (input) => (typeof input === "string" ? input : input === null ? "" : unread),
  write: (value) => value,
  type: textSide,
  repeats: false,
})

/** Text of a value; decodes numbers and booleans to their text. */
export const Value: Schema.Codec<string, string> = leaf<string, string>({
  expected: "a value as a string",
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

/** Text, or `null`: decodes `""` and `null` to `null`, encodes `null` as `null`. Source: decision 0020. */
export const OrNone: Schema.Codec<string | null, string | null> = orEmpty(
  relax(text, (options) => ({ ...options, type: filledSide })),
  null,
)
