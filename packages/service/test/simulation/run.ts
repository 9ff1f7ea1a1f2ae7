/** Simulates many seeds in threads. Each thread replaces fetch and SQLite only for itself. */
import { availableParallelism } from "node:os"
import { isMainThread } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Threads from "../campaign/Threads.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import * as Edit from "../consistency/Edit.ts"
import { Counts } from "./Count.ts"
import * as InjectedBug from "./InjectedBug.ts"
import * as Server from "./Server.ts"
import * as Simulation from "./Simulation.ts"

/** Task of a thread. */
interface Task extends Pick<Simulation.Options, "bug" | "seed"> {
  readonly maxFaultMillis: number
}

/** Result of a seed in a thread. */
interface SeedOutcome extends Pick<Simulation.Outcome, "divergence" | "elapsedMillis"> {
  readonly kinds: ReadonlyMap<string, number>
}

type Simulate = Threads.Run<Task, SeedOutcome>

const onEvent = (millis: number, what: string) => console.log(`${(millis / 1000).toFixed(3).padStart(9)}  ${what}`)

/** Simulates in this thread, on SQLite or in a PostgreSQL database. */
const here = Effect.fnUntraced(function* (
  database: string | undefined,
  isVerbose: boolean,
): Effect.fn.Return<Simulate, unknown, Scope.Scope> {
  // Failures are frequent; stack traces are only needed for a single examined run.
  if (!isVerbose) Error.stackTraceLimit = 0
  const server = database === undefined ? undefined : yield* Server.open(yield* TestServer.blank(database))
  return (task) =>
    Effect.promise(async () => {
      const options = { ...task, server, onEvent: isVerbose ? onEvent : undefined }
      const { counts, divergence, elapsedMillis } = await Simulation.run(options)
      return { divergence, elapsedMillis, kinds: counts.byKind }
    })
})

const main = () =>
  Campaign.main({
    name: "simulate",
    about: "Simulates indexers in worlds that are generated from seeds. Fails if a store diverges from the model.",
    seeds: 1000,
    options: {
      millis: [Number.MAX_SAFE_INTEGER, "maximum virtual time with faults"],
      threads: [availableParallelism(), "threads that share the seeds"],
      bug: [undefined, `bug to inject: ${InjectedBug.names.join("; ")}`],
      database: [undefined, "URL of a PostgreSQL database whose user may create databases"],
      verbose: [false, "prints each event, with one thread"],
    },
    plan: Effect.fnUntraced(function* ({ database, millis, threads, verbose, ...values }, report, seeds) {
      if (database !== undefined && Edit.current().length === 0) {
        const { args, env } = Edit.processWith(Server.edits)
        const code = yield* Campaign.child([...args, fileURLToPath(import.meta.url), ...process.argv.slice(2)], { env })
        if (code !== 0) report.fail("see above")
        return { cases: [] }
      }
      const bug = InjectedBug.names.find((name) => name === values.bug)
      if (bug !== values.bug) return yield* Effect.fail(`--bug takes one of: ${InjectedBug.names.join("; ")}`)
      const atOnce = verbose || seeds.length === 1 ? 1 : threads
      const simulate = yield* Threads.make({
        module: new URL(import.meta.url),
        argv: database === undefined ? [] : [database],
        threads: atOnce,
        here: here(database, verbose),
      })
      const counts = new Counts()
      let virtualMillis = 0
      const cases = Campaign.ofSeeds(
        seeds,
        Effect.fnUntraced(function* (seed, { fail }, maxFaultMillis) {
          const { divergence, elapsedMillis, kinds } = yield* simulate({ seed, bug, maxFaultMillis })
          counts.add(kinds)
          virtualMillis += elapsedMillis
          if (divergence !== null) fail(divergence)
        }),
        ["millis", Math.min(millis, Simulation.longestFaultMillis)],
      )
      const after = ({ print }: Campaign.Output) =>
        Effect.sync(() => {
          for (const line of counts.toLines()) print(line)
          print(`${(virtualMillis / 3_600_000).toFixed(1)} h of virtual time`)
        })
      return { atOnce, cases, after }
    }),
  })

if (isMainThread) main()
else await Threads.serve(here(process.argv[2], false))
