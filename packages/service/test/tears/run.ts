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
    "what is checked: sqlite; postgres; replica, where pages are read of a replica that lags 200 ms; nodes, over which tables are distributed, which have no snapshot in common, and some of which lag 100 ms; citus, the coordinator of --database",
  ],
  pages: [10_000, "number of pages"],
  seed: [1, "what is drawn by random"],
  bin: Campaign.bin,
  safeguards: [false, "takes each safeguard out in turn; fails for one whose absence is not noticed"],
  of: [undefined, "the one subject whose safeguards are taken out"],
  database: [undefined, "URL of a coordinator, whose database is emptied"],
  standby: [undefined, "URL of a standby of that coordinator, which pages are read of"],
  interrupted: [false, "pages and writes may fail, as nodes are ended meanwhile"],
} as const
type Options = Omit<Campaign.Values<typeof options>, "on"> & { readonly on: Safeguards.Subject }

/** Edits that a subject requires. */
const ownEdits = (on: Safeguards.Subject) => (on === "nodes" ? Nodes.edits : [])

/** URLs of the written and the read database. */
const urlsOf = Effect.fnUntraced(function* ({ bin, database, on: subject, seed, standby: replica }: Options) {
  if (subject === "sqlite") return { url: `sqlite:${yield* temporaryFolder}` }
  if (subject === "citus") {
    if (database === undefined) return yield* Effect.die(new Error('Give "--database", the URL of a coordinator.'))
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
    print(`writers: ${crashes} crashed, ${stalls} stood still, ${refused} writes without the lease or the head refused`)
  }
  for (const [message, count] of [...seen.failures, ...seen.unavailable]) print(`  failed ${count}: ${message}`)
  if (Checker.isWrong(seen))
    fail(
      `${torn} torn pages or lists, ${falselyStale} falsely stale walks, ${accepted} forbidden writes accepted, ${damaged} refused as damaged`,
    )
  // A page is rejected with a retryable error if the nodes do not reach one state in time.
  const isAvailable = subject === "nodes" || subject === "citus" || seen.unavailable.size === 0
  if (!isBroken && !interrupted && (seen.failures.size > 0 || !isAvailable)) fail("a page or a write failed")
  print(`${seen.pages} pages of ${seen.walks} walks, ${stale} of them stale; ${seen.lists} lists of ranges of blocks`)
  if (options.standby === undefined) return
  const ofStandby = (yield* Metric.value(Replicas.pageReads.replica)).count
  print(`${ofStandby} pages were read of the standby`)
  if (ofStandby === 0) fail("no page was read of the standby")
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
  name: "tears",
  about:
    "Reads pages while a chain is written, and compares each with the chain of its head. Fails for a torn page, a walk that is stale although its blocks are stored, a write that should have been refused, or a page or write that failed.",
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
          if (code !== 1) report.fail("not noticed")
        }),
    }))
    return Effect.succeed({ cases })
  },
})
