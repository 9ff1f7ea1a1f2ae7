/** One run of receivers in virtual time; the command `receivers:simulated` runs any number, also with faults. */
import { describe, expect, it } from "vitest"
import * as Edit from "../../consistency/Edit.ts"
import * as Faults from "./Faults.ts"
import * as SimulatedRun from "./SimulatedRun.ts"

describe("SimulatedRun", () => {
  it("run: finds no difference, and repeats the same events for the same seed", { timeout: 60_000 }, async () => {
    const run = async () => {
      const events: Array<string> = []
      const onEvent = (millis: number, what: string) => events.push(`${millis} ${what}`)
      const { differences } = await SimulatedRun.run({ seed: 4, steps: 8, onEvent })
      return { differences, events }
    }
    const first = await run()

    expect(first.differences).toEqual([])
    expect(await run()).toEqual(first)
  })
})

describe("Faults", () => {
  it.each(Faults.all)("$name: is injected into a source that contains its text", ({ edits }) => {
    expect(edits.filter((edit) => !Edit.isCurrent(edit))).toEqual([])
  })
})
