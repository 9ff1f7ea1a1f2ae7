import { describe, expect, it } from "vitest"
import { formatInstant, roomFor, timeSteps } from "../../src/charts/Axis.ts"

/** Local time, as the axis writes it: tests run in a time zone of their own. */
const noon = new Date(2026, 0, 31, 15, 45, 7).getTime() / 1_000

describe("Axis", () => {
  it("formatInstant: writes days, minutes or seconds by the step to the next label, in the order of all other times", () => {
    expect(formatInstant(noon, 86_400)).toBe("2026-01-31")
    expect(formatInstant(noon, 600)).toBe("01-31 15:45")
    expect(formatInstant(noon, 5)).toBe("15:45:07")
  })

  it("timeSteps: are whole seconds, so that no label has a fraction of one", () => {
    expect(timeSteps.every((step) => Number.isInteger(step) && step >= 1)).toBe(true)
  })

  it("roomFor: exceeds the width of the widest label", () => {
    const widthOf = (label: string) => 7 * label.length

    expect(roomFor(["0", "1,000,000.006"], widthOf)).toBeGreaterThan(widthOf("1,000,000.006"))
    expect(roomFor([], widthOf)).toBeGreaterThan(0)
  })
})
