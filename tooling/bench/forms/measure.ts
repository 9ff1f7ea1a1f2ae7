/**
 * Indexes a recorded chain with ranges that are fetched in one form: `node measure.ts <form> <number> <url> <head> <begin>` prints one line of
 * JSON, a `FormRun`. Figures are
 * those between the block `begin`, when every thread and process has loaded its modules, and the blocks near the head.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, References, Result } from "effect"
import * as Config from "../../../packages/service/src/config/Config.ts"
import * as Thread from "../../../packages/service/src/indexer/backfill/Thread.ts"
import * as ThreadPool from "../../../packages/service/src/indexer/backfill/ThreadPool.ts"
import * as BlockSource from "../../../packages/service/src/indexer/BlockSource.ts"
import * as ChainIndexer from "../../../packages/service/src/indexer/ChainIndexer.ts"
import * as ChainJob from "../../../packages/service/src/indexer/ChainJob.ts"
import * as Engine from "../../../packages/service/src/store/Engine.ts"
import * as RangeProcess from "./RangeProcess.ts"

/** Blocks at the end that are left out: the thread that stores fetches those near the head itself. */
const nearHead = 100

/** What a form takes. */
export interface FormRun {
  readonly blocksPerSecond: number
  /** CPU time of all processes for 1,000 blocks, in seconds. */
  readonly cpuSeconds: number
  /** That of the thread that stores alone. */
  readonly writerSeconds: number
  readonly peakBytes: number
  /** Copying the finished index into an empty database, as after indexing elsewhere: CPU time for 1,000 blocks, and blocks per second. */
  readonly restoreSeconds: number
  readonly restoredPerSecond: number
}

const [form = "thread", number = "0", url = "", headText = "0", beginText = "0"] = process.argv.slice(2)
const [count, head, begin] = [Number(number), Number(headText), Number(beginText)]

const ticksPerSecond = 100

/** CPU time of a process so far, in seconds. */
const cpuOf = (pid: number): number => {
  const [, , , , , , , , , , , user = "0", system = "0"] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .split(") ")
    .at(-1)!
    .split(" ")
  return (Number(user) + Number(system)) / ticksPerSecond
}

const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024

const children: Array<number> = []

const sample = () => {
  const { system, user } = process.cpuUsage()
  const writer = process.threadCpuUsage()
  const others = children.reduce((sum, pid) => sum + cpuOf(pid), 0)
  return {
    millis: performance.now(),
    cpuSeconds: (user + system) / 1e6 + others,
    writerSeconds: (writer.user + writer.system) / 1e6,
  }
}

/** A sample at a block. */
type Mark = ReturnType<typeof sample> & { readonly block: number }

const folder = mkdtempSync(join(tmpdir(), "daybook-forms-"))
const config = Result.getOrThrow(
  Config.decode({
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { bench: { id: 31337, rpc: [url], checks: "standard" } },
  }),
)
const [job] = Result.getOrThrow(ChainJob.fromConfig(config, folder, "bench"))

const program = Effect.gen(function* () {
  const { chain, chainId, owner } = job!
  const database = yield* Engine.fromUrl(job!.database, folder, job!)
  const { assembling, node } = yield* BlockSource.make(job!)
  const thread = yield* Thread.starter(job!, job!.config.rpc)
  const child = () => Result.succeed(RangeProcess.start(job!, (pid) => children.push(pid)))
  const pool = yield* ThreadPool.make({ threads: count, start: form === "thread" ? thread : child })
  let from: Mark | undefined
  let to: Mark | undefined
  let isDone = false
  const fiber: Fiber.Fiber<unknown, unknown> = yield* Effect.forkChild(
    ChainIndexer.run(node, {
      ...{ chain, chainId, owner },
      ...assembling,
      ...(count === 0 ? {} : { rangeSource: pool.source }),
      rules: ChainJob.hashRules(job!),
      onEvent: (event) =>
        Effect.sync(() => {
          if (event._tag === "Indexed" && event.head >= begin) from ??= { ...sample(), block: event.head }
          if (event._tag === "Indexed" && event.head >= head - nearHead) to ??= { ...sample(), block: event.head }
          if (event._tag === "Synced" && event.head === head) isDone = true
        }),
    }).pipe(Effect.provideService(Engine.Engine, database)),
  )
  while (!isDone) yield* Effect.sleep("5 millis")
  const peakBytes = [process.pid, ...children].reduce((sum, pid) => sum + peakOf(pid), 0)
  yield* Fiber.interrupt(fiber)
  const target = yield* Engine.fromUrl("sqlite:restored", folder)
  const before = sample()
  yield* target.restore([{ name: chain, id: chainId }], join(folder, "data"))
  const after = sample()
  const [first, last] = [from!, to!]
  const thousands = (last.block - first.block) / 1000
  const run: FormRun = {
    blocksPerSecond: (thousands * 1e6) / (last.millis - first.millis),
    cpuSeconds: (last.cpuSeconds - first.cpuSeconds) / thousands,
    writerSeconds: (last.writerSeconds - first.writerSeconds) / thousands,
    peakBytes,
    restoreSeconds: (after.writerSeconds - before.writerSeconds) / (head / 1000),
    restoredPerSecond: (head * 1000) / (after.millis - before.millis),
  }
  console.log(JSON.stringify(run))
})

await Effect.runPromise(Effect.provideService(Effect.scoped(program), References.MinimumLogLevel, "Error")).finally(
  () => rmSync(folder, { recursive: true, force: true }),
)
process.exit(0)
