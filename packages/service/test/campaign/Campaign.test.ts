import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Campaign from "./Campaign.ts"

/** Runs a campaign whose cases fail from a number of blocks; returns its exit code and its lines without the time. */
const run = (...args: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const campaign: Campaign.Campaign<{ readonly blocks: readonly [number, string] }> = {
    name: "heights",
    about: "Fails from block 20 on.",
    seeds: 2,
    options: { blocks: [8, "blocks of each chain"] },
    plan: ({ blocks }, _, seeds) =>
      Effect.succeed({
        columns: ["chain", "blocks"],
        cases: Campaign.ofSeeds(
          seeds,
          (_seed, { fail }, size) => Effect.sync(() => (size >= 20 ? fail(`${size} blocks`) : [size])),
          ["blocks", blocks],
        ),
      }),
  }
  return Effect.map(
    Campaign.run(campaign, args, (line) => lines.push(...line.split("\n"))),
    (code) => [code, ...lines.map((line) => line.replace(/, \d+ s$/, ""))],
  )
}

const table = ["| chain | blocks |", "|---|--:|"]

describe("Campaign", () => {
  it.effect("run: prints a row for each seed and returns 0 if nothing fails", () =>
    Effect.gen(function* () {
      const passed = [0, ...table, "| seed 1 | 8 |", "| seed 2 | 8 |", "passed: 2 of 2 cases"]
      expect(yield* run()).toEqual(passed)
      expect(yield* run("--seed", "5")).toEqual([0, ...table, "| seed 5 | 8 |", "passed: 1 of 1 cases"])
    }),
  )

  it.effect("run: prints how to repeat a failed case, with the smallest size that fails, and returns 1", () =>
    Effect.gen(function* () {
      expect(yield* run("--seed", "3", "--blocks", "80")).toEqual([
        1,
        ...table,
        "failed: seed 3: 80 blocks",
        "again: pnpm --filter @daybook/service heights --seed 3 --blocks 20",
        "FAILED: 1 of 1 cases, seed 3",
      ])
    }),
  )

  it.effect("run: starts no further case once the budget is spent, and fails if no case has the name", () =>
    Effect.gen(function* () {
      expect(yield* run("--budget", "0")).toEqual([0, ...table, "| seed 1 | 8 |", "passed: 1 of 2 cases"])
      expect((yield* run("height"))[0]).toBe(1)
    }),
  )

  it.effect("run: returns 2 for an unknown option, or one that is not a number", () =>
    Effect.gen(function* () {
      expect(yield* run("--blocks", "many")).toEqual([
        2,
        'TypeError: Invalid option "--blocks": expected a number, received "many". See --help.',
      ])
      expect((yield* run("--height", "2"))[0]).toBe(2)
    }),
  )
})
