/**
 * Entry of a thread of a backfill: fetches ranges until it is ended. Started by `Thread`; importing it in any other thread does
 * nothing.
 */
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as ThreadLog from "../../supervision/ThreadLog.ts"
import * as Engine from "../../store/Engine.ts"
import * as BlockSource from "../job/BlockSource.ts"
import * as ChainJob from "../job/ChainJob.ts"
import * as Observation from "../job/Observation.ts"
import * as RangeWorker from "./RangeWorker.ts"
import { type FromThread, kind, type ThreadData, type ToThread } from "./Thread.ts"

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

const start = Effect.fnUntraced(function* ({ job, nodes }: ThreadData, port: NonNullable<typeof parentPort>) {
  const post = (message: FromThread) => port.postMessage(message)
  const onObserved = Observation.collector((observations) => post({ _tag: "Observed", observations }))
  const onRequest = Observation.onRequest(onObserved)
  const { assembling, node } = yield* BlockSource.make(job, nodes, { onRequest })
  let fetched = 0
  const onFetched = Effect.sync(() => void fetched++)
  const fetch = RangeWorker.make({ node, assembling: { ...assembling, onFetched } }, Engine.preparer(job.database, job))
  const context = yield* Effect.context<never>()
  const fibers = new Map<number, Fiber.Fiber<void>>()
  port.on("message", (message: ToThread) => {
    const { id } = message
    if (message._tag === "Ping") return post({ _tag: "Pong", id, fetched })
    if (message._tag === "Cancel") {
      const fiber = fibers.get(id)
      if (fiber !== undefined) Effect.runFork(Fiber.interrupt(fiber))
      return
    }
    const fiber = fetch(message.request).pipe(
      Effect.map((response) => post({ _tag: "RangeFetched", id, response })),
      Effect.runForkWith(context),
    )
    fibers.set(id, fiber)
    fiber.addObserver(() => fibers.delete(id))
  })
})

if (!isMainThread && parentPort !== null && isThreadData(workerData)) {
  const { job, logLevel } = workerData
  const port = parentPort
  const redact = (text: string) => ChainJob.redact(job, text)
  const fiber = start(workerData, port).pipe(
    Effect.provide(Logger.layer([ThreadLog.logger((message) => port.postMessage(message), redact)])),
    Effect.provideService(References.MinimumLogLevel, logLevel),
    Effect.runFork,
  )
  // The pool learns of it by the exit.
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit)) setImmediate(() => process.exit(1))
  })
}
