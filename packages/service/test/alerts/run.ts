/** Tests that each alert of `deploy/prometheus` fires for its failure and for no other. */
import { appendFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Monitoring from "./Monitoring.ts"

const maxSeconds = 240
/** Longest window of the rules after acceleration. */
const wellSeconds = 62

const wallet = `0x${"1".repeat(40)}`

type World = Effect.Success<ReturnType<typeof Monitoring.start>>
type Served = Pick<World["main"], "key" | "url">

/** Sends five pages and five relayed calls per second. */
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

/** Waits until exactly the expected alerts fire; returns the seconds, or `null` on a timeout. */
const until = Effect.fnUntraced(function* (world: World, expected: ReadonlyArray<string>) {
  const startedAt = performance.now()
  let firing: ReadonlyArray<string> = []
  while (performance.now() - startedAt < maxSeconds * 1000) {
    firing = [...new Set((yield* world.firing).map(nameOf))].toSorted()
    if (firing.join() === expected.toSorted().join()) return { firing, seconds: (performance.now() - startedAt) / 1000 }
    yield* Effect.sleep("500 millis")
  }
  return { firing, seconds: null }
})

interface Failure {
  readonly name: string
  readonly begin: Effect.Effect<unknown, unknown>
  readonly end: Effect.Effect<unknown, unknown>
  readonly alerts: ReadonlyArray<string>
}

/** Suspends the node for 1.5 of every two seconds, which delays relayed calls. */
const slowNode = ({ node }: World) => {
  let timers: ReadonlyArray<NodeJS.Timeout> = []
  const signal = (name: NodeJS.Signals) => () => void process.kill(node.pid, name)
  const suspend = () => {
    signal("SIGSTOP")()
    timers = [timers[0]!, setTimeout(signal("SIGCONT"), 1_500)]
  }
  return {
    begin: Effect.sync(() => void (timers = [setInterval(suspend, 2_000)])),
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
      name: "the node stops responding",
      begin: signal("SIGSTOP"),
      end: signal("SIGCONT"),
      alerts: ["DaybookNodeLost (eth)"],
    },
    { name: "the chain does not advance", begin: mining(0), end: mining(1), alerts: ["DaybookChainStuck (eth)"] },
    { name: "20 reorgs", begin: reorgs, end: Effect.void, alerts: ["DaybookReorgStorm (eth)"] },
    {
      name: "the chain is 6,000 blocks ahead",
      begin: node.call("anvil_mine", ["0x1770"]),
      end: Effect.void,
      alerts: ["DaybookLag (eth)"],
    },
    { name: "the node responds after a second", ...slowNode(world), alerts: ["DaybookSlowPages"] },
    {
      name: "the service hangs",
      begin: Effect.sync(() => main.member.signal("SIGSTOP")),
      end: Effect.sync(() => main.member.signal("SIGCONT")),
      alerts: ["DaybookDown"],
    },
  ]
}

/** All failures in order; each case starts from the state that the previous case leaves. */
const casesOf = (world: World): ReadonlyArray<Campaign.Case> => {
  const expectAlerts = Effect.fnUntraced(function* (expected: ReadonlyArray<string>, { fail }: Campaign.Output) {
    const { firing, seconds } = yield* until(world, expected)
    if (seconds === null) fail(`expected ${expected.join(", ") || "no alert"}`)
    return [firing.join(", ") || "none", seconds?.toFixed(0) ?? "never"]
  })
  const fill = Effect.sync(() => appendFileSync(join(world.small, "log"), Buffer.alloc(200_000)))
  const failing = ["DaybookNodeLost (optimism)", "DaybookRelayNodeFails (optimism)", "DaybookServerErrors"]
  return [
    {
      name: "no failure for a minute",
      run: Effect.fnUntraced(function* (report) {
        for (let second = 0; second < wellSeconds; second++) {
          const firing = yield* world.firing
          if (firing.length > 0) report.fail(`${firing.map(nameOf).join(", ")} fires`)
          yield* Effect.sleep("1 second")
        }
        return yield* expectAlerts([], report)
      }),
    },
    ...failuresOf(world).map(({ alerts, begin, end, name }) => ({
      name,
      run: Effect.fnUntraced(function* (report: Campaign.Output) {
        yield* begin
        const cells = yield* expectAlerts(alerts, report)
        yield* end
        return [...cells, ...(yield* expectAlerts([], report)).slice(1)]
      }),
    })),
    {
      name: "a server without an index, with an unreachable node and a full disk",
      run: Effect.fnUntraced(function* (report) {
        const other = yield* world.other
        yield* world.scrapeAlso(world.otherPort)
        yield* traffic(other, "optimism")
        yield* expectAlerts(failing, report)
        yield* Effect.forkScoped(Effect.repeat(fill, Schedule.spaced("1 second")))
        return yield* expectAlerts([...failing, "DaybookDiskFull"], report)
      }),
    },
  ]
}

Campaign.main({
  name: "alerts",
  about:
    "Causes the failure of each alert in a service that Prometheus scrapes. Fails if an alert does not fire, or another one does. Requires Prometheus and node_exporter, and root to mount a small disk.",
  options: {},
  plan: Effect.fnUntraced(function* () {
    const missing = [Monitoring.prometheus, Monitoring.exporter].filter((path) => !existsSync(path))
    if (missing.length > 0) {
      const install = "apt-get install prometheus prometheus-node-exporter"
      return yield* Effect.fail(`Programs missing: ${missing.join(", ")}. Install them: ${install}`)
    }
    const world = yield* Monitoring.start()
    yield* world.node.call("evm_setIntervalMining", [1])
    yield* traffic(world.main, "eth")
    return { columns: ["failure", "firing alerts", "after s", "over after s"], cases: casesOf(world) }
  }),
})
