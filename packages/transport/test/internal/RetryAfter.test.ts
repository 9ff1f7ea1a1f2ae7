import { describe, expect, it } from "@effect/vitest"
import { Duration, Schema } from "effect"
import * as RetryAfter from "../../src/internal/RetryAfter.ts"

const now = Date.UTC(2026, 10, 20, 12, 0, 0)
const millis = (headers: Record<string, string>, nowMillis = now) => {
  const wait = RetryAfter.fromHeaders(headers, nowMillis)
  return wait === undefined ? undefined : Duration.toMillis(wait)
}

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

/** The three forms of an HTTP date; the first is what the platform itself writes. */
const forms: ReadonlyArray<(date: Date) => string> = [
  (date) => date.toUTCString(),
  (date) => {
    const [, day, month, year = "", time] = date.toUTCString().split(" ")
    return `${days[date.getUTCDay()]}, ${day}-${month}-${year.slice(-2)} ${time} GMT`
  },
  (date) => {
    const [weekday = "", day, month, year, time] = date.toUTCString().split(" ")
    return `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
  },
]

describe("RetryAfter", () => {
  it("fromHeaders: reads whole seconds", () => expect(millis({ "retry-after": "120" })).toBe(120_000))
  it("fromHeaders: reads a fraction of a second", () => expect(millis({ "retry-after": " 1.5 " })).toBe(1_500))
  it("fromHeaders: reads zero", () => expect(millis({ "retry-after": "0" })).toBe(0))
  it("fromHeaders: prefers milliseconds", () =>
    expect(millis({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250))
  it("fromHeaders: falls back to seconds when the milliseconds are invalid", () =>
    expect(millis({ "retry-after-ms": "soon", "retry-after": "9" })).toBe(9_000))
  it("fromHeaders: reads the three forms of an HTTP date", () => {
    expect(millis({ "retry-after": "Fri, 20 Nov 2026 12:00:07 GMT" })).toBe(7_000)
    expect(millis({ "retry-after": "Friday, 20-Nov-26 12:00:07 GMT" })).toBe(7_000)
    expect(millis({ "retry-after": "Fri Nov 20 12:00:07 2026" })).toBe(7_000)
  })
  it("fromHeaders: reads a leap second as the end of its day", () =>
    expect(millis({ "retry-after": "Fri, 20 Nov 2026 23:59:60 GMT" })).toBe(43_200_000))
  it("fromHeaders: a date in the past requests no wait", () =>
    expect(millis({ "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" })).toBe(0))
  it("fromHeaders: compares a date with the clock of the server", () =>
    expect(millis({ "retry-after": "Fri, 20 Nov 2026 15:00:03 GMT", date: "Fri, 20 Nov 2026 15:00:00 GMT" })).toBe(
      3_000,
    ))
  it("fromHeaders: caps a wait at one day", () => {
    expect(millis({ "retry-after": "99999999999999999999999999" })).toBe(86_400_000)
    expect(millis({ "retry-after": "Wed, 01 Jan 2070 00:00:00 GMT" })).toBe(86_400_000)
  })
  for (const invalid of [
    "",
    "soon",
    "-5",
    "1e3",
    "0x10",
    "5, 10",
    "2026-11-20T12:00:07Z",
    "Fri, 31 Feb 2026 12:00:00 GMT",
    "Fri, 20 Xyz 2026 12:00:00 GMT",
    "Fri, 20 Nov 2026 24:00:00 GMT",
    "Fri, 20 Nov 2026 29:00:00 GMT",
    "Fri, 20 Nov 2026 12:60:00 GMT",
    "Fri, 20 Nov 2026 12:00:61 GMT",
    "NaN",
    "Infinity",
  ]) {
    it(`fromHeaders: ignores ${JSON.stringify(invalid)}`, () =>
      expect(millis({ "retry-after": invalid })).toBeUndefined())
  }
  it("fromHeaders: ignores white space around each header", () => {
    expect(millis({ "retry-after-ms": " 1500\t" })).toBe(1_500)
    expect(millis({ date: " Thu, 01 Jan 1970 00:00:00 GMT ", "retry-after": " Thu, 01 Jan 1970 00:00:07 GMT " })).toBe(
      7_000,
    )
  })
  it("fromHeaders: returns undefined without a header", () => expect(millis({})).toBeUndefined())

  it.prop(
    "law: fromHeaders inverts a number of seconds and of milliseconds up to a day",
    { wait: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })) },
    ({ wait }) => {
      expect(millis({ "retry-after": String(wait) })).toBe(wait * 1_000)
      expect(millis({ "retry-after-ms": String(wait) })).toBe(wait)
    },
  )
  it.prop(
    "law: parseHttpDate inverts each of the three forms for every second from 1970 to 2070",
    { seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_155_760_000 })) },
    ({ seconds }) => {
      const date = new Date(seconds * 1_000)
      for (const [position, write] of forms.entries()) {
        // Two digits of a year mean the one less than fifty years ahead.
        const isAmbiguous = position === 1 && date.getUTCFullYear() < 1977
        if (!isAmbiguous) expect(RetryAfter.parseHttpDate(write(date), now)).toBe(seconds * 1_000)
      }
    },
  )
  it("parseHttpDate: a year of two digits is at most fifty years ahead", () => {
    const inYear = (digits: string) => RetryAfter.parseHttpDate(`Wednesday, 01-Jan-${digits} 00:00:00 GMT`, now)

    expect(inYear("76")).toBe(Date.UTC(2076, 0, 1))
    expect(inYear("77")).toBe(Date.UTC(1977, 0, 1))
  })
  it.prop("law: fromHeaders returns a wait from zero to a day, or none, for any text", [Schema.String], ([text]) => {
    const wait = millis({ "retry-after": text })

    expect(wait === undefined || (wait >= 0 && wait <= 86_400_000)).toBe(true)
  })
})
