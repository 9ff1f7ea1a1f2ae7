/**
 * Entry of an indexer's worker thread: runs the job it was given until it is stopped. Started by `Supervisor`; importing it in any
 * other thread does nothing.
 */
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as ThreadLog from "../supervision/ThreadLog.ts"
import * as ChainJob from "./ChainJob.ts"
import * as ChainRunner from "./ChainRunner.ts"
import type { IndexerEvent } from "./IndexerEvent.ts"

/**
 * What a worker is started with.
 */
export interface WorkerData {
  readonly kind: typeof kind
  readonly job: ChainJob.ChainJob
  /** Log lines below this level are not sent. */
  readonly logLevel: LogLevel.LogLevel
}

/**
 * Message of a worker.
 */
export type FromWorker =
  | { readonly _tag: "Event"; readonly event: IndexerEvent }
  | ThreadLog.ThreadLog
  /** The last message; `failure` is `null` when the worker was stopped. */
  | { readonly _tag: "Ended"; readonly failure: string | null }

/**
 * Message to a worker.
 */
export type ToWorker = "stop"

/**
 * Marks the data of an indexer's worker.
 */
export const kind = "@daybook/service/indexer"

const isWorkerData = (data: unknown): data is WorkerData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

const start = ({ job, logLevel }: WorkerData, port: NonNullable<typeof parentPort>) => {
  const post = (message: FromWorker) => port.postMessage(message)
  const redact = (text: string) => ChainJob.redact(job, text)
  const fiber = ChainRunner.run(job, (event) => Effect.sync(() => post({ _tag: "Event", event }))).pipe(
    Effect.provide(Logger.layer([ThreadLog.logger(post, redact)])),
    Effect.provideService(References.MinimumLogLevel, logLevel),
    Effect.runFork,
  )
  port.on("message", (message: ToWorker) => {
    if (message === "stop") Effect.runFork(Fiber.interrupt(fiber))
  })
  fiber.addObserver((exit) => {
    const failure = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? null : Cause.squash(exit.cause)
    const text = failure instanceof Error ? failure.message : String(failure)
    post({ _tag: "Ended", failure: failure === null ? null : redact(text) })
    // Open keep-alive connections would keep the thread alive.
    setImmediate(() => process.exit(0))
  })
}

if (!isMainThread && parentPort !== null && isWorkerData(workerData)) start(workerData, parentPort)
