import { describe, expect, it } from "@effect/vitest"
import * as Random from "../../src/internal/Random.ts"
import { Schema } from "effect"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))
const Small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))

describe("Random", () => {
  it.prop("make: equal seeds produce equal streams", [Seed], ([seed]) => {
    const [one, other] = [Random.make(seed), Random.make(seed)]

    expect(Array.from({ length: 20 }, one.next)).toEqual(Array.from({ length: 20 }, other.next))
    expect([one.hex(8), one.integer(9), one.amount(0n, 99n)]).toEqual([
      other.hex(8),
      other.integer(9),
      other.amount(0n, 99n),
    ])
  })

  it("make: different seeds produce different streams", () => {
    expect(Random.make(5).hex(20)).not.toBe(Random.make(6).hex(20))
  })

  it.prop("integer, next and amount: every value is within its bounds", [Seed, Small], ([seed, bound]) => {
    const { amount, integer, next } = Random.make(seed)
    const [min, max] = [BigInt(bound), BigInt(bound) * 10n ** 20n]

    for (let draw = 0; draw < 20; draw++) {
      const [fraction, whole, wei] = [next(), integer(bound), amount(min, max)]
      expect(fraction >= 0 && fraction < 1).toBe(true)
      expect(Number.isInteger(whole) && whole >= 0 && whole < bound).toBe(true)
      expect(wei >= min && wei <= max).toBe(true)
    }
  })

  it("amount: reaches every value of a small range", () => {
    const { amount } = Random.make(1)

    expect(new Set(Array.from({ length: 200 }, () => amount(3n, 6n)))).toEqual(new Set([3n, 4n, 5n, 6n]))
  })

  it("pick: throws on an empty list", () => {
    expect(() => Random.make(1).pick([])).toThrow("pick: no items")
  })
})
