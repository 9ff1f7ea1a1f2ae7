/**
 * Codec of ISO 8601 timestamps, the instants of the REST operations. Block timestamps of JSON-RPC are `Quantity`.
 */
import * as Schema from "effect/Schema"
import { remembering, unread } from "./internal/coder.ts"
import { leaf, typeSide } from "./internal/leaf.ts"

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/

const first = Date.parse("0000-01-01T00:00:00.000Z")
const last = Date.parse("9999-12-31T23:59:59.999Z")

const inRange = (millis: number) => millis >= first && millis <= last

/** Engines read February 30 as March 2. */
const hasDay = (date: string): boolean => date.slice(8) < "29" || new Date(date).getUTCDate() === Number(date.slice(8))

// Rows of the same block have the same timestamp.
const toMillis = remembering((input) => {
  if (typeof input !== "string" || input.length > 40) return unread
  const match = pattern.exec(input)
  if (match === null || !hasDay(input.slice(0, 10))) return unread
  const millis = Date.parse(match[2] === undefined ? `${input}Z` : input)
  return inRange(millis) ? millis : unread
})

// Written once for such rows. A `Date` can be changed, so that its time is compared.
let lastMillis = 0
let lastText = new Date(0).toISOString()

const toText = (date: Date): string => {
  const millis = date.getTime()
  if (millis !== lastMillis) {
    lastText = date.toISOString()
    lastMillis = millis
  }
  return lastText
}

/**
 * Instant with millisecond precision; decodes to `Date`.
 *
 * **Details**
 *
 * Wire: `2021-05-07T11:08:35.000Z`. Also decodes other time zones, no time zone (UTC), no fraction, and up to nine digits of fraction,
 * truncated to milliseconds. Years 0000 to 9999.
 *
 * **Example** (Decoding an instant)
 *
 * ```ts
 * import * as Timestamp from "@daybook/schema/Timestamp"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Timestamp.Timestamp)("2021-05-07T11:08:35.000Z").getUTCFullYear()) // 2021
 * ```
 *
 * Source: docs/interface.md#2.2 (block_timestamp), ISO 8601.
 */
export const Timestamp: Schema.Codec<Date, string> = leaf<Date, string>({
  expected: "an ISO 8601 timestamp such as 2021-05-07T11:08:35.000Z",
  wire: Schema.String.annotate({ format: "date-time" }),
  read: (input) => {
    const millis = toMillis(input)
    return typeof millis === "number" ? new Date(millis) : unread
  },
  write: toText,
  repeats: false,
  type: typeSide<Date>({
    expected: "a valid Date between the years 0000 and 9999",
    is: (input): input is Date => input instanceof Date && inRange(input.getTime()),
    from: Schema.Date.check(
      Schema.isBetweenDate({
        minimum: new Date("1970-01-01T00:00:00.000Z"),
        maximum: new Date("9999-12-31T23:59:59.999Z"),
      }),
    ),
  }),
})
