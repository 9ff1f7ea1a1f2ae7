/**
 * Reads the wait that a server requests: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. A pure function of the headers
 * and the time. Invalid values are ignored.
 */
import * as Duration from "effect/Duration"

/** Longest `Retry-After` honoured: one day. */
export const maxWait: Duration.Duration = Duration.days(1)

const capped = (millis: number): Duration.Duration =>
  Duration.millis(Math.min(Math.max(0, Math.ceil(millis)), Duration.toMillis(maxWait)))

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
const fixdate = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:GMT|UTC)$/
const rfc850 = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const asctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/

/** Full year of a two-digit year: the one less than fifty years ahead. */
const fullYear = (digits: string, nowMillis: number): number => {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(nowMillis).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}

/**
 * Parses an HTTP date in any of its three forms, to milliseconds since 1970; undefined for any other text.
 *
 * `Date.parse` is no substitute: it accepts other texts (`-5` is a date in 2001) and reads the third form in local time.
 *
 * Source: RFC 9110 section 5.6.7.
 */
export const parseHttpDate = (text: string, nowMillis: number): number | undefined => {
  const current = fixdate.exec(text) ?? rfc850.exec(text)
  const old = asctime.exec(text)
  const parts = current ?? (old === null ? null : [old[0], old[2], old[1], old[6], old[3], old[4], old[5]])
  if (parts === null) return undefined
  const [, day, name = "", year = "", ...time] = parts
  const position = months.indexOf(name)
  if (position % 3 !== 0) return undefined
  const midnight = Date.UTC(fullYear(year, nowMillis), position / 3, Number(day))
  const [hour = 0, minute = 0, second = 0] = time.map(Number)
  const hasDay = new Date(midnight).getUTCDate() === Number(day)
  // A leap second is second 60, and ends its day.
  if (!hasDay || hour > 23 || minute > 59 || second > 60) return undefined
  return midnight + ((hour * 60 + minute) * 60 + second) * 1_000
}

const fromMillisHeader = (headers: Readonly<Record<string, string>>): Duration.Duration | undefined => {
  const text = headers["retry-after-ms"]?.trim() ?? ""
  return /^\d+(\.\d+)?$/.test(text) ? capped(Number(text)) : undefined
}

/**
 * Wait that response headers request, starting now; undefined if they request none.
 *
 * **Details**
 *
 * - `retry-after-ms` takes precedence over `retry-after`. A date in the past requests no wait: zero.
 * - A date is compared with the server's own `date` header if present, so that a wrong local clock has no effect.
 * - Header names are lower case.
 *
 * Source: RFC 9110 section 10.2.3.
 */
export const fromHeaders = (
  headers: Readonly<Record<string, string>>,
  nowMillis: number,
): Duration.Duration | undefined => {
  const exact = fromMillisHeader(headers)
  if (exact !== undefined) return exact
  const text = headers["retry-after"]?.trim() ?? ""
  if (/^\d+(\.\d+)?$/.test(text)) return capped(Number(text) * 1000)
  const until = parseHttpDate(text, nowMillis)
  if (until === undefined) return undefined
  return capped(until - (parseHttpDate(headers["date"]?.trim() ?? "", nowMillis) ?? nowMillis))
}
