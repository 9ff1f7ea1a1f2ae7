/** A short run of `pnpm --filter @daybook/service faults`. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Harness from "./Harness.ts"
import * as Scenarios from "./scenarios.ts"

const names = ["catch-up of 2,000 blocks", "failing traces"]
const jump = 400
const timing: Harness.Timing = { faultSeconds: 4, countedSeconds: 4 }

describe("Service behind a proxy that fails", () => {
  it.live(
    "shows the lag of the last poll during a fault, and recovers from it",
    () =>
      Effect.gen(function* () {
        const scenarios = Scenarios.all
          .filter(({ name }) => names.includes(name))
          .map((scenario) => (scenario.jump === undefined ? scenario : { ...scenario, jump }))
        const issues = yield* Effect.forEach(
          scenarios,
          (scenario) =>
            Effect.map(Harness.run(scenario, timing), (outcome) => [
              scenario.name,
              Harness.issuesOf(scenario, outcome),
            ]),
          { concurrency: 2 },
        )

        expect(issues).toEqual(names.map((name) => [name, []]))
      }),
    120_000,
  )
})
