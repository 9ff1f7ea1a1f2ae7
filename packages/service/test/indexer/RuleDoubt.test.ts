import { describe, expect, it } from "vitest"
import * as RuleDoubt from "../../src/indexer/RuleDoubt.ts"
import { InvalidBlock } from "../../src/verification/InvalidBlock.ts"

const refusal = (block: number, isOfRules = true) =>
  new InvalidBlock({ block, hash: "0x1", what: "the bloom differs", isOfRules })

describe("RuleDoubt", () => {
  it("refused: marks a block as doubtful if its rules were detected", () => {
    const doubt = RuleDoubt.refused(RuleDoubt.make(true), refusal(7))

    expect(doubt).toEqual({ isDetected: true, doubtful: 7, examined: null })
    expect(RuleDoubt.refused(doubt, refusal(9))).toEqual({ isDetected: true, doubtful: 9, examined: null })
  })

  it("refused: does not doubt rules if no rule rejected the block", () => {
    expect(RuleDoubt.refused(RuleDoubt.make(true), refusal(7, false))).toEqual(RuleDoubt.make(true))
  })

  it("refused: keeps known rules", () => {
    expect(RuleDoubt.refused(RuleDoubt.make(false), refusal(7))).toEqual(RuleDoubt.make(false))
  })

  it("detected: doubts the rules of a block once, and those of another block again", () => {
    const examined = RuleDoubt.detected(RuleDoubt.refused(RuleDoubt.make(true), refusal(7)))

    expect(examined).toEqual({ isDetected: true, doubtful: null, examined: 7 })
    expect(RuleDoubt.refused(examined, refusal(7))).toEqual(examined)
    expect(RuleDoubt.detected(examined)).toEqual(examined)
    expect(RuleDoubt.refused(examined, refusal(8))).toEqual({ isDetected: true, doubtful: 8, examined: 7 })
  })
})
