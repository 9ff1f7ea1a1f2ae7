import { describe, expect, it } from "vitest"
import * as Delivery from "../../src/push/Delivery.ts"

const failed = (waitMillis = 0) => ({ _tag: "Failed", waitMillis }) as const
const hour = 3_600_000
const begin = Date.parse("2026-01-01T00:00:00Z")

/** Times of the attempts until the webhook is paused, in seconds since the first one. */
const timesOf = (random: number): readonly [times: ReadonlyArray<number>, paused: string | null] => {
  let attempts = Delivery.initial
  let nowMillis = begin
  const times: Array<number> = []
  while (attempts.paused === null) {
    times.push((nowMillis - begin) / 1_000)
    attempts = Delivery.after(attempts, failed(), { nowMillis, random })
    nowMillis = attempts.nextAt
  }
  return [times, attempts.paused]
}

describe("Delivery", () => {
  it("after: retries at doubling delays for at most 75 hours, then pauses the webhook", () => {
    const [times, paused] = timesOf(0)
    const [earlier] = timesOf(0.5)

    expect(times.slice(0, 5)).toEqual([0, 5, 15, 35, 75])
    expect(times.at(-1)! * 1_000).toBeLessThanOrEqual(75 * hour)
    expect(times.at(-1)! * 1_000).toBeGreaterThan(45 * hour)
    expect(earlier.at(-1)! * 1_000).toBeLessThanOrEqual(75 * hour)
    expect(earlier[1]).toBe(4.5)
    expect(paused).toBe(`No delivery in 75 hours and ${times.length} attempts.`)
  })

  it("after: an attempt may begin up to 75 hours after the first failure, but not later", () => {
    const failing = { ...Delivery.initial, failures: 20, firstFailureAt: begin }
    const nextOf = (nowMillis: number) => Delivery.after(failing, failed(24 * hour), { nowMillis, random: 1 })

    expect(nextOf(begin + 51 * hour)).toMatchObject({ firstFailureAt: begin, nextAt: begin + 75 * hour, paused: null })
    expect(nextOf(begin + 51 * hour + 1)).toMatchObject({
      nextAt: 0,
      paused: "No delivery in 75 hours and 21 attempts.",
    })
  })

  it("after: a delivery resets the delays, and a 410 pauses the webhook at once", () => {
    const at = { nowMillis: 5, random: 0 }
    const once = Delivery.after(Delivery.initial, failed(), at)

    expect(Delivery.after(once, { _tag: "Delivered" }, at)).toEqual(Delivery.initial)
    expect(Delivery.after(once, { _tag: "Gone" }, at)).toMatchObject({
      paused: "The receiver rejects further messages: status 410.",
    })
  })

  it("after: waits as long as the receiver asks, but not less than the delay", () => {
    const at = { nowMillis: 1_000, random: 0 }

    expect(Delivery.after(Delivery.initial, failed(90_000), at).nextAt).toBe(91_000)
    expect(Delivery.after(Delivery.initial, failed(1), at).nextAt).toBe(6_000)
  })
})
