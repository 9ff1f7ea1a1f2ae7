import { describe, expect, it } from "vitest"
import { boundaryOf, isBelow } from "../../src/history/Boundary.ts"

describe("boundaryOf", () => {
  it("is the last final block, or 256 blocks below the last indexed one if that is higher", () => {
    expect(boundaryOf({ indexed: { from: 0, to: 1_000 }, finalized: 936 })).toBe(936)
    expect(boundaryOf({ indexed: { from: 0, to: 1_000 }, finalized: 10 })).toBe(744)
    expect(boundaryOf({ indexed: { from: 0, to: 1_000 }, finalized: null })).toBe(744)
  })

  it("is null if every indexed block is followed, or none is indexed", () => {
    expect(boundaryOf({ indexed: { from: 0, to: 40 }, finalized: null })).toBeNull()
    expect(boundaryOf({ indexed: { from: 900, to: 1_000 }, finalized: 800 })).toBeNull()
    expect(boundaryOf({ indexed: null, finalized: null })).toBeNull()
  })
})

describe("isBelow", () => {
  it("is true if the last indexed block is below the boundary", () => {
    const indexed = { from: 0, to: 575 }

    expect(isBelow({ indexed }, 576)).toBe(true)
    expect(isBelow({ indexed }, 575)).toBe(false)
  })

  it("is false if every indexed block is followed, or none is indexed", () => {
    expect(isBelow({ indexed: { from: 0, to: 0 } }, null)).toBe(false)
    expect(isBelow({ indexed: null }, 575)).toBe(false)
  })
})
