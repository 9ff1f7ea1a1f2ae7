/**
 * Entry of a worker thread of indexers: runs the jobs that it receives until each is stopped. Started by `IndexThreads`; importing it in
 * any other thread does nothing.
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
import * as ChainJob from "./job/ChainJob.ts"
import * as ChainRunner from "./ChainRunner.ts"
import type { IndexerEvent } from "./IndexerEvent.ts"
import * as Observation from "./job/Observation.ts"

/**
 * Start data of a worker.
 */
export interface WorkerData {
  readonly kind: typeof kind
  /** Log lines below this level are not sent. */
  readonly logLevel: LogLevel.LogLevel
}

/**
 * Message of a worker about the indexer of a chain.
 */
export type FromWorker =
  | { readonly _tag: "Event"; readonly chain: string; readonly event: IndexerEvent }
  | { readonly _tag: "Observed"; readonly chain: string; readonly observations: ReadonlyArray<Observation.Observation> }
  | { readonly _tag: "Line"; readonly chain: string; readonly line: ThreadLog.ThreadLog }
  /** The last message; `failure` is `null` if it was stopped. */
  | { readonly _tag: "Ended"; readonly chain: string; readonly failure: string | null }

/**
 * Message to a worker.
 */
export type ToWorker =
  | { readonly _tag: "Run"; readonly job: ChainJob.ChainJob }
  | { readonly _tag: "Stop"; readonly chain: string }

/**
 * Identifies the start data of an indexer's worker.
 */
export const kind = "@daybook/service/indexer"

const isWorkerData = (data: unknown): data is WorkerData =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind

const failureOf = (exit: Exit.Exit<unknown, unknown>): string | null => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return null
  const failure = Cause.squash(exit.cause)
  return failure instanceof Error ? failure.message : String(failure)
}

const start = ({ logLevel }: WorkerData, port: NonNullable<typeof parentPort>) => {
  const post = (message: FromWorker) => port.postMessage(message)
  const fibers = new Map<string, Fiber.Fiber<never>>()

  const run = (job: ChainJob.ChainJob) => {
    const { chain } = job
    const redact = (text: string) => ChainJob.redact(job, text)
    const logger = ThreadLog.logger((line) => post({ _tag: "Line", chain, line }), redact)
    const onObserved = Observation.collector((observations) => post({ _tag: "Observed", chain, observations }))
    const onEvent = (event: IndexerEvent) => Effect.sync(() => post({ _tag: "Event", chain, event }))
    const fiber = ChainRunner.run(job, onEvent, onObserved).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, logLevel),
      Effect.runFork,
    )
    fibers.set(chain, fiber)
    fiber.addObserver((exit) => {
      fibers.delete(chain)
      const failure = failureOf(exit)
      post({ _tag: "Ended", chain, failure: failure === null ? null : redact(failure) })
    })
  }

  port.on("message", (message: ToWorker) => {
    if (message._tag === "Run") return run(message.job)
    const fiber = fibers.get(message.chain)
    if (fiber !== undefined) Effect.runFork(Fiber.interrupt(fiber))
  })
}

if (!isMainThread && parentPort !== null && isWorkerData(workerData)) start(workerData, parentPort)
