import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Throughput from "../../src/indexer/Throughput.ts"

const windowMillis = 30_000
const Sample = Schema.Struct({
  afterMillis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 })),
  blocks: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000 })),
})

describe("Throughput", () => {
  it("perSecond: is 0 before anything is stored", () => {
    expect(Throughput.perSecond(Throughput.make(1_000), 5_000)).toBe(0)
  })

  it("perSecond: is the average since the start within the first half minute", () => {
    const one = Throughput.add(Throughput.make(1_000), 2_000, 100)
    const two = Throughput.add(one, 3_000, 300)

    expect(Throughput.perSecond(two, 3_000)).toBe(200)
  })

  it("perSecond: forgets samples older than half a minute, and falls while nothing is stored", () => {
    const throughput = Throughput.add(Throughput.add(Throughput.make(0), 1_000, 1_000_000), 40_000, 390)

    expect(Throughput.perSecond(throughput, 40_000)).toBe(10)
    expect(Throughput.perSecond(throughput, 60_000)).toBeCloseTo(390 / 59)
    expect(Throughput.perSecond(throughput, 80_000)).toBe(0)
  })

  it.prop(
    "perSecond: equals the blocks of the last half minute over the time since the previous sample",
    { samples: Schema.Array(Sample) },
    ({ samples }) => {
      let now = 0
      let throughput = Throughput.make(0)
      const all = samples.map(({ afterMillis, blocks }) => {
        now += afterMillis
        throughput = Throughput.add(throughput, now, blocks)
        return { at: now, blocks }
      })
      const recent = all.filter(({ at }) => at >= now - windowMillis)
      const from = all.findLast(({ at }) => at < now - windowMillis)?.at ?? 0
      const blocks = recent.reduce((sum, sample) => sum + sample.blocks, 0)

      expect(Throughput.perSecond(throughput, now)).toBe((blocks * 1000) / Math.max(now - from, 50))
    },
  )

  it.each([
    [10, 0, 0],
    [0, 5, null],
    [4, 10, 2_500],
  ])("etaMillis: at %d blocks a second with %d blocks left is %s", (perSecond, left, millis) => {
    expect(Throughput.etaMillis(perSecond, left)).toBe(millis)
  })

  it.each([
    [3_400, "3 s"],
    [200_000, "3 min"],
    [8_000_000, "2 h 13 min"],
    [200_000_000, "2 d 7 h"],
  ])("formatMillis: formats %d ms as %s", (millis, text) => {
    expect(Throughput.formatMillis(millis)).toBe(text)
  })
})
