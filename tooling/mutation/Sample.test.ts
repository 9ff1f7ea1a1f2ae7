import { describe, expect, it } from "vitest"
import { declarations, sample, stratified } from "./Sample.ts"

const source = `import { a } from "./a.ts"

export interface Size {
  readonly of: number
}

export const name = "half"

export const half = (size: number): number => {
  if (size > 1) return size / 2
  return 1
}

export const double = (size: number) => size * 2
`

const all = Array.from({ length: 20 }, (_, at) => ({ source: "A.ts", from: at, to: at, weight: 2 }))

describe("Sample", () => {
  it("declarations: are the top-level ones that contain an operator, a branch or a function, with their lines", () => {
    expect(declarations("Half.ts", source).map(({ from, to }) => [from, to])).toEqual([
      [9, 12],
      [14, 14],
    ])
  })

  it("sample: draws declarations until their weights reach the count", () => {
    expect(sample(all, 9, 1)).toHaveLength(5)
    expect(new Set(sample(all, 1000, 1))).toEqual(new Set(all))
  })

  it("sample: draws the same declarations for the same seed, and others for another one", () => {
    expect(sample(all, 8, 7)).toEqual(sample(all, 8, 7))
    expect(sample(all, 8, 7)).not.toEqual(sample(all, 8, 8))
  })

  it("stratified: draws from each group by its share, with a weight of at least 8", () => {
    const few = all.slice(0, 5).map((one) => ({ ...one, source: "B.ts" }))
    const drawn = stratified([all, few, few.slice(0, 1), []], 26, 7)

    expect(drawn.filter(({ source }) => source === "A.ts")).toHaveLength(10)
    expect(drawn.filter(({ source }) => source === "B.ts")).toHaveLength(4 + 1)
    expect(stratified([all, few], 1, 7)).toHaveLength(8)
  })
})
