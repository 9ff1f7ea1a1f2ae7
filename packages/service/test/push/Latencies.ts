/**
 * Measures the time of a movement from the node to its receivers. A node mines a block with one transfer of a watched wallet at each
 * interval, a service indexes it, and receivers in another process report its arrival.
 */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import * as Random from "@daybook/testkit/internal/Random"
import { Effect } from "effect"
import { addKey, main } from "../cli/daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { type Arrival, micros, type Options as ReceiverOptions, ways } from "./receivers.child.ts"

export interface Options {
  /** Number of blocks, each with one transfer. */
  readonly blocks: number
  /** Mean interval between two blocks. */
  readonly blockMillis: number
  /** Polling interval of the service; undefined for the default of a local node. */
  readonly pollMillis: number | undefined
}

/** Latencies of one kind of delivery, one for each block that arrived. */
export interface Latencies {
  readonly way: Arrival["way"]
  readonly millis: ReadonlyArray<number>
}

const chain = "local"

/** Runs a process until the scope ends. */
const running = (start: () => ChildProcess) =>
  Effect.acquireRelease(Effect.sync(start), (child) =>
    Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await ended
    }),
  )

/** Options of a measured service. */
export interface ServiceOptions {
  readonly node: Anvil.Node
  /** Indexed wallets; undefined for all. */
  readonly watch: ReadonlyArray<string> | undefined
  /** Polling interval of the node; undefined for the default of a local node. */
  readonly pollMillis: number | undefined
  readonly config?: Readonly<Record<string, unknown>>
}

/** A service that indexes the chain `local`; returns its URL and a key. */
export const serve = Effect.fnUntraced(function* ({ config, node, pollMillis, watch }: ServiceOptions) {
  const folder = yield* temporaryFolder
  const baseConfig = {
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { [chain]: { id: node.chainId, rpc: [node.url], watch, pollMillis } },
    webhooks: { allowPrivate: true },
  }
  writeFileSync(join(folder, "daybook.json"), JSON.stringify({ ...baseConfig, ...config }))
  const args = [main, "serve", "--config", "daybook.json"]
  const child = yield* running(() => spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }))
  let output = ""
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk: Buffer) => (output += String(chunk)))
  const address = () => /Listening on (https?:\S+?);/.exec(output)?.[1]
  yield* Eventually.untilEffect(
    Effect.sync(() => address() !== undefined),
    { what: "the service listens" },
  )
  const url = address()!
  const isIndexed = async () => {
    const { indexed } = (await (await fetch(`${url}/ready?chain=${chain}`)).json()) as { indexed: object | null }
    return indexed !== null && indexed !== undefined
  }
  yield* Eventually.untilEffect(Effect.promise(isIndexed), { everyMillis: 100, what: "the service has blocks" })
  return { url, chain, key: yield* addKey(folder, "receivers"), pid: child.pid!, output: () => output }
})

/** Starts the receivers; returns the arrival times by kind of delivery and block. */
const receive = Effect.fnUntraced(function* (options: ReceiverOptions) {
  const arrivals = new Map(ways.map((way) => [way, new Map<number, number>()]))
  const file = join(import.meta.dirname, "receivers.child.ts")
  const child = yield* running(() => fork(file, [JSON.stringify(options)]))
  child.on("message", (message) => {
    // Sound: the receivers send nothing else.
    const { atMicros, block, way } = message as Arrival
    const wayArrivals = arrivals.get(way)!
    if (!wayArrivals.has(block)) wayArrivals.set(block, atMicros)
  })
  const hasEnded = () => child.exitCode !== null
  return { arrivals, hasEnded }
})

/** Measures the latencies of all kinds of delivery. */
export const measure = Effect.fnUntraced(function* ({ blockMillis, blocks, pollMillis }: Options) {
  const node = yield* Anvil.make()
  // Sound: the node has ten accounts.
  const [from, wallet] = node.accounts as [string, string]
  yield* Head.mine(node, 3)
  const { key, url } = yield* serve({ node, watch: [wallet], pollMillis })
  const { arrivals, hasEnded } = yield* receive({ chain, key, url, wallet })
  const random = Random.make(1)
  let head = 3
  /** Mines a block with a transfer; returns the time at which the node had it. */
  const mine = Effect.gen(function* () {
    const startedAt = micros()
    yield* Head.transfer(node, { from, to: wallet, valueWei: 1n })
    yield* node.call("evm_mine")
    const minedAt = micros()
    head++
    // The interval varies, so that blocks and polls are not in phase.
    const millis = blockMillis * (0.5 + random.next()) - (micros() - startedAt) / 1_000
    yield* Effect.sleep(Math.max(0, millis))
    return minedAt
  })
  const has = (block: number) => [...arrivals.values()].every((wayArrivals) => wayArrivals.has(block))
  const hasAny = () =>
    [...arrivals.values()].every((wayArrivals) => [...wayArrivals.keys()].some((block) => block > head - 10))
  // The first blocks start the receivers and warm up their code.
  const isWarm = Effect.map(mine, () => hasEnded() || (head > 20 && hasAny()))
  yield* Eventually.untilEffect(isWarm, { what: "each receiver has a block" })
  const minedAt = new Map<number, number>()
  for (let count = 0; count < blocks; count++) {
    const at = yield* mine
    minedAt.set(head, at)
  }
  const isOver = () => hasEnded() || [...minedAt.keys()].every(has)
  yield* Effect.ignore(
    Eventually.untilEffect(Effect.sync(isOver), { withinMillis: 20_000, what: "all blocks arrived" }),
  )
  return [...arrivals].map(([way, wayArrivals]): Latencies => {
    const millis = [...minedAt].flatMap(([block, at]) =>
      wayArrivals.has(block) ? [(wayArrivals.get(block)! - at) / 1_000] : [],
    )
    return { way, millis }
  })
})
