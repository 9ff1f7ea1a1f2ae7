/** Outcomes that do not belong to what the indexer is doing, and the rules of a range. */
import { describe, expect, it } from "@effect/vitest"
import * as IndexerState from "../../src/indexer/IndexerState.ts"
import * as HashRules from "../../src/verification/HashRules.ts"

const settings: IndexerState.Settings = {
  fromBlock: 0,
  pollMillis: 2_000,
  finalityBlocks: 64,
  checks: "standard",
  allFrames: false,
  maxDelayMillis: 10_000,
}

const ref = (number: number, branch = "a") => ({ number, hash: `${branch}${number}` })

const checkpoint = { first: 0, head: ref(9), headTimestamp: 0, finalized: null }

const apply = (...inputs: ReadonlyArray<IndexerState.Input>) =>
  inputs.reduce(
    ({ state }, input) => IndexerState.step(settings, state, input),
    IndexerState.step(settings, IndexerState.make(settings, HashRules.ethereum), { _tag: "Begun" }),
  )

const headSeen = (number: number): IndexerState.Input => ({
  _tag: "HeadSeen",
  remote: { ...ref(number), parentHash: `a${number - 1}` },
  checkpoint,
  localHash: number === 9 ? "a9" : null,
  traces: "off",
  rules: HashRules.ethereum,
})

const broken: IndexerState.Input = { _tag: "ChainBroken", checkpoint, nodeHead: 10, found: ref(10, "b") }

const outcomes: ReadonlyArray<IndexerState.Input> = [
  { _tag: "ChainChecked" },
  { _tag: "BlockCompared", number: 5, local: ref(5), remote: ref(5) },
  { _tag: "FinalityRead", number: 5 },
  { _tag: "BlockFinalized" },
]

describe("IndexerState", () => {
  it.each(outcomes)("step: $_tag ends the turn when nothing is being looked up", (input) => {
    expect(apply(input)).toMatchObject({ action: { _tag: "AcquireLease" }, state: { phase: null } })
  })

  it.each(outcomes.slice(2))("step: $_tag ends the turn during the search for a common ancestor", (input) => {
    expect(apply(broken, input)).toMatchObject({ action: { _tag: "AcquireLease" }, state: { phase: null } })
  })

  it("step: ChainChecked ends the turn while the finalized block is looked up", () => {
    const reading = apply(headSeen(9))

    expect(reading.action._tag).toBe("ReadFinality")
    expect(IndexerState.step(settings, reading.state, { _tag: "ChainChecked" }).action._tag).toBe("AcquireLease")
  })

  it("step: extends the index with the rules of the head that was seen", () => {
    expect(apply(headSeen(12)).action).toMatchObject({ _tag: "Extend", from: 10, to: 12, rules: HashRules.ethereum })
    expect(HashRules.ethereum).not.toEqual(HashRules.none)
  })
})
