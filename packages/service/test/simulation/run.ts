/**
 * Simulates many seeds, or one seed again: `pnpm --filter @daybook/service simulate --seed 7 --verbose`, `--seeds 10000`. Many are
 * shared by as many threads as there are cores, or `--threads`. `--database` is the URL of a PostgreSQL database whose user may create
 * databases; without it stores are files of SQLite. Prints the time, what happened how often, and each seed that diverged; exits 1 if one
 * did.
 */
import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as TestServer from "../store/postgres/TestServer.ts"
import * as Edit from "../tears/Edit.ts"
import { Counts } from "./Count.ts"
import * as PlantedBug from "./PlantedBug.ts"
import * as Server from "./Server.ts"
import * as Simulation from "./Simulation.ts"

/** Seeds of a thread. */
interface Share {
  readonly first: number
  readonly last: number
  readonly step: number
  readonly bug: PlantedBug.Name | undefined
  readonly isVerbose: boolean
  /** URL of a PostgreSQL database, beside which it makes its own. */
  readonly database: string | undefined
}

/** What a thread reports of a seed. */
interface SeedOutcome extends Pick<Simulation.Outcome, "divergence" | "elapsedMillis" | "seed"> {
  readonly kinds: ReadonlyMap<string, number>
}

const onEvent = (millis: number, what: string) => console.log(`${(millis / 1000).toFixed(3).padStart(9)}  ${what}`)

type OnOutcome = (outcome: SeedOutcome) => void

const simulateOn = async (
  server: Server.Server | undefined,
  { bug, first, isVerbose, last, step }: Share,
  onOutcome: OnOutcome,
) => {
  // Worlds fail all the time; a trace of the stack is wanted only while one of them is examined.
  if (!isVerbose) Error.stackTraceLimit = 0
  for (let seed = first; seed <= last; seed += step) {
    const { counts, divergence, elapsedMillis } = await Simulation.run({
      seed,
      ...(server === undefined ? {} : { server }),
      ...(bug === undefined ? {} : { bug }),
      ...(isVerbose ? { onEvent } : {}),
    })
    onOutcome({ seed, divergence, elapsedMillis, kinds: counts.byKind })
    if (divergence !== null && bug !== undefined) return
  }
}

const simulate = (share: Share, onOutcome: OnOutcome): Promise<void> => {
  const { database } = share
  if (database === undefined) return simulateOn(undefined, share, onOutcome)
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* Server.open(yield* TestServer.blank(database))
        yield* Effect.promise(() => simulateOn(server, share, onOutcome))
      }),
    ),
  )
}

/** Simulates a share in a thread of its own; fetch and SQLite are replaced for that thread alone. */
const inThread = (share: Share, onOutcome: OnOutcome) =>
  new Promise<void>((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: share })
    thread.on("message", onOutcome)
    thread.on("error", reject)
    thread.on("exit", () => resolve())
  })

/** Runs this command with an engine whose driver is replaced. */
const withEdits = () => {
  const { args, env } = Edit.processWith(Server.edits)
  const own = [...args, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  process.exitCode = spawnSync(process.execPath, own, { env, stdio: "inherit" }).status ?? 1
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "1" },
      bug: { type: "string" },
      database: { type: "string" },
      threads: { type: "string", default: String(availableParallelism()) },
      verbose: { type: "boolean", default: false },
    },
  })
  const bug = PlantedBug.names.find((name) => name === values.bug)
  if (values.bug !== undefined && bug === undefined) {
    throw new Error(`--bug takes one of: ${PlantedBug.names.join("; ")}`)
  }
  if (values.database !== undefined && Edit.current().length === 0) return withEdits()
  const first = Number(values.seed ?? values.from)
  const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first
  const counts = new Counts()
  const failed: Array<number> = []
  let virtualMillis = 0
  let lived = 0
  const onOutcome = ({ divergence, elapsedMillis, kinds, seed }: SeedOutcome) => {
    lived++
    counts.add(kinds)
    virtualMillis += elapsedMillis
    if (divergence === null) return
    failed.push(seed)
    console.log(`seed ${seed}: ${divergence}`)
  }
  const startedAt = performance.now()
  // The first seed that finds a bug is the answer, and events are printed in their order.
  const step = bug !== undefined || values.verbose || first === last ? 1 : Number(values.threads)
  const shares = Array.from({ length: step }, (_, at) => ({
    first: first + at,
    last,
    step,
    bug,
    isVerbose: values.verbose,
    database: values.database,
  }))
  await Promise.all(shares.map((share) => (step === 1 ? simulate : inThread)(share, onOutcome)))
  const seconds = (performance.now() - startedAt) / 1000
  failed.sort((a, b) => a - b)
  console.log(counts.toLines().join("\n"))
  console.log(
    `${lived} seeds in ${seconds.toFixed(1)} s (${(virtualMillis / 3_600_000).toFixed(1)} h of virtual time), ${failed.length} diverged${failed.length === 0 ? "" : `: ${failed.join(", ")}`}`,
  )
  process.exitCode = failed.length === 0 ? 0 : 1
}

// Sound: threads are started with a share.
if (isMainThread) await main()
else await simulate(workerData as Share, (outcome) => parentPort?.postMessage(outcome))
