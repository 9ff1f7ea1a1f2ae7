import { describe, expect, it } from "vitest"
import * as Random from "../../packages/testkit/src/internal/Random.ts"
import { seedOf } from "./Seeds.ts"

describe("Seeds", () => {
  it("seeds each test with its title", (context) => {
    const expected = Random.make(seedOf(context.task.fullTestName))

    expect([Math.random(), Math.random()]).toEqual([expected.next(), expected.next()])
  })

  it("differs for another title and for another seed", () => {
    expect(new Set([seedOf("one", 1), seedOf("two", 1), seedOf("one", 2)]).size).toBe(3)
    expect(seedOf("one", 1)).toBe(seedOf("one", 1))
  })
})
