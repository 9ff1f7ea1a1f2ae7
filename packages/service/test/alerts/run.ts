/**
 * Whether each alert of `deploy/prometheus` fires in the failure that it is for, and not otherwise: a real Prometheus over a real service.
 * `pnpm --filter @daybook/service alerts`. Needs Prometheus and its node_exporter, and root for a small disk.
 */
import { appendFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import * as Monitoring from "./Monitoring.ts"

const maxSeconds = 240
/** As long as the longest window of the rules is here. */
const wellSeconds = 62

const print = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))
const wallet = `0x${"1".repeat(40)}`

type World = Effect.Success<ReturnType<typeof Monitoring.start>>
type Served = Pick<World["main"], "key" | "url">

/** Five pages and relayed calls a second. */
const traffic = ({ key, url }: Served, chain: string) => {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_gasPrice", params: [] })
  const once = Effect.promise(async () => {
    const page = fetch(`${url}/api/v2.2/${wallet}/verbose?chain=${chain}`, { headers })
    const call = fetch(`${url}/rpc/${chain}`, { method: "POST", headers, body })
    for (const response of await Promise.allSettled([page, call]))
      if (response.status === "fulfilled") await response.value.arrayBuffer()
  })
  return Effect.forkScoped(Effect.repeat(once, Schedule.spaced("200 millis")))
}

const nameOf = ({ chain, name }: Monitoring.Alert) => (chain === undefined ? name : `${name} (${chain})`)

/** Waits until exactly the expected alerts fire; gives the seconds, `null` where that did not happen. */
const until = Effect.fnUntraced(function* (world: World, expected: ReadonlyArray<string>) {
  const startedAt = performance.now()
  let found: ReadonlyArray<string> = []
  while (performance.now() - startedAt < maxSeconds * 1000) {
    found = [...new Set((yield* world.firing).map(nameOf))].toSorted()
    if (found.join() === expected.toSorted().join()) return { found, seconds: (performance.now() - startedAt) / 1000 }
    yield* Effect.sleep("500 millis")
  }
  return { found, seconds: null }
})

interface Failure {
  readonly name: string
  readonly begin: Effect.Effect<unknown, unknown>
  readonly end: Effect.Effect<unknown, unknown>
  readonly alerts: ReadonlyArray<string>
}

/** Suspends the node for a second and a half of every two: calls that are relayed meanwhile wait for it. */
const slowNode = ({ node }: World) => {
  let timers: ReadonlyArray<NodeJS.Timeout> = []
  const signal = (name: NodeJS.Signals) => () => void process.kill(node.pid, name)
  const pulse = () => {
    signal("SIGSTOP")()
    timers = [timers[0]!, setTimeout(signal("SIGCONT"), 1_500)]
  }
  return {
    begin: Effect.sync(() => void (timers = [setInterval(pulse, 2_000)])),
    end: Effect.sync(() => {
      for (const timer of timers) clearTimeout(timer)
      signal("SIGCONT")()
    }),
  }
}

const failuresOf = (world: World): ReadonlyArray<Failure> => {
  const { main, node } = world
  const mining = (every: number) => node.call("evm_setIntervalMining", [every])
  const signal = (name: NodeJS.Signals) => Effect.sync(() => process.kill(node.pid, name))
  const reorgs = Effect.repeat(
    Effect.andThen(node.call("anvil_reorg", [1, []]), Effect.sleep("900 millis")),
    Schedule.recurs(20),
  )
  return [
    {
      name: "the node stops answering",
      begin: signal("SIGSTOP"),
      end: signal("SIGCONT"),
      alerts: ["DaybookNodeLost (eth)"],
    },
    { name: "the chain stands still", begin: mining(0), end: mining(1), alerts: ["DaybookChainStuck (eth)"] },
    { name: "20 reorgs", begin: reorgs, end: Effect.void, alerts: ["DaybookReorgStorm (eth)"] },
    {
      name: "the chain is 6,000 blocks ahead",
      begin: node.call("anvil_mine", ["0x1770"]),
      end: Effect.void,
      alerts: ["DaybookLag (eth)"],
    },
    { name: "the node answers after a second", ...slowNode(world), alerts: ["DaybookSlowPages"] },
    {
      name: "the service hangs",
      begin: Effect.sync(() => main.member.signal("SIGSTOP")),
      end: Effect.sync(() => main.member.signal("SIGCONT")),
      alerts: ["DaybookDown"],
    },
  ]
}

const program = Effect.gen(function* () {
  const world = yield* Monitoring.start()
  yield* world.node.call("evm_setIntervalMining", [1])
  yield* traffic(world.main, "eth")
  const issues: Array<string> = []
  const expectAlerts = Effect.fnUntraced(function* (what: string, expected: ReadonlyArray<string>) {
    const { found, seconds } = yield* until(world, expected)
    if (seconds === null) issues.push(what)
    const shown = (seconds === null ? found : expected).join(", ")
    yield* print(`| ${what} | ${shown === "" ? "none" : shown} | ${seconds?.toFixed(0) ?? "never"} |`)
  })

  yield* print("| | alerts that fire | after s |\n|---|---|--:|")
  for (let second = 0; second < wellSeconds; second++) {
    const found = yield* world.firing
    if (found.length > 0) issues.push(`all is well, and ${found.map(nameOf).join(", ")} fires`)
    yield* Effect.sleep("1 second")
  }
  yield* expectAlerts("all is well for a minute", [])
  for (const { alerts, begin, end, name } of failuresOf(world)) {
    yield* begin
    yield* expectAlerts(name, alerts)
    yield* end
    yield* expectAlerts("over", [])
  }
  const other = yield* world.other
  yield* world.scrapeAlso(world.otherPort)
  yield* traffic(other, "optimism")
  const failing = ["DaybookNodeLost (optimism)", "DaybookRelayNodeFails (optimism)", "DaybookServerErrors"]
  yield* expectAlerts("a server without an index, before a node that does not listen", failing)
  const fill = Effect.sync(() => appendFileSync(join(world.small, "log"), Buffer.alloc(200_000)))
  yield* Effect.forkScoped(Effect.repeat(fill, Schedule.spaced("1 second")))
  yield* expectAlerts("its disk becomes full too", [...failing, "DaybookDiskFull"])
  for (const issue of issues) yield* print(`failed: ${issue}`)
  if (issues.length > 0) process.exitCode = 1
})

const missing = [Monitoring.prometheus, Monitoring.exporter].filter((path) => !existsSync(path))
if (missing.length === 0) await Effect.runPromise(Effect.scoped(program))
else {
  console.log(
    `Programs missing: ${missing.join(", ")}. Install them: apt-get install prometheus prometheus-node-exporter`,
  )
  process.exitCode = 1
}
process.exit()
