/**
 * Simulates many seeds, or one seed again: `pnpm --filter @daybook/service simulate --seed 7 --verbose`, `--seeds 10000`.
 * Prints the time, what happened how often, and each seed that diverged; exits 1 if one did.
 */
import { parseArgs } from "node:util"
import { Counts } from "./Count.ts"
import * as PlantedBug from "./PlantedBug.ts"
import * as Simulation from "./Simulation.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    bug: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
})

const bug = PlantedBug.names.find((name) => name === values.bug)
if (values.bug !== undefined && bug === undefined) {
  throw new Error(`--bug takes one of: ${PlantedBug.names.join("; ")}`)
}
const first = Number(values.seed ?? values.from)
const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first
const onEvent = (millis: number, what: string) => console.log(`${(millis / 1000).toFixed(3).padStart(9)}  ${what}`)

const counts = new Counts()
const failed: Array<number> = []
const startedAt = performance.now()
let virtualMillis = 0
for (let seed = first; seed <= last; seed++) {
  const outcome = await Simulation.run({
    seed,
    ...(bug === undefined ? {} : { bug }),
    ...(values.verbose ? { onEvent } : {}),
  })
  counts.add(outcome.counts.byKind)
  virtualMillis += outcome.elapsedMillis
  if (outcome.divergence === null) continue
  failed.push(seed)
  console.log(`seed ${seed}: ${outcome.divergence}`)
  if (bug !== undefined) break
}
const seconds = (performance.now() - startedAt) / 1000
console.log(counts.toLines().join("\n"))
const lived = (failed.length > 0 && bug !== undefined ? failed[0]! : last) - first + 1
console.log(
  `${lived} seeds in ${seconds.toFixed(1)} s (${(virtualMillis / 3_600_000).toFixed(1)} h of virtual time), ${failed.length} diverged${failed.length === 0 ? "" : `: ${failed.join(", ")}`}`,
)
process.exitCode = failed.length === 0 ? 0 : 1
