/** A short run of `pnpm --filter @daybook/service faults`, which also judges durations. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Harness from "./Harness.ts"
import * as Scenarios from "./scenarios.ts"

const names = ["catch-up of 2,000 blocks", "failing traces"]
const jump = 400
const timing: Harness.Timing = { faultSeconds: 2, countedSeconds: 2 }

describe("Service behind a failing proxy", () => {
  it.live(
    "shows the lag during a fault, and recovers from it",
    () =>
      Effect.gen(function* () {
        const scenarios = Scenarios.all
          .filter(({ name }) => names.includes(name))
          .map((scenario) => (scenario.jump === undefined ? scenario : { ...scenario, jump }))
        const outcomes = yield* Effect.forEach(scenarios, (scenario) => Harness.run(scenario, timing), {
          concurrency: 2,
        })

        expect(outcomes.map(({ knownShare, maxLag, name }) => [name, knownShare > 0, maxLag > 0])).toEqual(
          names.map((name) => [name, true, true]),
        )
      }),
    180_000,
  )
})
