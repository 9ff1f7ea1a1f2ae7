import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TimeText from "../../src/block/TimeText.ts"

/** Seconds of the years that `Date` can represent, and of one day. */
const maxSeconds = 8.64e12
const Seconds = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: -maxSeconds, maximum: maxSeconds })),
  Schema.Int.check(Schema.isBetween({ minimum: 1_620_345_600, maximum: 1_620_432_000 })),
])

describe("TimeText", () => {
  it.prop("fromSeconds: equals the text of a Date, whichever time was written before", [Seconds, Seconds], (times) => {
    const texts = [...times, ...times].map((seconds) => new Date(seconds * 1000).toISOString())

    expect([...times, ...times].map(TimeText.fromSeconds)).toEqual(texts)
  })

  it("fromSeconds: writes the last second of a day and the first of the next one", () => {
    expect([1_620_385_715, 1_620_431_999, 1_620_432_000, 0].map(TimeText.fromSeconds)).toEqual([
      "2021-05-07T11:08:35.000Z",
      "2021-05-07T23:59:59.000Z",
      "2021-05-08T00:00:00.000Z",
      "1970-01-01T00:00:00.000Z",
    ])
  })

  it("fromSeconds: fails beyond the years of a Date, and is right after it", () => {
    expect(() => TimeText.fromSeconds(maxSeconds + 86_400)).toThrow(RangeError)
    expect(TimeText.fromSeconds(0)).toBe("1970-01-01T00:00:00.000Z")
  })
})
