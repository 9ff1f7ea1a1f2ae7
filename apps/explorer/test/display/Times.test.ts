import { describe, expect, it } from "vitest"
import { formatAge, formatDuration, formatLocal, formatUtc } from "../../src/display/Times.ts"

const time = new Date("2026-01-01T00:02:24Z")

describe("Times", () => {
  it("formatUtc and formatLocal: show the same instant, each with its zone", () => {
    expect(formatUtc(time)).toBe("2026-01-01 00:02:24 UTC")
    const local = formatLocal(time)
    expect(local).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [+-]\d{2}:\d{2}$/)
    expect(new Date(local.replace(" ", "T").replace(" ", ""))).toEqual(time)
  })

  it("formatAge: shows whole units, even for a chain whose clock is ahead", () => {
    expect(formatAge(time, time.getTime() + 59_000)).toBe("59 seconds ago")
    expect(formatAge(time, time.getTime() + 60_000)).toBe("1 minute ago")
    expect(formatAge(time, time.getTime() + 3 * 86_400_000)).toBe("3 days ago")
    expect(formatAge(time, time.getTime() - 7_200_000)).toBe("in 2 hours")
    expect(formatAge(time, time.getTime())).toBe("now")
  })

  it("an invalid time is shown as invalid", () => {
    const invalid = new Date(Number.NaN)
    expect([formatUtc(invalid), formatLocal(invalid), formatAge(invalid, 0)]).toEqual(Array(3).fill("unknown time"))
  })

  it("formatDuration: shows seconds, minutes and hours", () => {
    expect([formatDuration(1_400), formatDuration(80_000), formatDuration(3_660_000)]).toEqual([
      "1 s",
      "1 min 20 s",
      "1 h 1 min",
    ])
  })
})
