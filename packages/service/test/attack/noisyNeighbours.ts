/**
 * Effect of one API key, and of a hundred, on another key while each operation is called as often as the default limits permit. The
 * other key must be served throughout, and no response may blame the service or its nodes. Latencies and the CPU usage of the main
 * thread are printed and not evaluated. The clients and the node run at a lower priority than the service and its measurement.
 */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Effect, Redacted } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import type { KeyOptions } from "../../src/store/ApiKeys.ts"
import * as Rows from "../server/rows.ts"
import type { AttackedService } from "./AttackedService.ts"
import type { Flood, Received } from "./attackers.worker.ts"
import * as Client from "./Client.ts"
import * as LongLedger from "./LongLedger.ts"
import * as Operations from "./Operations.ts"
import * as Probe from "./Probe.ts"
import type { Scenario } from "./Scenario.ts"

const sizes = {
  full: {
    movements: 100_000,
    assets: 2_000,
    others: Operations.others,
    keys: 100,
    idle: 10_000,
    millis: 6_000,
    everyMillis: 500,
  },
  small: { movements: 4_000, assets: 200, others: 2, keys: 3, idle: 50, millis: 300, everyMillis: 250 },
} as const

/** Permissions by operation; keys for all other operations need none. */
const allowed: Readonly<Record<string, KeyOptions>> = {
  uploader: { operations: ["putContract"] },
  prover: { operations: ["proveWallet"] },
}

/** Adds keys such as `attacker-5`, with the permissions that their names imply. */
const addKeys = async (folder: string, names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const program = Effect.gen(function* () {
    const { apiKeys } = yield* Engine.fromUrl("sqlite:data", folder)
    return yield* Effect.forEach(names, (name) => {
      const [role = ""] = name.split("-")
      const options = allowed[role] ?? {}
      return Effect.map(apiKeys.add({ name, operator: false, empty: null, options }), (key) => Redacted.value(key!))
    })
  })
  return await Effect.runPromise(Effect.scoped(program))
}

/** Measures another key during an attack. */
const measureDuring = async (probe: Probe.Probe, during: () => Promise<unknown>): Promise<Probe.Observations> => {
  await probe.read()
  await during()
  return await probe.read()
}

const round = (millis: number): string => (millis < 10 ? millis.toFixed(1) : millis.toFixed(0))

const latency = ({ millis }: Probe.Observations): string =>
  `${round(Client.percentile(millis, 0.5))} | ${round(Client.percentile(millis, 0.99))}`

const unserved = (name: string, { failures }: Probe.Observations): ReadonlyArray<string> =>
  failures.length === 0 ? [] : [`another key during ${name}: ${Client.tally(failures)}`]

/** Starts a thread for work that runs on other machines in production; returns its first message. */
const startThread = async (file: URL): Promise<readonly [thread: Worker, message: unknown]> => {
  const thread = new Worker(file)
  const [message] = (await once(thread, "message")) as [unknown]
  return [thread, message]
}

/** CPU time of the main thread of a process in seconds, with the resolution of Linux of 10 ms. */
const cpuSecondsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Opens idle connections and keeps them open. */
const idle = async (attacked: AttackedService, count: number) => {
  const sockets = []
  for (let at = 0; at < count; at++) sockets.push(await Client.open(attacked, ""))
  return sockets
}

/** Keys of attackers by permission. */
const attackersOf = async (folder: string, count: number) => {
  const named = async (role: string) =>
    await addKeys(
      folder,
      Array.from({ length: count }, (_, at) => `${role}-${at}`),
    )
  const [all, uploaders, provers] = [await named("attacker"), await named("uploader"), await named("prover")]
  return (name: string) => (name.startsWith("putContract") ? uploaders : name === "proveWallet" ? provers : all)
}

/**
 * Requests pages and balances with another key, one at a time. Two per second are less than a hundredth of the thread while each takes less
 * than 5 ms. A key that uses more than its share waits until others have used as much.
 */
