/** A call through the relay, cached or not, beside a relay written by hand and the node itself. */
import { join } from "node:path"
import { Effect } from "effect"
import * as Anvil from "../../chain/src/Anvil.ts"
import * as Scenario from "../../chain/src/Scenario.ts"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Configuration } from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"

/** The method and parameters of one call of many. */
type Call = (index: number) => readonly [method: string, params: ReadonlyArray<unknown>]

/** What is called, and the node behind the relay, whose chain is indexed. */
interface Target {
  readonly name: string
  readonly nodeUrl: string
  readonly configuration: Configuration
  readonly call: Call
}

const blockFrom =
  (first: number): Call =>
  (index) => ["eth_getBlockByNumber", [`0x${(first + index).toString(16)}`, true]]

/** The newest block, which no cache may keep. */
const newestBlock: Call = () => ["eth_getBlockByNumber", ["latest", false]]

const distinctCalls = 50
const direct = "to the node"

const requestsOf = (url: string, call: Call): ReadonlyArray<LoadRequest> =>
  Array.from({ length: distinctCalls }, (_, index) => {
    const [method, params] = call(index)
    const body = JSON.stringify({ jsonrpc: "2.0", id: index, method, params })
    return { url: new URL(url), headers: { "content-type": "application/json" }, body }
  })

/** Measures one call by every way to the node; the first round warms up. */
const measureTarget = async (figures: Figures.Figures, target: Target, setup: Setup): Promise<void> => {
  const { call, configuration, name, nodeUrl } = target
  const withoutCache = ServiceProcess.change(configuration, "uncached", { relay: { cacheMebibytes: 0 } })
  const uncached = await ServiceProcess.start(withoutCache, "serve")
  const cached = await ServiceProcess.start(configuration, "serve")
  const byHand = await ChildProgram.start(join(import.meta.dirname, "relayByHand.ts"), [nodeUrl])
  try {
    const relayed = (origin: string) => requestsOf(`${origin}/rpc/bench/${configuration.key}`, call)
    const requests = {
      "relayed, cache off": relayed(uncached.origin),
      "relayed, cache on": relayed(cached.origin),
      "relayed by hand": requestsOf(`http://127.0.0.1:${byHand.line}/`, call),
      [direct]: requestsOf(nodeUrl, call),
    }
    for (let round = 0; round <= setup.rounds; round++) {
      for (const [way, list] of Object.entries(requests)) {
        const elapsed = LoadGenerator.hasElapsed(setup.millis)
        const load = await LoadGenerator.saturate(list, setup.concurrency, elapsed)
        if (round > 0) LoadGenerator.addLoad(figures, `${name}: ${way}`, load)
      }
    }
  } finally {
    await uncached.stop()
    await cached.stop()
    await byHand.stop()
  }
}

/** Starts a real node with 150 blocks of 20 transactions, indexes its chain and uses it. */
const withRealNode = (
  folder: string,
  use: (nodeUrl: string, configuration: Configuration) => Promise<void>,
): Promise<void> =>
  Effect.gen(function* () {
    const node = yield* Anvil.make()
    yield* Scenario.run(node, { blocks: 150, size: 20, blobs: false })
    yield* Effect.promise(async () => {
      const configuration = ServiceProcess.configure(folder, node.url)
      await ServiceProcess.index(configuration)
      await use(node.url, configuration)
    })
  }).pipe(Effect.scoped, Effect.runPromise)

/** Measures calls to the replayed node and to a real one. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const replayed = { nodeUrl: setup.nodeUrl, configuration: setup.indexed }
  const targets = [
    { name: "a block of 20 transactions, the replayed node", ...replayed, call: blockFrom(100) },
    { name: "the newest block's hashes, the replayed node", ...replayed, call: newestBlock },
  ]
  for (const target of targets) await measureTarget(figures, target, setup)
  await withRealNode(join(setup.folder, "real"), (nodeUrl, configuration) => {
    const name = "a block of 20 transactions, a real node"
    return measureTarget(figures, { name, nodeUrl, configuration, call: blockFrom(10) }, setup)
  })
}

export const table = (figures: Figures.Figures, { concurrency }: Setup): void => {
  console.log(`a call, ${concurrency} at a time\n\n| | requests | p50 | p99 | ratio |\n|---|---|---|---|---|`)
  const subjects = new Set(figures.all().map(({ subject }) => subject))
  for (const subject of subjects) {
    const [name] = subject.split(": ")
    const base = figures.values(`${name}: ${direct}`, "requests/s")
    if (base.length === 0) continue
    const ratio = Figures.cell(figures.ratio(subject, "requests/s", base), 2)
    console.log(`| ${subject} | ${LoadGenerator.cells(figures, subject)} | ${ratio} |`)
  }
  console.log("")
}
