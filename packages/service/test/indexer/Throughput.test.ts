import { describe, expect, it } from "vitest"
import * as Throughput from "../../src/indexer/Throughput.ts"

describe("Throughput", () => {
  it("is nothing before anything is stored", () => {
    expect(Throughput.make(1_000).perSecond(5_000)).toBe(0)
  })

  it("is the average since the start while that is short", () => {
    const throughput = Throughput.make(1_000)
    throughput.add(2_000, 100)
    throughput.add(3_000, 300)

    expect(throughput.perSecond(3_000)).toBe(200)
  })

  it("forgets what is older than half a minute, and falls while nothing comes", () => {
    const throughput = Throughput.make(0)
    throughput.add(1_000, 1_000_000)
    throughput.add(40_000, 390)

    expect(throughput.perSecond(40_000)).toBe(10)
    expect(throughput.perSecond(60_000)).toBeCloseTo(390 / 59)
    expect(throughput.perSecond(80_000)).toBe(0)
  })

  it.each([
    [10, 0, 0],
    [0, 5, null],
    [4, 10, 2_500],
  ])("says when at %d blocks a second with %d to go: %s ms", (perSecond, left, millis) => {
    expect(Throughput.etaMillis(perSecond, left)).toBe(millis)
  })

  it.each([
    [3_400, "3 s"],
    [200_000, "3 min"],
    [8_000_000, "2 h 13 min"],
    [200_000_000, "2 d 7 h"],
  ])("writes %d ms as %s", (millis, text) => {
    expect(Throughput.sayMillis(millis)).toBe(text)
  })
})
