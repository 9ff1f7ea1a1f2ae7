/**
 * Puts a service through the faults of a node and prints a table. `node test/faults/run.ts [--only NAME] [--seconds N] [--at-once N]`; ends with
 * code 1 when a bound is broken.
 */
import { Effect } from "effect"
import * as Harness from "./Harness.ts"
import * as Scenarios from "./scenarios.ts"

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

const only = option("only")
const faultSeconds = Number(option("seconds") ?? 120)
const timing: Harness.Timing = { faultSeconds, countedSeconds: Math.min(60, faultSeconds / 2) }
/** Scenarios that run at the same time: they wait most of the time. */
const atOnce = Number(option("at-once") ?? 3)

const print = (line: string) => void process.stdout.write(`${line}\n`)

const row = ({ callsPerMinute, lagError, maxLag, name, recoverySeconds, staleMillis }: Harness.Outcome): string =>
  `| ${[name, callsPerMinute, maxLag, lagError ?? "unknown", staleMillis, recoverySeconds.toFixed(1)].join(" | ")} |`

const program = Effect.gen(function* () {
  const scenarios = Scenarios.all.filter(({ name }) => only === undefined || name === only)
  print(
    "| fault | calls a minute | largest lag, blocks | error of the shown lag, blocks | head shown late, ms | recovery, s |",
  )
  print("|---|---|---|---|---|---|")
  const broken = yield* Effect.forEach(
    scenarios,
    Effect.fnUntraced(function* (scenario) {
      const outcome = yield* Harness.run(scenario, timing)
      const issues = Harness.issuesOf(scenario, outcome)
      print(row(outcome))
      for (const issue of issues) print(`  ${scenario.name}: ${issue} ("${outcome.message}")`)
      return issues.length
    }),
    { concurrency: atOnce },
  )
  if (scenarios.length === 0 || broken.some((issues) => issues > 0)) process.exitCode = 1
})

await Effect.runPromise(Effect.scoped(program)).catch((cause: unknown) => {
  print(String(cause))
  process.exitCode = 1
})
process.exit()