const probeOf = async ({ folder, url }: AttackedService, everyMillis: number): Promise<Probe.Probe> => {
  const [key = ""] = await addKeys(folder, ["other"])
  const pages = ["verbose?chain=attack&limit=1", "balances?chain=attack"]
  return Probe.start({
    urls: pages.map((page) => `${url}/api/v2.2/${Rows.address("c")}/${page}`),
    headers: { "x-api-key": key },
    everyMillis,
  })
}

/** Measures another key during an operation with one key and with many. */
const attackBy = async (
  { pid, url }: AttackedService,
  probe: Probe.Probe,
  attackers: Worker,
  { keys, millis, name }: Pick<Flood, "keys" | "millis" | "name">,
): Promise<{ readonly line: string; readonly faults: ReadonlyArray<string> }> => {
  const open = name.startsWith("putContract") ? 20 : 40
  const floods = [
    { keys: keys.slice(0, 1), open },
    { keys, open: 2 },
  ]
  const [cells, counted, faults]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  for (const one of floods) {
    const [startedAt, usedBefore] = [performance.now(), cpuSecondsOf(pid)]
    const flood: Flood = { name, url, millis, ...one }
    let received: Received = { counted: "", faults: [] }
    const seen = await measureDuring(probe, async () => {
      attackers.postMessage(flood)
      ;[received] = (await once(attackers, "message")) as [Received]
    })
    const share = (cpuSecondsOf(pid) - usedBefore) / ((performance.now() - startedAt) / 1000)
    cells.push(latency(seen), `${Math.round(100 * share)} %`)
    counted.push(received.counted)
    faults.push(...unserved(name, seen), ...received.faults)
  }
  return { line: `| ${[name, ...cells, ...counted].join(" | ")} |`, faults }
}

/** Each operation with one key and with many, and another key. */
export const scenario: Scenario = {
  name: "each operation with one key and with 100, next to another key",
  bound: "rateLimit; a queue per key; limits",
  service: async (scale) => {
    const [node, url] = await startThread(new URL("./attackedNode.worker.ts", import.meta.url))
    return {
      config: { chains: { attack: { ...LongLedger.chains.attack, rpc: [url] } } },
      role: "serve",
      prepare: async (folder) => await LongLedger.fill(folder, sizes[scale]),
      close: async () => void (await node.terminate()),
    }
  },
  run: async (attacked, scale) => {
    const { everyMillis, idle: idleCount, keys: count, millis } = sizes[scale]
    const keysOf = await attackersOf(attacked.folder, count)
    const probe = await probeOf(attacked, everyMillis)
    const [attackers] = await startThread(new URL("./attackers.worker.ts", import.meta.url))
    const rest = async () => await Client.sleep(millis)
    try {
      const before = await measureDuring(probe, rest)
      const lines = [
        "| operation | one key: p50, ms | p99, ms | CPU | 100 keys: p50, ms | p99, ms | CPU | one key's responses | 100 keys' responses |",
        "|---|--:|--:|--:|--:|--:|--:|---|---|",
        `| none | ${latency(before)} | | | | | | |`,
      ]
      const faults: Array<string> = [...unserved("nothing", before)]
      for (const name of Object.keys(Operations.all)) {
        const seen = await attackBy(attacked, probe, attackers, { name, keys: keysOf(name), millis })
        lines.push(seen.line)
        faults.push(...seen.faults)
      }
      const sockets = await idle(attacked, idleCount)
      const seen = await measureDuring(probe, rest)
      const open = sockets.filter(({ destroyed }) => !destroyed).length
      lines.push(`| ${idleCount} idle connections | ${latency(seen)} | | | | | ${open} stay open | |`)
      for (const socket of sockets) socket.destroy()
      faults.push(...unserved("idle connections", seen))
      return { behaviour: `${Object.keys(Operations.all).length} operations; the other key is served`, faults, lines }
    } finally {
      await attackers.terminate()
      await probe.stop()
    }
  },
}
