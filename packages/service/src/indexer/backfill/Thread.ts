/**
 * A backfill thread, and how to start it as a Node worker thread.
 */
import { extname } from "node:path"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Node from "../../node/Node.ts"
import * as Requests from "../../supervision/Requests.ts"
import * as ThreadLog from "../../supervision/ThreadLog.ts"
import * as WorkerThread from "../../supervision/WorkerThread.ts"
import type { ChainJob } from "../job/ChainJob.ts"
import type { Observation, OnObserved } from "../job/Observation.ts"
import type * as RangeWorker from "./RangeWorker.ts"

/** A thread does not start, has ended, or does not respond. */
export class ThreadLost extends Schema.TaggedError<ThreadLost>()("ThreadLost", { message: Schema.String }) {}

/**
 * A thread that fetches ranges.
 */
export interface Thread {
  /** Fails if the thread has ended; interruption cancels the requests to the nodes. */
  readonly fetch: (request: RangeWorker.Request) => Effect.Effect<RangeWorker.Response, ThreadLost>
  /** Number of times that the thread has fetched blocks so far, whatever it is fetching; fails if it has ended. */
  readonly ping: Effect.Effect<number, ThreadLost>
  /** Ends the thread. */
  readonly stop: Effect.Effect<void>
}

/**
 * Start data of a worker thread.
 */
export interface ThreadData {
  readonly kind: typeof kind
  readonly job: ChainJob
  /** Nodes of the chain, with the thread's share of their limits. */
  readonly nodes: Node.Options["urls"]
  /** Log lines below this level are not sent. */
  readonly logLevel: LogLevel.LogLevel
}

/**
 * Requests to a thread.
 */
export interface ToThread {
  readonly fetchRange: (request: RangeWorker.Request) => RangeWorker.Response
  /** Number of times that the thread has fetched blocks so far. */
  readonly ping: (none: null) => number
}

/** A thread makes no requests. */
export type FromThread = Record<never, never>

/**
 * Reports of a thread besides its responses.
 */
export type ThreadReport =
  | { readonly _tag: "Observed"; readonly observations: ReadonlyArray<Observation> }
  | ThreadLog.ThreadLog

/**
 * Identifies the start data of a backfill thread.
 */
export const kind = "@daybook/service/backfill"

const entry = new URL(`./BackfillWorker${extname(import.meta.url)}`, import.meta.url)

/** Receives the reports of a thread besides its responses. */
interface Listeners {
  readonly onLog: (line: ThreadLog.ThreadLog) => void
  readonly onObserved: OnObserved
}

/** The thread of a worker, with its log lines and measurements forwarded. */
const threadOf = (worker: Worker, { onLog, onObserved }: Listeners): Thread => {
  const requests = Requests.make<FromThread, ToThread>((message) => worker.postMessage(message), {})
  worker.on("message", (message: Requests.Message | ThreadReport) => {
    if (message._tag === "Log") return onLog(message)
    if (message._tag === "Observed") return message.observations.forEach(onObserved)
    requests.receive(message)
  })
  worker.on("error", (cause) => requests.end(WorkerThread.describe(cause)))
  worker.on("exit", (code) => requests.end(`exit code ${code}`))
  const lost = ({ message }: Requests.RequestFailed) => new ThreadLost({ message })
  return {
    fetch: (request) => Effect.mapError(requests.send("fetchRange", request), lost),
    ping: Effect.mapError(requests.send("ping", null), lost),
    stop: Effect.promise(() => worker.terminate()),
  }
}

/**
 * Makes the function that starts worker threads for the chain of a job, with nodes that replace the configured ones.
 */
export const starter = Effect.fnUntraced(function* (
  job: ChainJob,
  nodes: Node.Options["urls"],
  onObserved: OnObserved = () => undefined,
): Effect.fn.Return<() => Result.Result<Thread, ThreadLost>> {
  const logLevel = yield* References.MinimumLogLevel
  const services = yield* Effect.context<never>()
  const onLog = (line: ThreadLog.ThreadLog) => void Effect.runForkWith(services)(ThreadLog.write(line))
  const workerData: ThreadData = { kind, job, nodes, logLevel }
  return () =>
    WorkerThread.start(entry, { workerData, name: `daybook-fetch-${job.chain}` }).pipe(
      Result.map((worker) => threadOf(worker, { onLog, onObserved })),
      Result.mapError(({ message }) => new ThreadLost({ message })),
    )
})
