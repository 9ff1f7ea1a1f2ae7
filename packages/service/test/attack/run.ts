/**
 * Attacks the service and prints what held: `node test/attack/run.ts [--small] [name ...]`, where a name is a part of those of the
 * attacks. Ends with code 1 when a verdict fails.
 */
import * as Scenario from "./Scenario.ts"
import * as Scenarios from "./Scenarios.ts"

const given = process.argv.slice(2)
const scale: Scenario.Scale = given.includes("--small") ? "small" : "full"
const names = given.filter((word) => !word.startsWith("--"))
const print = (line: string) => void process.stdout.write(`${line}\n`)

const row = ({ before, behaviour, bound, faults, measured, name }: Scenario.Outcome): string => {
  const numbers =
    measured === undefined || before === undefined
      ? ["", "", "", ""]
      : [measured.peakMebibytes, measured.turnMillis, before.healthP99Millis, measured.healthP99Millis].map((value) =>
          value.toFixed(0),
        )
  const verdict = faults.length === 0 ? "held" : `FAILED: ${faults.slice(0, 3).join("; ")}`
  return `| ${[name, bound, behaviour, ...numbers, verdict].join(" | ")} |`
}

print(
  "| attack | bound | behaviour | memory peak, MiB | longest turn, ms of CPU | health p99 before, ms | health p99, ms | verdict |",
)
print("|---|---|---|--:|--:|--:|--:|---|")
let failed = 0
const tables: Array<string> = []
for (const scenario of Scenarios.all) {
  if (names.length > 0 && !names.some((name) => scenario.name.includes(name))) continue
  const outcome = await Scenario.run(scenario, scale).catch((cause: unknown): Scenario.Outcome => ({
    name: scenario.name,
    bound: scenario.bound,
    behaviour: "did not end",
    measured: undefined,
    before: undefined,
    faults: [String(cause instanceof Error ? cause.stack : cause)],
  }))
  if (outcome.faults.length > 0) failed++
  print(row(outcome))
  if (outcome.lines !== undefined) tables.push("", ...outcome.lines)
}
for (const line of tables) print(line)
if (failed > 0) print(`\n${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
