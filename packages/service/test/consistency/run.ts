/**
 * Reads pages while a chain is written, and compares each with the chain of its head. With `--safeguards` each safeguard is removed in
 * turn, in a child process, and an error must be detected.
 */
import { fileURLToPath } from "node:url"
import { Effect, Metric } from "effect"
import * as Replicas from "../../src/store/postgres/Replicas.ts"
import * as Campaign from "../campaign/Campaign.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Checker from "./Checker.ts"
import * as Edit from "./Edit.ts"
import * as Nodes from "./Nodes.ts"
import * as Safeguards from "./Safeguards.ts"

const options = {
  on: [
    "sqlite",
    "subject of the check: sqlite; postgres; replica, which reads pages from a replica that lags 200 ms; nodes, with tables distributed over nodes that share no snapshot, some of which lag 100 ms; citus, the coordinator of --database",
  ],
  pages: [10_000, "number of pages"],
  seed: [1, "seed of all random choices"],
  bin: Campaign.bin,
  safeguards: [false, "removes each safeguard in turn; fails if the absence of one is not detected"],
  of: [undefined, "the only subject whose safeguards are removed"],
  database: [undefined, "URL of a database on a coordinator, which is emptied"],
  standby: [undefined, "URL of a standby of that coordinator, from which pages are read"],
  interrupted: [false, "pages and writes may fail, because nodes are killed meanwhile"],
} as const
type Options = Omit<Campaign.Values<typeof options>, "on"> & { readonly on: Safeguards.Subject }

/** Edits that a subject requires. */
const ownEdits = (on: Safeguards.Subject) => (on === "nodes" ? Nodes.edits : [])

/** URLs of the written and the read database. */
const urlsOf = Effect.fnUntraced(function* ({ bin, database, on: subject, seed, standby: replica }: Options) {
  if (subject === "sqlite") return { url: `sqlite:${yield* temporaryFolder}` }
  if (subject === "citus") {
    if (database === undefined) return yield* Effect.die(new Error('Set "--database" to the URL of a coordinator.'))
    yield* TestServer.clearCoordinator(database)
    return { url: database, pagesUrl: { url: database, replicas: replica === undefined ? [] : [replica] } }
  }
  const delayMillis = subject === "nodes" ? 100 : 200
  const { primary, standby } = yield* EmbeddedServer.pair({ delayMillis, bin })
  if (subject === "nodes") {
    yield* Nodes.distribute(primary.url)
    yield* Nodes.install(primary.url, standby.url, seed)
  }
  if (subject !== "replica") return { url: primary.url }
  return { url: primary.url, pagesUrl: { url: primary.url, replicas: [standby.url] } }
})

const check = Effect.fnUntraced(function* (options: Options, { fail, print }: Campaign.Output) {
  const { interrupted, on: subject, pages, seed } = options
  const isBroken = Edit.current().length > ownEdits(subject).length
  const seen = yield* Checker.run({ ...(yield* urlsOf(options)), pages, seed, endsWhenWrong: isBroken })
  const { accepted, crashes, damaged, falselyStale, refused, stale, stalls, torn } = seen
  if (!isBroken) {
    print(`${seen.appends} appends, ${seen.reorgs} reorgs`)
    print(`writers: ${crashes} crashed, ${stalls} paused, ${refused} writes without the lease or the head rejected`)
  }
  for (const [message, count] of [...seen.failures, ...seen.unavailable]) print(`  failed ${count}: ${message}`)
  if (Checker.isWrong(seen))
    fail(
      `${torn} torn pages or lists, ${falselyStale} falsely stale walks, ${accepted} forbidden writes accepted, ${damaged} reads or writes rejected as damaged`,
    )
  // A page is rejected with a retryable error if the nodes do not reach one state in time.
  const isAvailable = subject === "nodes" || subject === "citus" || seen.unavailable.size === 0
  if (!isBroken && !interrupted && (seen.failures.size > 0 || !isAvailable)) fail("a page or a write failed")
  print(`${seen.pages} pages of ${seen.walks} walks, ${stale} of them stale; ${seen.lists} lists of block ranges`)
  if (options.standby === undefined) return
  const ofStandby = (yield* Metric.value(Replicas.pageReads.replica)).count
  print(`${ofStandby} pages were read from the standby`)
  if (ofStandby === 0) fail("no page was read from the standby")
})

/** Runs this command with edits in a child process; returns its exit code. */
const runWith = (edits: ReadonlyArray<Edit.Edit>, { bin, database, interrupted, on, pages, seed }: Options) => {
  const { args, env } = Edit.processWith(edits)
  const named = Object.entries({ on, pages, seed, bin, database }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  )
  if (interrupted) named.push("--interrupted")
  return Campaign.child([...args, fileURLToPath(import.meta.url), ...named], { env })
}

/** Checks a subject, in a child process if it requires edits. */
const checkWithEdits = (options: Options): Campaign.Case => ({
  name: options.on,
  run: (report) => {
    if (Edit.current().length >= ownEdits(options.on).length) return check(options, report)
    return Effect.map(runWith(ownEdits(options.on), options), (code) => {
      if (code !== 0) report.fail("see above")
    })
  },
})

Campaign.main({
  name: "consistency",
  about:
    "Reads pages while a chain is written, and compares each with the chain of its head. Fails if a page is torn, a walk becomes stale although its blocks are stored, a forbidden write is accepted, or a page or write fails.",
  options,
  plan: (values) => {
    const on = Safeguards.subjects.find((name) => name === values.on)
    if (on === undefined) {
      return Effect.fail(`Invalid option "--on": expected ${Safeguards.subjects.join(", ")}, received "${values.on}".`)
    }
    if (!values.safeguards) return Effect.succeed({ cases: [checkWithEdits({ ...values, on })] })
    const chosen = Safeguards.all.filter(({ subject }) => values.of === undefined || values.of === subject)
    const cases = chosen.map(({ edits, name, subject }): Campaign.Case => ({
      name: `${subject} without the safeguard that ${name}`,
      run: (report) =>
        Effect.map(runWith([...ownEdits(subject), ...edits], { ...values, on: subject }), (code) => {
          if (code !== 1) report.fail("not detected")
        }),
    }))
    return Effect.succeed({ cases })
  },
})
