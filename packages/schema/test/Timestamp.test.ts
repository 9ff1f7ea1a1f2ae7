import { describe, expect, it } from "@effect/vitest"
import { vi } from "vitest"
import * as Schema from "effect/Schema"
import * as Timestamp from "../src/Timestamp.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Timestamp.Timestamp)
const zone = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 14 * 60 }))

describe("Timestamp", () => {
  it("Timestamp: decodes ISO 8601 and encodes milliseconds in UTC", () => {
    const date = decode("2021-05-07T11:08:35.000Z")
    expect(date.getTime()).toBe(1620385715000)
    expect(Schema.encodeSync(Timestamp.Timestamp)(date)).toBe("2021-05-07T11:08:35.000Z")
  })

  it("Timestamp: encodes a Date again after it was changed, and another one with the same time", () => {
    const date = new Date(1620385715000)
    const encode = Schema.encodeSync(Timestamp.Timestamp)
    expect(encode(date)).toBe("2021-05-07T11:08:35.000Z")
    expect(encode(new Date(1620385715000))).toBe("2021-05-07T11:08:35.000Z")

    date.setTime(1620385716000)
    expect(encode(date)).toBe("2021-05-07T11:08:36.000Z")
  })

  it("Timestamp: decodes other time zones, no time zone as UTC, and any fraction", () => {
    expect(decode("2021-05-07T13:08:35+02:00").toISOString()).toBe("2021-05-07T11:08:35.000Z")
    expect(decode("2021-06-04T16:00:15").toISOString()).toBe("2021-06-04T16:00:15.000Z")
    expect(decode("2021-06-04T16:00:15.123456789Z").toISOString()).toBe("2021-06-04T16:00:15.123Z")
  })

  it.each(["", "yesterday", "2021-05-07", "2021-13-07T11:08:35Z", "2021-05-07T25:08:35Z", 1620385715, null])(
    "Timestamp: refuses %j",
    (input) => {
      expect(refusal(Timestamp.Timestamp, input)).toContain("an ISO 8601 timestamp such as 2021-05-07T11:08:35.000Z")
    },
  )

  it.each(["2023-02-29T00:00:00Z", "2023-02-30T12:00:00Z", "1900-02-29T00:00:00Z", "2023-04-31T23:59:59.999+02:00"])(
    "Timestamp: refuses %s, a day that its month does not have",
    (input) => {
      expect(refusal(Timestamp.Timestamp, input)).toContain("an ISO 8601 timestamp such as 2021-05-07T11:08:35.000Z")
    },
  )

  it.each([
    "0000-02-29T00:00:00.000Z",
    "2000-02-29T00:00:00.000Z",
    "2024-02-29T23:59:59.999Z",
    "2023-12-31T00:00:00.000Z",
  ])("Timestamp: decodes %s, the last day of its month", (wire) => encodesAndDecodes(Timestamp.Timestamp, decode(wire)))

  it("Timestamp: does not encode an invalid Date", () => {
    expect(() => Schema.encodeSync(Timestamp.Timestamp)(new Date(NaN))).toThrow("a valid Date")
  })

  it("Timestamp: decodes a text without a time zone as UTC even if the process uses another zone", () => {
    vi.stubEnv("TZ", "Pacific/Chatham")
    const offset = new Date(2021, 5, 4).getTimezoneOffset()
    const decoded = decode("2021-06-04T16:00:15.5")
    vi.unstubAllEnvs()

    expect(offset).toBe(-765)
    expect(decoded.toISOString()).toBe("2021-06-04T16:00:15.500Z")
  })

  it.each(["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])("Timestamp: decodes and encodes %s", (wire) => {
    expect(Schema.encodeSync(Timestamp.Timestamp)(decode(wire))).toBe(wire)
  })

  it.each(["0000-01-01T00:00:00.000+00:01", "9999-12-31T23:59:59.999-00:01"])(
    "Timestamp: refuses %s, an instant outside the years 0000 to 9999",
    (input) => {
      expect(refusal(Timestamp.Timestamp, input)).toContain("an ISO 8601 timestamp")
    },
  )

  it.each([-62_167_219_200_001, 253_402_300_800_000])(
    "Timestamp: does not encode the Date of %i ms, outside the years 0000 to 9999",
    (millis) => {
      expect(() => Schema.encodeSync(Timestamp.Timestamp)(new Date(millis))).toThrow("a valid Date between")
    },
  )

  it.prop("Timestamp: decodes what it encodes", [Timestamp.Timestamp], ([date]) => {
    encodesAndDecodes(Timestamp.Timestamp, date)
  })

  it.prop("Timestamp: decodes the same instant in every time zone", [Timestamp.Timestamp, zone], ([date, minutes]) => {
    const inRange = new Date(Math.min(date.getTime(), Date.parse("9999-12-30T00:00:00.000Z")))
    const local = new Date(inRange.getTime() + minutes * 60_000).toISOString().slice(0, -1)
    const offset = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":")
    expect(decode(`${local}+${offset}`)).toEqual(inRange)
  })
})
