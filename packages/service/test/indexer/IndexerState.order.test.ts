/** Outcomes that do not match the current action of the indexer, and the rules of a range. */
import { describe, expect, it } from "@effect/vitest"
import * as IndexerState from "../../src/indexer/IndexerState.ts"
import type * as IndexerTurn from "../../src/indexer/IndexerTurn.ts"
import { BlockNotFound } from "../../src/fetch/BlockNotFound.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import { InvalidBlock } from "../../src/verification/InvalidBlock.ts"
import { checkpointAt, headSeen, ref, settings } from "./states.ts"

const checkpoint = checkpointAt(9)

const apply = (...inputs: ReadonlyArray<IndexerTurn.Input>) =>
  inputs.reduce(
    ({ state }, input) => IndexerState.step(settings, state, input),
    IndexerState.step(settings, IndexerState.make(settings, HashRules.ethereum), { _tag: "Begun" }),
  )

const broken: IndexerTurn.Input = { _tag: "ChainBroken", checkpoint, nodeHead: 10, found: ref(10, "b") }

const outcomes: ReadonlyArray<IndexerTurn.Input> = [
  { _tag: "ChainChecked" },
  { _tag: "BlockCompared", number: 5, local: ref(5), remote: ref(5) },
  { _tag: "FinalityRead", finalized: ref(5) },
  { _tag: "BlockFinalized" },
]

describe("IndexerState", () => {
  it.each(outcomes)("step: $_tag ends the turn if nothing is being looked up", (input) => {
    expect(apply(input)).toMatchObject({ action: { _tag: "AcquireLease" }, state: { phase: null } })
  })

  it.each(outcomes.slice(2))("step: $_tag ends the turn during the search for a common ancestor", (input) => {
    expect(apply(broken, input)).toMatchObject({ action: { _tag: "AcquireLease" }, state: { phase: null } })
  })

  it("step: ChainChecked ends the turn while the finalized block is looked up", () => {
    const reading = apply(headSeen(9, checkpoint))

    expect(reading.action._tag).toBe("ReadFinality")
    expect(IndexerState.step(settings, reading.state, { _tag: "ChainChecked" }).action._tag).toBe("AcquireLease")
  })

  const failedWith = (error: IndexerTurn.TurnError, times: number) =>
    Array.from({ length: times }).reduce<IndexerState.Transition>(
      ({ state }) => IndexerState.step(settings, state, { _tag: "Failed", error, millis: 0 }),
      IndexerState.step(settings, IndexerState.make(settings, null), { _tag: "Begun" }),
    ).state.doubt.doubtful

  it("step: doubts detected rules after the fourth time that a rule rejects a block, and after no other failure", () => {
    const invalid = new InvalidBlock({ block: 7, hash: "b7", what: "header hash", isOfRules: true })
    const unlinked = new InvalidBlock({ block: 7, hash: "b7", what: "receipts" })
    const missing = new BlockNotFound({ block: 7, what: "block" })

    expect([3, 4, 5].map((times) => failedWith(invalid, times))).toEqual([null, 7, 7])
    expect([unlinked, missing].map((error) => failedWith(error, 5))).toEqual([null, null])
  })

  it("step: extends the index with the rules that apply at the observed head", () => {
    expect(apply(headSeen(12, checkpoint)).action).toMatchObject({
      _tag: "Extend",
      from: 10,
      to: 12,
      rules: HashRules.ethereum,
    })
    expect(HashRules.ethereum).not.toEqual(HashRules.none)
  })
})
