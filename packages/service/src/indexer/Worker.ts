/**
 * The entry of an indexer's worker thread: runs the plan it was given until it is told to stop. `Workers` starts it; importing it
 * anywhere else does nothing.
 */
import { isMainThread, parentPort, workerData } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as ChainRunner from "./ChainRunner.ts"
import type { IndexerEvent } from "./StatusReporter.ts"

/**
 * What a worker is started with.
 */
export interface WorkerData {
  readonly kind: typeof kind
  readonly plan: ChainRunner.ChainRunner
  /** Lines below this level are not sent. */
  readonly logLevel: LogLevel.LogLevel
}

/**
 * What a worker sends.
 */
export type FromWorker =
  | { readonly _tag: "Event"; readonly event: IndexerEvent }
  | { readonly _tag: "Log"; readonly level: LogLevel.Severity; readonly text: string }
  /** The last message; null when it was told to stop. */
  | { readonly _tag: "Ended"; readonly failure: string | null }

/**
 * What a worker is sent.
 */
export type ToWorker = "stop"

/**
 * Marks the data of an indexer's worker.
 */
export const kind = "@daybook/service/indexer"

const isOurs = (data: unknown): data is WorkerData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

const start = ({ plan, logLevel }: WorkerData, port: NonNullable<typeof parentPort>) => {
  const post = (message: FromWorker) => port.postMessage(message)
  const clean = (text: string) => ChainRunner.scrub(plan, text)
  const logger = Logger.make(({ logLevel: level, message }) => {
    const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    post({ _tag: "Log", level: level === "All" || level === "None" ? "Info" : level, text: clean(text) })
  })
  const fiber = ChainRunner.run(plan, (event) => Effect.sync(() => post({ _tag: "Event", event }))).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, logLevel),
    Effect.runFork,
  )
  port.on("message", (message: ToWorker) => {
    if (message === "stop") Effect.runFork(Fiber.interrupt(fiber))
  })
  fiber.addObserver((exit) => {
    const failure = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? null : Cause.squash(exit.cause)
    const text = failure instanceof Error ? failure.message : String(failure)
    post({ _tag: "Ended", failure: failure === null ? null : clean(text) })
    // Connections that are kept alive would hold the thread.
    setImmediate(() => process.exit(0))
  })
}

if (!isMainThread && parentPort !== null && isOurs(workerData)) start(workerData, parentPort)
