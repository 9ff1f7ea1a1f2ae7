/**
 * Parses `from_date` and `to_date`: the formats of the moment library, in UTC, without its fallback to guessing. Pure.
 *
 * Source: docs/interface.md#4.1; decision 0008.
 */
import moment from "moment"
import * as Result from "effect/Result"
import * as Issue from "@daybook/schema/Issue"
import { InvalidParameter } from "../http/InvalidParameter.ts"

moment.suppressDeprecationWarnings = true

/** The formats, for messages. */
export const expected =
  "ISO 8601 such as 2021-05-07T11:08:35Z, RFC 2822 such as Fri, 07 May 2021 11:08:35 +0000, 10 digits of seconds or 13 of milliseconds since 1970, or text such as May 7, 2021; in UTC unless it names a zone"

const maxCharacters = 100

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const month =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const weekday = "(?:(?<weekday>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? +)?"
const clock = "(?<time>\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,3})?)?(?: ?[ap]m)?)"
const time = `(?:,? +(?:at +)?${clock})?`
const zoneName = "(?<zone>z|utc|gmt|(?:utc|gmt)?[+-]\\d{2}:?\\d{2})"
const zone = `(?: *${zoneName})?(?: +\\([^()]*\\))?`

/** The name of a month, a day and a four-digit year, or a date that starts with the year: the only text passed to the engine's own parser. */
const dates = [
  `(?<month>${month})\\.? +(?<day>\\d{1,2}),? +(?<year>\\d{4})`,
  `(?<day>\\d{1,2})[ -](?<month>${month})\\.?[, -] *(?<year>\\d{4})`,
  `(?<year>\\d{4})[ -](?<month>${month})[ -](?<day>\\d{1,2})`,
  "(?<year>\\d{4})(?<separator>[/-])(?<month>\\d{1,2})\\k<separator>(?<day>\\d{1,2})",
]
const forms = [
  ...dates.map((date) => `${date}${time}${zone}`),
  // The form of the C library and of the command `date`.
  `(?<month>${month}) +(?<day>\\d{1,2}) +${clock}(?: +${zoneName})? +(?<year>\\d{4})`,
].map((form) => new RegExp(`^${weekday}${form}$`, "i"))

/** Restores the `+` of a zone, which a query decodes to a space. A year of the C library's form begins with a 2. */
const restorePlus = (text: string): string =>
  text
    .replace(
      /(T\d{2}(?:\d{2}){0,2}(?:[.,]\d+)?|\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)( ?) ([01]\d(?::?\d{2})?)$/i,
      "$1$2+$3",
    )
    .replace(/\b(GMT|UTC) ([01]\d:?\d{2})\b/i, "$1+$2")

const daysIn = (year: number, monthIndex: number): number => new Date(Date.UTC(year, monthIndex + 1, 0)).getUTCDate()

/** Index of a month from its name or its number; -1 for another number. */
const monthIndexOf = (text: string): number =>
  /\d/.test(text)
    ? months.findIndex((_, index) => index + 1 === Number(text))
    : months.indexOf(text.slice(0, 3).toLowerCase())

const fromParts = (text: string): number | undefined => {
  const found = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (found === undefined) return undefined
  const { day = "", month: name = "", time: ofDay = "", year = "", zone: offset = "UTC" } = found
  const monthIndex = monthIndexOf(name)
  if (monthIndex < 0 || Number(day) > daysIn(Number(year), monthIndex)) return undefined
  const weekdayIndex = new Date(Date.UTC(Number(year), monthIndex, Number(day))).getUTCDay()
  if (found["weekday"] !== undefined && !found["weekday"].toLowerCase().startsWith(weekdays[weekdayIndex]!))
    return undefined
  const millis = Date.parse(`${months[monthIndex]!} ${day}, ${year} ${ofDay} ${offset}`)
  return Number.isNaN(millis) ? undefined : millis
}

const fromDigits = (text: string): number | undefined => {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  return /^\d{13}$/.test(text) ? Number(text) : undefined
}

const parse = (text: string): number | undefined => {
  if (text.length > maxCharacters) return undefined
  const digits = fromDigits(text)
  if (digits !== undefined) return digits
  const strict = moment.utc(text, [moment.ISO_8601, moment.RFC_2822], true)
  return strict.isValid() ? strict.valueOf() : fromParts(text)
}

/** Maximum number of cached dates; beyond it the least recently used one is evicted. */
const maxRemembered = 1_000
/** Results by text, least recently used first. */
const results = new Map<string, number>()

/** `parse` with a cache: programs send the same few dates repeatedly, and the library is slow. */
const parseOnce = (text: string): number | undefined => {
  const known = results.get(text)
  const millis = known ?? parse(text)
  if (millis === undefined) return undefined
  if (known !== undefined) results.delete(text)
  results.set(text, millis)
  for (const oldest of results.keys()) {
    if (results.size <= maxRemembered) break
    results.delete(oldest)
  }
  return millis
}

/**
 * Parses a date into milliseconds since 1970.
 *
 * **Details** A date without a time is its first instant. Digits alone are seconds (10) or milliseconds (13), else ISO 8601 (`2021`,
 * `20210507`).
 *
 * **Errors**
 * - `InvalidParameter`: the text of `parameter` matches none of the formats, or is not a calendar date.
 */
export const read = (parameter: string, value: string): Result.Result<number, InvalidParameter> => {
  const text = value.trim()
  const millis = parseOnce(restorePlus(text))
  return millis === undefined
    ? Result.fail(InvalidParameter.fromIssue({ path: parameter, expected, received: Issue.describe(text) }))
    : Result.succeed(millis)
}
