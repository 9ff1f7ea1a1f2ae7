import { describe, expect, it } from "vitest"
import { add, type BlockLike, type LatestBlocks } from "../../src/blocks/LatestBlocks.ts"

/** A block of a branch; its parent belongs to the same branch unless another one is named. */
const block = (number: number, branch = "a", parent = branch): BlockLike => ({
  number: BigInt(number),
  hash: `${branch}${number}`,
  parentHash: `${parent}${number - 1}`,
})

const shown = (state: LatestBlocks<BlockLike>): ReadonlyArray<string> =>
  state.map((entry) => `${entry.block.hash}${entry.isReverted ? " reverted" : ""}`)

const start = add([], [block(5), block(4), block(3)], 4)

describe("LatestBlocks.add", () => {
  it("puts a new head on top and keeps as many blocks as fit", () => {
    expect(shown(add(start, [block(6)], 4))).toEqual(["a6", "a5", "a4", "a3"])
    expect(shown(add(start, [block(6)], 3))).toEqual(["a6", "a5", "a4"])
  })

  it("marks the blocks that a branch replaced, each below its replacement", () => {
    const state = add(start, [block(6, "b"), block(5, "b"), block(4, "b", "a")], 4)

    expect(shown(state)).toEqual(["b6", "b5", "a5 reverted", "b4", "a4 reverted", "a3"])
  })

  it("marks the blocks above a head that moved down", () => {
    expect(shown(add(start, [block(4)], 4))).toEqual(["a5 reverted", "a4", "a3"])
  })

  it("no longer marks a block that is part of the chain again", () => {
    const reverted = add(start, [block(5, "b", "a")], 4)

    expect(shown(add(reverted, [block(6), block(5)], 4))).toEqual(["a6", "a5", "b5 reverted", "a4", "a3"])
  })

  it("keeps the blocks of the latest reorgs, even if blocks of earlier ones are higher", () => {
    const high = add(
      start,
      Array.from({ length: 12 }, (_, at) => block(17 - at, "h", at === 11 ? "a" : "h")),
      20,
    )
    const back = add(high, [block(5)], 20)

    const state = add(add(back, [block(6, "n", "a")], 20), [block(5)], 20)

    expect(shown(state).filter((text) => text.endsWith("reverted"))).toHaveLength(8)
    expect(shown(state)).toContain("n6 reverted")
  })

  it("changes nothing for the same head", () => {
    expect(shown(add(start, [block(5)], 4))).toEqual(shown(start))
  })
})
