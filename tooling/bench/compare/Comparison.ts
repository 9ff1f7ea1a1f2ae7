/**
 * What is compared between two checkouts. Load generators, servers and recordings are those of this checkout; only the code under
 * measurement is each checkout's own.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ChildProgram from "../ChildProgram.ts"
import * as ProcessUse from "../ProcessUse.ts"
import type { Times } from "../codecs/measure.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import { blocksPerSecond } from "../indexing/Subject.ts"
import type { MeasuredRun } from "../indexing/Subject.ts"
import type { Usage } from "../rpc/Usage.ts"
import * as LoadGenerator from "../serving/LoadGenerator.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as WalletRequests from "../serving/WalletRequests.ts"
import type { Checkout } from "./Checkout.ts"

/** Values by measure. A measure that ends in `/s` is better when it is higher, any other when it is lower. */
export type Values = Readonly<Record<string, number>>

export interface Comparison {
  readonly subjects: ReadonlyArray<string>
  readonly measure: (checkout: Checkout, subject: string) => Promise<Values>
  readonly stop: () => Promise<void>
}

/** Prepares a comparison of some checkouts. */
export type Prepare = (checkouts: ReadonlyArray<Checkout>) => Promise<Comparison>

/** The last line that a script prints, as JSON. */
const runScript = <A>(args: ReadonlyArray<string>): A => {
  const output = execFileSync(process.execPath, ["--no-warnings", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  return JSON.parse(output.trim().split("\n").at(-1)!) as A
}

const measure = join(import.meta.dirname, "../codecs/measure.ts")

const codecs: Prepare = async () => ({
  subjects: ["page", "block", "hashes"],
  measure: async (checkout, input) => {
    const { decode, encode = 0, parse } = runScript<Times>([measure, checkout.codecs, input, "cpu"])
    return { "decode over JSON.parse": decode / parse, "encode over JSON.parse": encode / parse }
  },
  stop: async () => undefined,
})

const rpc: Prepare = async () => {
  const server = await ChildProgram.start(join(import.meta.dirname, "../rpc/server.ts"))
  const url = `http://127.0.0.1:${server.line}`
  return {
    subjects: ["hydrated single", "hydrated batch", "hashes single", "hashes batch"],
    measure: async (checkout, subject) => {
      const [shape, mode] = subject.split(" ") as ["hydrated" | "hashes", "single" | "batch"]
      const { micros, perSecond } = runScript<Usage>(checkout.rpc(shape, mode, url))
      return { "CPU us per block": micros, "blocks/s": perSecond }
    },
    stop: server.stop,
  }
}

const index: Prepare = async () => {
  const node = await RecordedChain.serve(0)
  return {
    subjects: ["daybook, standard"],
    measure: async (checkout) => {
      const run = runScript<MeasuredRun>(checkout.indexer(node.url, node.head))
      return { "blocks/s": blocksPerSecond(run), "CPU s per 1,000 blocks": (run.cpuSeconds / run.blocks) * 1000 }
    },
    stop: node.stop,
  }
}

const concurrency = 16
const loadMillis = 3000

const page: Prepare = async (checkouts) => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-compare-"))
  const addresses = await WalletRequests.addresses()
  const node = await RecordedChain.serve(0)
  const services = new Map<Checkout, ServiceProcess.ServiceProcess & { readonly key: string }>()
  for (const [at, checkout] of checkouts.entries()) {
    const configuration = ServiceProcess.configure(join(folder, String(at)), node.url, checkout.root)
    await ServiceProcess.index(configuration)
    const service = await ServiceProcess.start(configuration, "serve")
    services.set(checkout, { ...service, key: configuration.key })
  }
  await node.stop()
  const load = (checkout: Checkout) => {
    const { key, origin } = services.get(checkout)!
    const requests = WalletRequests.make(origin, key, addresses)
    return LoadGenerator.saturate(requests, concurrency, LoadGenerator.hasElapsed(loadMillis))
  }
  // A first load warms each service up.
  for (const checkout of checkouts) await load(checkout)
  return {
    subjects: ["wallet page of 25"],
    measure: async (checkout) => {
      const { pid } = services.get(checkout)!
      const before = ProcessUse.cpuMicros(pid)
      const { count, p50, p99, perSecond } = await load(checkout)
      const after = ProcessUse.cpuMicros(pid)
      const cpu = before === undefined || after === undefined ? {} : { "CPU us per page": (after - before) / count }
      return { "requests/s": perSecond, "p50 ms": p50, "p99 ms": p99, ...cpu }
    },
    stop: async () => {
      for (const service of services.values()) await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** By name of the benchmark. */
export const comparisons: Readonly<Record<string, Prepare>> = { codecs, rpc, index, page }
