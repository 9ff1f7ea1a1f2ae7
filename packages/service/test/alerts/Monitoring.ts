/**
 * A service with an embedded chain, a second service without an index, and a node_exporter with a small disk. A Prometheus server
 * scrapes them with the rules of `deploy/prometheus`, which are accelerated by a factor of thirty.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Anvil } from "@daybook/chain"
import { Effect } from "effect"
import { addKey, daybook, root, untilOk } from "../cluster/Cluster.ts"
import * as Member from "../cluster/Member.ts"
import { freePort } from "@daybook/harness/FreePort"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** Paths of the programs. */
export const prometheus = "/usr/bin/prometheus"
export const exporter = "/usr/bin/prometheus-node-exporter"
const diskMebibytes = 64
/** Seconds in the rules per second of this test. */
const scale = 30
/** Calls per second that the node accepts, so that indexing many new blocks takes some time. */
const callsPerSecond = 30

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Divides the durations after `for:`, in range selectors and in predictions by `scale`. */
const accelerate = (rules: string): string =>
  rules
    .replaceAll(
      /(for: |\[)(\d+)([smhd])/g,
      (_, before: string, count: string, unit: keyof typeof seconds) =>
        `${before}${Math.max(2, Math.ceil((Number(count) * seconds[unit]) / scale))}s`,
    )
    .replace("7 * 86400", String((7 * seconds.d) / scale))

/** A firing alert. */
export interface Alert {
  readonly name: string
  readonly chain: string | undefined
}

/** Mounts a separate small file system until the scope ends. Requires root. */
const disk = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(path)
      const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${diskMebibytes}m`, "tmpfs", path])
      if (status !== 0) throw new Error("The small disk cannot be mounted. Run this as root.")
    }),
    () => Effect.sync(() => void spawnSync("umount", [path])),
  )

/** Starts all processes, and waits until the chain is indexed. */
export const start = Effect.fnUntraced(function* () {
  const baseFolder = yield* temporaryFolder
  const node = yield* Anvil.make({ chainId: 1 })
  const [port, otherPort, ownPort, exporterPort] = (yield* Effect.promise(() =>
    Promise.all(Array.from({ length: 4 }, freePort)),
  )) as [number, number, number, number]
  const urlOf = (at: number) => `http://127.0.0.1:${at}`
  const service = Effect.fnUntraced(function* (name: string, at: number, roles: string, chains: object) {
    const config = join(baseFolder, `${name}.json`)
    const listen = { host: "127.0.0.1", port: at }
    writeFileSync(config, JSON.stringify({ listen, database: `sqlite:${name}`, chains }))
    const key = addKey(config)
    const args = [daybook, "serve", "--role", roles, "--config", config]
    const member = yield* Member.running({ name, file: process.execPath, args, log: join(baseFolder, `${name}.log`) })
    yield* untilOk(`${urlOf(at)}/health`, name)
    return { key, member, url: urlOf(at) }
  })
  const rpc = [{ url: node.url, perSecond: callsPerSecond }]
  const main = yield* service("main", port, "all", { eth: { rpc, fromBlock: 0, pollMillis: 200 } })
  yield* untilOk(`${main.url}/ready?chain=eth`, "the chain is indexed")

  const small = join(baseFolder, "small")
  yield* disk(small)
  yield* Member.running({
    name: "node_exporter",
    file: exporter,
    log: join(baseFolder, "exporter.log"),
    args: ["--collector.disable-defaults", "--collector.filesystem", `--web.listen-address=127.0.0.1:${exporterPort}`],
  })
  yield* untilOk(`${urlOf(exporterPort)}/metrics`, "node_exporter")
  writeFileSync(
    join(baseFolder, "alerts.yml"),
    accelerate(readFileSync(join(root, "deploy/prometheus/alerts.yml"), "utf8")).replace("/var/lib/daybook", small),
  )
  const configuration = readFileSync(join(root, "deploy/prometheus/prometheus.yml"), "utf8")
    .replaceAll("15s", "1s")
    .replace(/targets: .*/, `targets: ["127.0.0.1:${port}"]`)
  const reload = (more: ReadonlyArray<number>) => {
    const list = [port, exporterPort, ...more].map((target) => `"127.0.0.1:${target}"`).join(", ")
    writeFileSync(join(baseFolder, "prometheus.yml"), configuration.replace(/targets: .*/, `targets: [${list}]`))
  }
  reload([])
  const monitor = yield* Member.running({
    name: "prometheus",
    file: prometheus,
    log: join(baseFolder, "prometheus.log"),
    args: [
      `--config.file=${join(baseFolder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(baseFolder, "series")}`,
      `--web.listen-address=127.0.0.1:${ownPort}`,
    ],
  })
  yield* untilOk(`${urlOf(ownPort)}/-/ready`, "Prometheus")

  const firing = Effect.promise(async (): Promise<ReadonlyArray<Alert>> => {
    const response = await fetch(`${urlOf(ownPort)}/api/v1/alerts`)
    const body = (await response.json()) as {
      readonly data: {
        readonly alerts: ReadonlyArray<{ readonly state: string; readonly labels: Readonly<Record<string, string>> }>
      }
    }
    return body.data.alerts
      .filter(({ state }) => state === "firing")
      .map(({ labels }) => ({ name: labels["alertname"] ?? "", chain: labels["chain"] }))
  })
  const scrapeAlso = (target: number) =>
    Effect.sync(() => {
      reload([target])
      monitor.signal("SIGHUP")
    })
  /** A service without an index, whose node is unreachable. */
  const other = service("other", otherPort, "serve", { optimism: { rpc: ["http://127.0.0.1:9"] } })
  return { node, main, other, otherPort, firing, scrapeAlso, small }
})
