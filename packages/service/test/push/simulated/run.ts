/**
 * Simulates receivers of events in virtual time for many seeds, on SQLite or PostgreSQL; fails if a table differs from the list of the
 * service. With `--faults` each fault is injected into the service in turn, in a child process, which must detect it.
 */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { isMainThread } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import * as Campaign from "../../campaign/Campaign.ts"
import * as Threads from "../../campaign/Threads.ts"
import { Counts } from "../../simulation/Count.ts"
import * as Server from "../../simulation/Server.ts"
import * as EmbeddedServer from "../../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../../store/postgres/TestServer.ts"
import * as Edit from "../../consistency/Edit.ts"
import * as Faults from "./Faults.ts"
import * as SimulatedRun from "./SimulatedRun.ts"

type Task = Pick<SimulatedRun.Options, "seed" | "steps">

/** Result of a seed in a thread. */
interface SeedOutcome extends Pick<SimulatedRun.Outcome, "differences"> {
  readonly kinds: ReadonlyMap<string, number>
  readonly cpuMillis: number
}

const options = {
  steps: [SimulatedRun.usualSteps, "maximum number of chain changes"],
  threads: [availableParallelism(), "threads that share the seeds"],
  on: ["sqlite", "sqlite or postgres"],
  database: Campaign.database,
  fault: [undefined, `fault to inject: ${Faults.all.map(({ name }) => name).join("; ")}`],
  faults: [false, "injects each fault; fails if one is not detected"],
  first: [false, "stops after the first failed seed"],
  verbose: [false, "prints each event, with one thread"],
} as const

type Values = Campaign.Values<typeof options>

const onEvent = (millis: number, what: string) => console.log(`${(millis / 1000).toFixed(3).padStart(9)}  ${what}`)

/** Simulates in this thread, on SQLite or in a PostgreSQL database. */
const here = Effect.fnUntraced(function* (
  database: string | undefined,
  isVerbose: boolean,
): Effect.fn.Return<Threads.Run<Task, SeedOutcome>, unknown, Scope.Scope> {
  const server = database === undefined ? undefined : yield* Server.open(yield* TestServer.blank(database))
  return (task) =>
    Effect.promise(async () => {
      const before = process.threadCpuUsage()
      const outcome = await SimulatedRun.run({ ...task, server, onEvent: isVerbose ? onEvent : undefined })
      const { system, user } = process.threadCpuUsage(before)
      return { differences: outcome.differences, kinds: outcome.counts.byKind, cpuMillis: (user + system) / 1_000 }
    })
})

const started = Effect.acquireRelease(
  Effect.promise(() => EmbeddedServer.start()),
  ({ stop, url }) => Effect.promise(() => TestServer.removeAll(url).then(stop)),
)

const argumentsOf = (more: Readonly<Record<string, string | number | undefined>>) => [
  fileURLToPath(import.meta.url),
  ...Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
]

/** Runs a child process with edits of the service. */
const childOf = (
  edits: ReadonlyArray<Edit.Edit>,
  more: Readonly<Record<string, string | number | undefined>>,
  isFirst: boolean,
) => {
  const { args, env } = Edit.processWith(edits)
  return Campaign.child([...args, ...argumentsOf(more), ...(isFirst ? ["--first"] : [])], { env })
}

/** Simulates the seeds. */
const simulations = Effect.fnUntraced(function* (
  { database, first, steps, threads, verbose }: Values,
  seeds: ReadonlyArray<number>,
): Effect.fn.Return<Campaign.CaseList, unknown, Scope.Scope> {
  const atOnce = verbose || seeds.length === 1 ? 1 : threads
  const simulate = yield* Threads.make({
    module: new URL(import.meta.url),
    argv: database === undefined ? [] : [database],
    threads: atOnce,
    here: here(database, verbose),
  })
  const counts = new Counts()
  let [done, failed, cpuMillis] = [0, 0, 0]
  return {
    atOnce,
    cases: Campaign.ofSeeds(
      seeds,
      Effect.fnUntraced(function* (seed, { fail }, size) {
        if (first && failed > 0) return
        const outcome = yield* simulate({ seed, steps: first ? steps : size })
        counts.add(outcome.kinds)
        cpuMillis += outcome.cpuMillis
        done++
        if (outcome.differences.length > 0) failed++
        for (const difference of outcome.differences) fail(difference)
      }),
      first ? undefined : ["steps", steps],
    ),
    after: ({ print }) =>
      Effect.sync(() => {
        for (const line of counts.toLines()) print(line)
        print(
          `${done} runs on ${database === undefined ? "sqlite" : "postgres"}, ${(cpuMillis / done).toFixed(0)} ms of CPU each`,
        )
      }),
  }
})

const faults = (seeds: ReadonlyArray<number>): Campaign.CaseList => ({
  cases: Faults.all.map(({ edits, name }) => ({
    name,
    run: Effect.fnUntraced(function* (report) {
      // A process whose edits fail has the same exit code as one that finds a difference.
      if (!edits.every(Edit.isCurrent)) return report.fail("the text that it replaces is no longer in its source")
      const code = yield* childOf(edits, { seeds: seeds.length, seed: seeds[0]!, threads: 1 }, true)
      if (code !== 1) report.fail("not found")
    }),
  })),
})

const main = () =>
  Campaign.main({
    name: "receivers:simulated",
    about:
      "Simulates a chain, two processes of a service and receivers of its events in virtual time: a webhook, server-sent events and a WebSocket. Fails if a table differs from the list of the service.",
    seeds: 1_000,
    options,
    plan: Effect.fnUntraced(function* (values, report, seeds) {
      const { database, fault, on, steps, threads } = values
      if (values.faults) return faults(seeds)
      const isEdited = Edit.current().length > 0
      const isPostgres = on === "postgres" && database === undefined
      if (isEdited || (!isPostgres && database === undefined && fault === undefined))
        return yield* simulations(values, seeds)
      const selectedFault = Faults.all.find(({ name }) => name === fault)
      if (fault !== undefined && selectedFault === undefined) return yield* Effect.fail(`No such fault: ${fault}`)
      const url = isPostgres ? (yield* started).url : database
      const edits = [...(selectedFault?.edits ?? []), ...(url === undefined ? [] : Server.edits)]
      const more = {
        steps,
        threads,
        seed: seeds[0]!,
        seeds: seeds.length,
        database: url,
      }
      const code = yield* childOf(edits, more, values.first)
      if (code !== 0) report.fail("see above")
      return { cases: [] }
    }),
  })

if (isMainThread) main()
else await Threads.serve(here(process.argv[2], false))
