/**
 * A thread of a backfill, and how it is started as a worker thread of Node.
 */
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import type * as Node from "../../node/Node.ts"
import * as ThreadLog from "../../supervision/ThreadLog.ts"
import type { ChainJob } from "../ChainJob.ts"
import type * as RangeWorker from "./RangeWorker.ts"

/** A thread ended, or does not respond. */
export class ThreadLost extends Schema.TaggedError<ThreadLost>()("ThreadLost", { message: Schema.String }) {}

/**
 * A thread that fetches ranges.
 */
export interface Thread {
  /** Fails where the thread has ended; interruption cancels the requests to the nodes. */
  readonly fetch: (request: RangeWorker.Request) => Effect.Effect<RangeWorker.Response, ThreadLost>
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

/**
 * Message of a thread.
 */
export type FromThread =
  | { readonly _tag: "RangeFetched"; readonly id: number; readonly response: RangeWorker.Response }
  | ThreadLog.ThreadLog

/**
 * Marks the data of a thread of a backfill.
 */
export const kind = "@daybook/service/backfill"

const entry = new URL(`./BackfillWorker${extname(import.meta.url)}`, import.meta.url)

type Resume = (outcome: Effect.Effect<RangeWorker.Response, ThreadLost>) => void

/**
 * Starts a worker thread for the chain of a job, with nodes in place of those of its configuration.
 */
export const start = Effect.fnUntraced(function* (
  job: ChainJob,
  nodes: Node.Options["urls"],
): Effect.fn.Return<Thread> {
  const logLevel = yield* References.MinimumLogLevel
  const services = yield* Effect.context<never>()
  const data: ThreadData = { kind, job, nodes, logLevel }
  const worker = new Worker(entry, { workerData: data, name: `daybook-fetch-${job.chain}` })
  const pending = new Map<number, Resume>()
  let lost: ThreadLost | undefined
  let newest = 0
  const lose = (message: string) => {
    lost ??= new ThreadLost({ message })
    for (const resume of pending.values()) resume(Effect.fail(lost))
    pending.clear()
  }
  worker.on("message", (message: FromThread) => {
    if (message._tag === "Log") {
      Effect.runForkWith(services)(ThreadLog.write(message))
      return
    }
    pending.get(message.id)?.(Effect.succeed(message.response))
    pending.delete(message.id)
  })
  worker.on("error", (cause) => lose(cause instanceof Error ? cause.message : "unknown error"))
  worker.on("exit", (code) => lose(`exit code ${code}`))
  const post = (message: ToThread) => worker.postMessage(message)
  return {
    fetch: (request) =>
      Effect.callback<RangeWorker.Response, ThreadLost>((resume) => {
        if (lost !== undefined) {
          resume(Effect.fail(lost))
          return
        }
        const id = ++newest
        pending.set(id, resume)
        post({ _tag: "FetchRange", id, request })
        return Effect.sync(() => {
          pending.delete(id)
          post({ _tag: "Cancel", id })
        })
      }),
    stop: Effect.promise(() => worker.terminate()),
  }
})
