/**
 * Opens the store of an older checkout with this one while its chain grows: `pnpm bench migration --from ../daybook-older --transactions
 * 1000000 --kills 50`.
 *
 * The older checkout fills the store and serves the histories of some wallets. Then a process of this checkout indexes, rewrites the older
 * blocks and is killed at random instants, and another one serves pages at a constant rate. At the end the histories, the counts of rows
 * and `daybook verify` show whether anything was lost.
 */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import * as Random from "../../../tooling/harness/src/Random.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"
import * as GeneratedRows from "../growth/GeneratedRows.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as DiskUse from "./DiskUse.ts"
import * as Histories from "./Histories.ts"
import * as Indexer from "./Indexer.ts"
import * as Progress from "./Progress.ts"
import type { StoredChain } from "./StoredChain.ts"
import * as Traffic from "./Traffic.ts"

const { values } = BenchOptions.parse({
  rounds: 1,
  options: {
    ...{ from: "", transactions: "1000000", kills: "50", "kill-millis": "4000" },
    ...{ wallets: "100", rate: "50", "block-millis": "500", processes: "1" },
  },
})
const number = (name: keyof typeof values) => BenchOptions.numbers(name, values[name])[0]!
if (values.from === "") BenchOptions.exitWith('Missing option "--from": expected the folder of an older checkout.')
const scripts = import.meta.dirname
const calmMillis = 10_000

