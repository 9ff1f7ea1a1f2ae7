/**
 * Reads how long a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.
 * A pure function of the headers and the time; what is not understood counts as not said.
 */
import * as Duration from "effect/Duration"

/**
 * The longest wait that is believed, one day: whatever a server asks beyond it is cut to it.
 */
export const longest: Duration.Duration = Duration.days(1)

const capped = (millis: number): Duration.Duration =>
  Duration.millis(Math.min(Math.max(0, Math.ceil(millis)), Duration.toMillis(longest)))

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
const fixdate = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:GMT|UTC)$/
const rfc850 = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const asctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/

/** A two-digit year is the one less than fifty years ahead. */
const fullYear = (digits: string, nowMillis: number): number => {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(nowMillis).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}

/**
 * Reads an HTTP date in any of its three forms, in milliseconds since 1970; undefined when it is none.
 *
 * Source: RFC 9110 section 5.6.7.
 */
export const httpDate = (text: string, nowMillis: number): number | undefined => {
  const ordinary = fixdate.exec(text) ?? rfc850.exec(text)
  const old = ordinary === null ? asctime.exec(text) : null
  const parts = ordinary ?? (old === null ? null : [old[0], old[2], old[1], old[6], old[3], old[4], old[5]])
  if (parts === null) return undefined
  const [, day = "", name = "", year = "", hour, minute, second] = parts
  const position = months.indexOf(name)
  if (position % 3 !== 0) return undefined
  const millis = Date.UTC(
    fullYear(year, nowMillis),
    position / 3,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const sameDay = new Date(millis).getUTCDate() === Number(day)
  return sameDay && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61 ? millis : undefined
}

const millisAsked = (headers: Readonly<Record<string, string>>): Duration.Duration | undefined => {
  const text = headers["retry-after-ms"]?.trim() ?? ""
  return /^\d+(\.\d+)?$/.test(text) ? capped(Number(text)) : undefined
}

/**
 * The wait that response headers ask for, from now; undefined when they ask for none.
 *
 * **Details**
 * - `retry-after-ms` wins over `retry-after`. A date in the past asks for no wait: zero.
 * - A date is compared with the server's own `date` header where there is one, so that a wrong clock here does no harm.
 * - Header names are lower case.
 *
 * **Example** (Reading seconds)
 *
 * ```ts
 * import { RetryAfter } from "@daybook/transport"
 * import { Duration } from "effect"
 *
 * const wait = RetryAfter.fromHeaders({ "retry-after": "2" }, 0)
 * console.log(wait && Duration.toMillis(wait)) // 2000
 * ```
 *
 * Source: RFC 9110 section 10.2.3.
 */
export const fromHeaders = (
  headers: Readonly<Record<string, string>>,
  nowMillis: number,
): Duration.Duration | undefined => {
  const exact = millisAsked(headers)
  if (exact !== undefined) return exact
  const text = headers["retry-after"]?.trim() ?? ""
  if (/^\d+(\.\d+)?$/.test(text)) return capped(Number(text) * 1000)
  const until = httpDate(text, nowMillis)
  if (until === undefined) return undefined
  return capped(until - (httpDate(headers["date"]?.trim() ?? "", nowMillis) ?? nowMillis))
}
