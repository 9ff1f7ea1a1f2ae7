/**
 * A thread of a backfill, and how it is started as a worker thread of Node.
 */
import { extname } from "node:path"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Node from "../../node/Node.ts"
import * as ThreadLog from "../../supervision/ThreadLog.ts"
import * as WorkerThread from "../../supervision/WorkerThread.ts"
import type { ChainJob } from "../job/ChainJob.ts"
import type { Observation, OnObserved } from "../job/Observation.ts"
import * as RangeWorker from "./RangeWorker.ts"

/** A thread does not start, has ended, or does not respond. */
export class ThreadLost extends Schema.TaggedError<ThreadLost>()("ThreadLost", { message: Schema.String }) {}

/**
 * A thread that fetches ranges.
 */
export interface Thread {
  /** Fails where the thread has ended; interruption cancels the requests to the nodes. */
  readonly fetch: (request: RangeWorker.Request) => Effect.Effect<RangeWorker.Response, ThreadLost>
  /** Number of times that the thread has fetched blocks so far, whatever it is fetching now; fails where it has ended. */
  readonly ping: Effect.Effect<number, ThreadLost>
  /** Ends the thread. */
  readonly stop: Effect.Effect<void>
}

/**
 * What a worker thread is started with.
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
 * Message to a thread; `id` names the request.
 */
export type ToThread =
  | { readonly _tag: "FetchRange"; readonly id: number; readonly request: RangeWorker.Request }
  | { readonly _tag: "Cancel"; readonly id: number }
  | { readonly _tag: "Ping"; readonly id: number }

/**
 * Message of a thread.
 */
export type FromThread =
  | { readonly _tag: "RangeFetched"; readonly id: number; readonly response: RangeWorker.Response }
  | { readonly _tag: "Pong"; readonly id: number; readonly fetched: number }
  | { readonly _tag: "Observed"; readonly observations: ReadonlyArray<Observation> }
  | ThreadLog.ThreadLog

/**
 * Marks the data of a thread of a backfill.
 */
export const kind = "@daybook/service/backfill"

const entry = new URL(`./BackfillWorker${extname(import.meta.url)}`, import.meta.url)

type Response = Extract<FromThread, { readonly id: number }>

/** Receives what a thread reports beside its responses. */
interface Listeners {
  readonly onLog: (line: ThreadLog.ThreadLog) => void
  readonly onObserved: OnObserved
}

type Resume = (outcome: Effect.Effect<Response, ThreadLost>) => void

/** The thread of a worker, whose log lines and measurements are passed on. */
const threadOf = (worker: Worker, { onLog, onObserved }: Listeners): Thread => {
  const pending = new Map<number, Resume>()
  let lost: ThreadLost | undefined
  let newest = 0
  const lose = (message: string) => {
    lost ??= new ThreadLost({ message })
    for (const resume of pending.values()) resume(Effect.fail(lost))
    pending.clear()
  }
  worker.on("message", (message: FromThread) => {
    if (message._tag === "Log") return onLog(message)
    if (message._tag === "Observed") return message.observations.forEach(onObserved)
    pending.get(message.id)?.(Effect.succeed(message))
    pending.delete(message.id)
  })
  worker.on("error", (cause) => lose(WorkerThread.describe(cause)))
  worker.on("exit", (code) => lose(`exit code ${code}`))
  const post = (message: ToThread) => worker.postMessage(message)
  const ask = (messageOf: (id: number) => ToThread) =>
    Effect.callback<Response, ThreadLost>((resume) => {
      if (lost !== undefined) {
        resume(Effect.fail(lost))
        return
      }
      const id = ++newest
      pending.set(id, resume)
      post(messageOf(id))
      return Effect.sync(() => {
        pending.delete(id)
        post({ _tag: "Cancel", id })
      })
    })
  return {
    fetch: (request) =>
      Effect.map(
        ask((id) => ({ _tag: "FetchRange", id, request })),
        (message) => (message._tag === "RangeFetched" ? message.response : RangeWorker.declined),
      ),
    ping: Effect.map(
      ask((id) => ({ _tag: "Ping", id })),
      (message) => (message._tag === "Pong" ? message.fetched : 0),
    ),
    stop: Effect.promise(() => worker.terminate()),
  }
}

/**
 * How to start worker threads for the chain of a job, with nodes in place of those of its configuration.
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
