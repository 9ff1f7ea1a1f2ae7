/** Cost of idle chains: memory and CPU time of one service with several chains whose heads do not advance. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import { daybook } from "../cluster/Cluster.ts"
import * as Member from "../cluster/Member.ts"
import { freePort } from "@daybook/harness/FreePort"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as ChainIds from "./ChainIds.ts"
import type { Heap } from "./preload.ts"

const options = {
  chains: ["1,5,20", "numbers of chains, separated by commas"],
  seconds: [60, "duration of a measurement in seconds"],
  poll: [2000, "polling interval of the head in milliseconds"],
  program: [daybook, "path of the service's program"],
  heaps: [false, "prints the heap size of each thread"],
} as const

const boundMegabytes = 25
const settleSeconds = 15
const syncMillis = 900_000
const collectSeconds = 4
const firstId = 70_001

interface Figures {
  readonly chains: number
  readonly threads: number
  readonly resident: number
  readonly collected: number
  readonly cpuSeconds: number
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)

const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

/** User and system time follow the process name in parentheses, in ticks of 10 ms. */
const cpuSecondsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Mines blocks with a few transactions each. */
const fill = Effect.fnUntraced(function* (node: Anvil.Node) {
  const [from = "", to = ""] = node.accounts
  for (let block = 0; block < 40; block++) {
    for (let count = 0; count < 5; count++) yield* Head.transfer(node, { from, to, valueWei: 1n })
    yield* Head.mine(node)
  }
})

const printHeaps = (file: string, print: Campaign.Output["print"]) => {
  const heaps = readFileSync(file, "utf8").trim().split("\n")
  for (const line of heaps) {
    const { external, thread, total, used } = JSON.parse(line) as Heap
    print(`  thread ${thread}: heap ${megabytes(used)} of ${megabytes(total)} MB, external ${megabytes(external)} MB`)
  }
}

const measure = Effect.fnUntraced(function* (
  chains: number,
  urlOf: (chain: number) => string,
  values: Campaign.Values<typeof options>,
  print: Campaign.Output["print"],
) {
  const base = yield* temporaryFolder
  const port = yield* Effect.promise(freePort)
  const ids = Array.from({ length: chains }, (_, index) => firstId + index)
  const chainConfigs = ids.map((id) => [`chain ${id}`, { id, rpc: [urlOf(id)], fromBlock: 0, pollMillis: values.poll }])
  const config = join(base, "daybook.json")
  const listen = `127.0.0.1:${port}`
  writeFileSync(config, JSON.stringify({ listen, database: "sqlite:data", chains: Object.fromEntries(chainConfigs) }))
  const [log, heaps] = [join(base, "log"), join(base, "heaps")]
  const member = yield* Member.running({
    name: "service",
    file: process.execPath,
    log,
    env: { DAYBOOK_HEAPS: heaps },
    args: [
      "--expose-gc",
      "--import",
      join(import.meta.dirname, "preload.ts"),
      resolve(values.program),
      "serve",
      "--config",
      config,
    ],
  })
  const isSynced = (id: number) =>
    fetch(`http://${listen}/ready?chain=chain%20${id}`).then(
      async (response) => {
        await response.text()
        return response.ok
      },
      () => false,
    )
  for (const id of ids) {
    const options = { withinMillis: syncMillis, everyMillis: 500, what: `chain ${id} is synced` }
    yield* Effect.promise(() => Eventually.until(() => isSynced(id), options))
  }
  yield* Effect.sleep(settleSeconds * 1000)

  const pid = member.pid()
  const [startedAt, cpuBefore] = [performance.now(), cpuSecondsOf(pid)]
  yield* Effect.sleep(values.seconds * 1000)
  const cpuSeconds = (cpuSecondsOf(pid) - cpuBefore) / ((performance.now() - startedAt) / 1000)
  const resident = residentOf(pid)
  member.signal("SIGUSR2")
  yield* Effect.sleep(collectSeconds * 1000)
  const threads = readdirSync(`/proc/${pid}/task`).length
  if (values.heaps && existsSync(heaps)) printHeaps(heaps, print)
  return { chains, threads, resident, collected: residentOf(pid), cpuSeconds } satisfies Figures
})

/** Cost of each additional chain. */
const compare = (all: ReadonlyArray<Figures>, { fail, print }: Campaign.Output) => {
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined || first.chains === last.chains) return
  const perChain = (of: (figures: Figures) => number) => (of(last) - of(first)) / (last.chains - first.chains)
  const [resident, collected] = [perChain((of) => of.resident) / 1e6, perChain((of) => of.collected) / 1e6]
  const cpuMillis = perChain((of) => of.cpuSeconds) * 1000
  print(
    `each further chain: ${resident.toFixed(1)} MB, ${collected.toFixed(1)} MB after garbage collection, ${cpuMillis.toFixed(1)} ms of CPU per second`,
  )
  if (resident > boundMegabytes) fail(`more than ${boundMegabytes} MB`)
}

Campaign.main({
  name: "chains",
  about: `Measures the memory and CPU time of idle chains in a process of the service. Fails if a chain needs more than ${boundMegabytes} MB.`,
  options,
  plan: Effect.fnUntraced(function* (values) {
    const node = yield* Anvil.make()
    yield* fill(node)
    const urlOf = yield* ChainIds.serve(node.url)
    const all: Array<Figures> = []
    const cases = values.chains.split(",").map((chains): Campaign.Case => ({
      name: chains,
      run: Effect.fnUntraced(function* ({ print }) {
        const figures = yield* measure(Number(chains), urlOf, values, print)
        const { collected, cpuSeconds, resident, threads } = figures
        all.push(figures)
        return [threads, megabytes(resident), megabytes(collected), (cpuSeconds * 1000).toFixed(1)]
      }),
    }))
    const columns = ["chains", "threads", "resident, MB", "after garbage collection, MB", "CPU, ms per second"]
    return { columns, cases, after: (report: Campaign.Output) => Effect.sync(() => compare(all, report)) }
  }),
})
