/**
 * Reads pages while a chain is written, and compares each with the chain of its head. With `--safeguards` each safeguard is taken out in
 * turn, in a process of its own, which must find that.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Flag, type Command } from "effect/cli"
import * as Campaign from "../campaign/Campaign.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Checker from "./Checker.ts"
import * as Edit from "./Edit.ts"
import * as Nodes from "./Nodes.ts"
import * as Safeguards from "./Safeguards.ts"

const options = {
  on: Flag.Literals("on", Safeguards.subjects).pipe(
    Flag.withDescription(
      "What is checked; default: sqlite. replica: PostgreSQL, with pages read of a replica that lags 200 ms. nodes: PostgreSQL whose tables are distributed over nodes that have no snapshot in common, some of which lag 100 ms. citus: the coordinator of --database.",
    ),
    Flag.withDefault("sqlite"),
  ),
  pages: Campaign.number("pages", 10_000, "Number of pages."),
  seed: Campaign.seed,
  bin: Campaign.bin,
  safeguards: Campaign.flag(
    "safeguards",
    "Takes each safeguard out in turn; fails for one whose absence is not noticed.",
  ),
  of: Campaign.text("of", "The one subject whose safeguards are taken out."),
  database: Campaign.text("database", "URL of a coordinator, whose database is emptied."),
  interrupted: Campaign.flag("interrupted", "Pages and writes may fail, as nodes are ended meanwhile."),
}
type Options = Command.Command.Config.Infer<typeof options>

/** Edits without which a subject cannot be checked. */
const ownEdits = (on: Safeguards.Subject) => (on === "nodes" ? Nodes.edits : [])

/** The URLs that are written and read. */
const urlsOf = Effect.fnUntraced(function* ({ bin, database, on: subject, seed }: Options) {
  if (subject === "sqlite") return { url: `sqlite:${yield* temporaryFolder}` }
  if (subject === "citus") {
    if (database === undefined) return yield* Effect.die(new Error('Give "--database", the URL of a coordinator.'))
    yield* TestServer.clearCoordinator(database)
    return { url: database }
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

const check = Effect.fnUntraced(function* (options: Options, { fail, print }: Campaign.Report) {
  const { interrupted, on: subject, pages, seed } = options
  const isBroken = Edit.current().length > ownEdits(subject).length
  const seen = yield* Checker.run({ ...(yield* urlsOf(options)), pages, seed, endsWhenWrong: isBroken })
  const { accepted, crashes, falselyStale, refused, stale, stalls, torn } = seen
  if (!isBroken) {
    print(`${seen.appends} appends, ${seen.reorgs} reorgs`)
    print(`writers: ${crashes} crashed, ${stalls} stood still, ${refused} writes without the lease or the head refused`)
  }
  for (const [message, count] of [...seen.failures, ...seen.unavailable]) print(`  failed ${count}: ${message}`)
  if (Checker.isWrong(seen))
    fail(`${torn} torn pages, ${falselyStale} falsely stale walks, ${accepted} forbidden writes accepted`)
  // A page of nodes that do not come to one state in time is refused, and may be retried.
  const isAvailable = subject === "nodes" || subject === "citus" || seen.unavailable.size === 0
  if (!isBroken && !interrupted && (seen.failures.size > 0 || !isAvailable)) fail("a page or a write failed")
  return `${seen.pages} pages of ${seen.walks} walks, ${stale} of them stale`
})

/** Runs this command with edits; gives its code. */
const runWith = (edits: ReadonlyArray<Edit.Edit>, { bin, database, interrupted, on, pages, seed }: Options) =>
  Effect.promise(async (): Promise<unknown> => {
    const { args, env } = Edit.processWith(edits)
    const named = Object.entries({ bin, database }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    )
    const own = ["--on", on, "--pages", String(pages), "--seed", String(seed), ...named]
    if (interrupted) own.push("--interrupted")
    const child = spawn(process.execPath, [...args, fileURLToPath(import.meta.url), ...own], { env, stdio: "inherit" })
    const [code] = await once(child, "exit")
    return code
  })

Campaign.main({
  name: "tears",
  about:
    "Reads pages while a chain is written, and compares each with the chain of its head. Fails for a torn page, a walk that is stale although its blocks are stored, a write that should have been refused, or a page or write that failed.",
  options,
  run: Effect.fnUntraced(function* (options, report) {
    if (!options.safeguards) {
      if (Edit.current().length >= ownEdits(options.on).length) return yield* check(options, report)
      if ((yield* runWith(ownEdits(options.on), options)) !== 0) report.fail("see above")
      return "ran with the edits of its subject"
    }
    const chosen = Safeguards.all.filter(({ subject }) => options.of === undefined || options.of === subject)
    for (const { edits, name, subject } of chosen) {
      report.print(`${subject} without the safeguard that ${name}:`)
      const code = yield* runWith([...ownEdits(subject), ...edits], { ...options, on: subject })
      if (code !== 1) report.fail(`not noticed: ${subject}: ${name}`)
    }
    return `${chosen.length} safeguards taken out`
  }),
})
