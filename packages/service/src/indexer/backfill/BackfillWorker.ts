/**
 * Entry of a backfill thread: fetches ranges until it is terminated. Started by `Thread`; importing it in any other thread does nothing.
 */
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Requests from "../../supervision/Requests.ts"
import * as ThreadLog from "../../supervision/ThreadLog.ts"
import * as Engine from "../../store/Engine.ts"
import * as BlockSource from "../job/BlockSource.ts"
import * as ChainJob from "../job/ChainJob.ts"
import * as Observation from "../job/Observation.ts"
import * as RangeWorker from "./RangeWorker.ts"
import { type FromThread, kind, type ThreadData, type ThreadReport, type ToThread } from "./Thread.ts"

const isThreadData = (data: unknown): data is ThreadData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

const start = Effect.fnUntraced(function* ({ job, nodes }: ThreadData, port: NonNullable<typeof parentPort>) {
  const post = (message: Requests.Message | ThreadReport) => port.postMessage(message)
  const onObserved = Observation.collector((observations) => post({ _tag: "Observed", observations }))
  const onRequest = Observation.onRequest(onObserved)
  const { assembling, node } = yield* BlockSource.make(job, nodes, { onRequest })
  let fetched = 0
  const onFetched = Effect.sync(() => void fetched++)
  const fetch = RangeWorker.make({ node, assembling: { ...assembling, onFetched } }, Engine.preparer(job.database, job))
  const context = yield* Effect.context<never>()
  const handlers: Requests.Handlers<ToThread> = { ping: () => Effect.sync(() => fetched), fetchRange: fetch }
  const requests = Requests.make<ToThread, FromThread>(post, handlers, context)
  port.on("message", requests.receive)
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
  // The exit informs the pool.
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit)) setImmediate(() => process.exit(1))
  })
}
