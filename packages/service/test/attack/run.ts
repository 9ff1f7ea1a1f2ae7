/** Attacks the service. */
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Scenario from "./Scenario.ts"
import * as Scenarios from "./Scenarios.ts"

const columns = ["attack", "bound", "behaviour", "memory peak, MiB", "longest turn, ms of CPU"]

Campaign.main({
  name: "attack",
  about: "Attacks the service and prints the measured values. Fails if a limit is exceeded.",
  options: { small: [false, "runs small attacks and does not evaluate times"] },
  plan: ({ small }) => {
    const tables: Array<string> = []
    const cases = Scenarios.all.map((scenario): Campaign.Case => ({
      name: scenario.name,
      run: Effect.fnUntraced(function* ({ fail }) {
        const outcome = yield* Effect.promise(() => Scenario.run(scenario, small ? "small" : "full"))
        const { before, behaviour, bound, faults, lines = [], measured } = outcome
        for (const fault of faults.slice(0, 3)) fail(fault)
        tables.push(...lines)
        const numbers = [
          measured?.peakMebibytes,
          measured?.turnMillis,
          before?.healthP99Millis,
          measured?.healthP99Millis,
        ].map((value) => value?.toFixed(0) ?? "")
        return [bound, behaviour, ...numbers]
      }),
    }))
    return Effect.succeed({
      cases,
      columns: [...columns, "health p99 before, ms", "health p99, ms"],
      after: ({ print }: Campaign.Output) => Effect.sync(() => tables.forEach(print)),
    })
  },
})
