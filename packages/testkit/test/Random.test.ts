import { describe, expect, it } from "vitest"
import { Random } from "@daybook/testkit"

describe("Random", () => {
  describe("make", () => {
    it("gives the same stream for the same seed", () => {
      const [one, other] = [Random.make(5), Random.make(5)]

      expect(Array.from({ length: 50 }, one.next)).toEqual(Array.from({ length: 50 }, other.next))
    })

    it("gives another stream for another seed", () => {
      expect(Random.make(5).hex(20)).not.toBe(Random.make(6).hex(20))
    })

    it("stays within the bounds of an amount", () => {
      const { amount } = Random.make(1)

      const drawn = new Set(Array.from({ length: 200 }, () => amount(3n, 6n)))
      expect(drawn).toEqual(new Set([3n, 4n, 5n, 6n]))
    })

    it("throws when there is nothing to pick", () => {
      expect(() => Random.make(1).pick([])).toThrow("pick: no items")
    })
  })
})
