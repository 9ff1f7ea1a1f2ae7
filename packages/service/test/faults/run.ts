/** Runs a service with each fault of its node. */
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Harness from "./Harness.ts"
import * as Scenarios from "./scenarios.ts"

Campaign.main({
  name: "faults",
  about: "Runs a service with each fault of its node while the chain grows. Fails if a limit is exceeded.",
  options: {
    seconds: [120, "duration of each fault in seconds"],
    "at-once": [3, "concurrent faults, which wait most of the time"],
  },
  plan: ({ "at-once": atOnce, seconds: faultSeconds }) =>
    Effect.succeed({
      atOnce,
      columns: [
        "fault",
        "calls per minute",
        "largest lag, blocks",
        "error of the reported lag, blocks",
        "age of the reported head, ms",
        "recovery, s",
      ],
      cases: Scenarios.all.map((scenario) => ({
        name: scenario.name,
        run: Effect.fnUntraced(function* ({ fail }) {
          const timing = { faultSeconds, countedSeconds: Math.min(60, faultSeconds / 2) }
          const outcome = yield* Harness.run(scenario, timing)
          for (const issue of Harness.issuesOf(scenario, outcome, timing)) fail(`${issue} ("${outcome.message}")`)
          const { callsPerMinute, lagError, maxLag, recoverySeconds, staleMillis } = outcome
          return [callsPerMinute, maxLag, lagError ?? "unknown", staleMillis, recoverySeconds.toFixed(1)]
        }),
      })),
    }),
})
