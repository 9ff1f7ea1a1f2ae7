import { afterEach, describe, expect, it, vi } from "vitest"
import * as IsoDate from "../../src/config/IsoDate.ts"

describe("IsoDate", () => {
  afterEach(() => void vi.unstubAllEnvs())

  it.each([
    ["2024-01-31", Date.UTC(2024, 0, 31)],
    ["2024-01-31T12:00", Date.UTC(2024, 0, 31, 12)],
    ["2024-01-31T12:00:00", Date.UTC(2024, 0, 31, 12)],
    ["2024-01-31T12:00:00.5Z", Date.UTC(2024, 0, 31, 12, 0, 0, 500)],
    ["2024-01-31T12:00:00+02:00", Date.UTC(2024, 0, 31, 10)],
    ["2024-01-31T23:30-0130", Date.UTC(2024, 1, 1, 1)],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
  ])("parse: reads %s, in UTC unless it names a zone, in any zone of the machine", (text, millis) => {
    vi.stubEnv("TZ", "America/New_York")

    expect(IsoDate.parse(text)).toBe(millis)
  })

  it.each([
    "2024-02-30",
    "2023-02-29T12:00:00Z",
    "2024-04-31T12:00",
    "2024-13-01",
    "2024-01-31T25:00",
    "2024-01-31T",
    "soon",
    "",
  ])("parse: refuses %j", (text) => {
    expect(IsoDate.parse(text)).toBeUndefined()
  })
})