/** Fills the store by the older checkout. */
const fill = async (file: string): Promise<StoredChain> => {
  const args = ["--no-warnings", join(scripts, "fillOlder.ts"), values.from, file, values.transactions]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as StoredChain
}

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`
const row = (name: string, value: string) => console.log(`| ${name} | ${value} |`)

const trafficRow = (name: string, { firstFailure, max, p50, p99, statuses }: Traffic.Received) => {
  const counts = [...statuses].map(([status, count]) => `${count} of status ${status}`).join(", ")
  const latency = `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, longest ${max.toFixed(0)} ms`
  row(`pages ${name}`, `${counts}; ${latency}${firstFailure === null ? "" : `; ${firstFailure}`}`)
}

/** Pages of 25 of any wallet. */
const trafficTo = ({ key, origin }: Histories.Source, { transactions }: StoredChain): Traffic.Traffic =>
  Traffic.start((count) => {
    const wallet = GeneratedRows.walletOf(Math.imul(count + 1, 7919) % transactions)
    const order = count % 2 === 0 ? "DESC" : "ASC"
    const url = new URL(`/api/v2.2/${wallet}/verbose?chain=0x7a69&limit=25&order=${order}`, origin)
    return { url, headers: { "x-api-key": key } }
  }, number("rate"))

/** Some wallets of the store; the busiest is one of them. */
const sampleOf = ({ transactions }: StoredChain): ReadonlyArray<string> => {
  const count = number("wallets")
  const others = Array.from({ length: count }, (_, at) =>
    GeneratedRows.walletOf(Math.floor((transactions / count) * (at + 0.5))),
  )
  return [...new Set([GeneratedRows.busyWallet, ...others])]
}

/** Traffic for a while, and the histories of the sample. */
const observe = async (
  name: string,
  configuration: ServiceProcess.Configuration,
  stored: StoredChain,
  wallets: ReadonlyArray<string>,
): Promise<Histories.Histories> => {
  const service = await ServiceProcess.start(configuration, "serve")
  const source = { origin: service.origin, key: configuration.key }
  try {
    const traffic = trafficTo(source, stored)
    await sleep(calmMillis / 5)
    traffic.take()
    await sleep(calmMillis)
    const received = traffic.take()
    await traffic.stop()
    trafficRow(name, received)
    return await Histories.load(source, wallets, stored.head)
  } finally {
    await service.stop()
  }
}

const assertSame = (what: string, before: Histories.Histories, after: Histories.Histories): void => {
  const differing = Histories.differences(before, after)
  if (differing.length > 0) throw new Error(`Histories differ ${what}: ${differing.slice(0, 5).join(", ")}.`)
}

/** Runs the migration with a service beside it. */
const migrate = async (
  configuration: ServiceProcess.Configuration,
  file: string,
  stored: StoredChain,
  before: Histories.Histories,
) => {
  const random = Random.make(1)
  const wallets = [...before.keys()]
  const watch = DiskUse.start(file)
  let serving: ServiceProcess.ServiceProcess | undefined
  let traffic: Traffic.Traffic | undefined
  const source = () => ({ origin: serving!.origin, key: configuration.key })
  const options = {
    ...{ configuration, file, kills: number("kills"), killMillis: number("kill-millis") },
    random: () => random.next(),
    onKill: async (kill: number) => {
      const some = wallets.filter((_, at) => at > 0 && at % 20 === kill % 20)
      const found = await Histories.load(source(), some, stored.head)
      assertSame(`after kill ${kill}`, new Map([...before].filter(([wallet]) => some.includes(wallet))), found)
      console.error(`kill ${kill}: first block of the present layout ${String(Progress.read(file).layoutFrom)}`)
    },
  }
  const onSchema = async () => {
    serving = await ServiceProcess.start(configuration, "serve", ["--processes", values.processes])
    traffic = trafficTo(source(), stored)
  }
  try {
    const rewritten = await Indexer.run(options, onSchema)
    const received = traffic!.take()
    await traffic!.stop()
    const ended = once(rewritten.child, "exit")
    rewritten.child.kill("SIGTERM")
    await ended
    return { rewritten, received, peak: watch.peak() }
  } finally {
    watch.stop()
    await serving?.stop()
  }
}

const main = async (folder: string): Promise<void> => {
  const file = join(folder, "data", "chain-bench.sqlite")
  mkdirSync(join(folder, "data"), { recursive: true })
  const stored = await fill(file)
  const before = DiskUse.bytesOf(file)
  const ratio = (bytes: number) => `${mebibytes(bytes)}, ${(bytes / before).toFixed(3)} of the older size`
  const nodeArgs = [stored.head, stored.transactions, values["block-millis"]].map(String)
  const node = await ChildProgram.start(join(scripts, "growingNode.ts"), nodeArgs)
  try {
    const older = ServiceProcess.configure(folder, `http://127.0.0.1:${node.line}`, values.from)
    const chain = { id: 31337, rpc: [`http://127.0.0.1:${node.line}`], checks: "links", pollMillis: 100 }
    const changed = ServiceProcess.change(older, "present", { chains: { bench: chain } })
    const present = { ...changed, root: ServiceProcess.checkout }
    console.log(Figures.provenance("migration"))
    console.log("| | |\n|---|---|")
    row("transactions, appearances, blocks", [stored.transactions, stored.appearances, stored.head + 1].join(", "))
    row("older file", `schema ${Progress.read(file).schema}, ${mebibytes(before)}`)
    const histories = await observe("of the older version", older, stored, sampleOf(stored))
    const { peak, received, rewritten } = await migrate(present, file, stored, histories)
    row("kills", String(rewritten.kills))
    row("time to the present schema", seconds(rewritten.schemaMillis))
    row("time to the last block", `${seconds(rewritten.millis)}, ${seconds(rewritten.activeMillis)} of it rewriting`)
    row("transactions rewritten per second", (stored.transactions / (rewritten.activeMillis / 1000)).toFixed(0))
    row("CPU time of the indexer", `${rewritten.cpuSeconds.toFixed(1)} s`)
    row("bytes it has written", ratio(rewritten.writtenBytes))
    row("blocks added meanwhile", String(rewritten.blocksAdded))
    trafficRow("meanwhile", received)
    row("largest file and log", ratio(peak.bytes))
    row("largest log", mebibytes(peak.logBytes))
    row("file after it", ratio(DiskUse.bytesOf(file)))
    const { appearances, transactions } = Progress.count(file, stored.head)
    if (transactions !== stored.transactions || appearances !== stored.appearances) {
      throw new Error(`Rows differ: ${transactions} transactions and ${appearances} appearances are left.`)
    }
    assertSame("after the migration", histories, await observe("after it", present, stored, [...histories.keys()]))
    row("rows compared", `${Histories.rowsOf(histories)} of ${histories.size} wallets, the same`)
    const compacting = DiskUse.start(file)
    const compactedAt = performance.now()
    await ServiceProcess.run(present, ["compact"])
    row("daybook compact", seconds(performance.now() - compactedAt))
    row("largest file and log", ratio(compacting.peak().bytes))
    compacting.stop()
    row("file after it", ratio(DiskUse.bytesOf(file)))
    row("daybook verify", await ServiceProcess.run(present, ["verify"]))
    assertSame("after daybook compact", histories, await observe("at last", present, stored, [...histories.keys()]))
  } finally {
    await node.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), "daybook-migration-"))
try {
  await main(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
