/**
 * Starts Node worker threads, and reports why one does not start.
 */
import { Worker, type WorkerOptions } from "node:worker_threads"
import * as Data from "effect/Data"
import * as Result from "effect/Result"

/** A worker thread cannot be started. */
export class ThreadNotStarted extends Data.TaggedError("ThreadNotStarted")<{ readonly message: string }> {}

const codeOf = (cause: Error): unknown => ("code" in cause ? cause.code : undefined)

/** Why a thread did not start, or ended with an error, with the remedy if there is one. */
export const describe = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown error"
  switch (codeOf(cause)) {
    case "ERR_WORKER_INIT_FAILED":
      return `no thread can be started (${cause.message}). Allow the user or the container of the service more threads (ulimit -u, pids.max)`
    case "ERR_MODULE_NOT_FOUND":
    case "MODULE_NOT_FOUND":
      return `${cause.message}. Install @daybook/service again`
    default:
      return cause.message
  }
}

/** Starts a worker thread. A missing file is an error of the thread itself, reported after its start. */
export const start = (entry: URL, options: WorkerOptions): Result.Result<Worker, ThreadNotStarted> =>
  Result.try({
    try: () => new Worker(entry, options),
    catch: (cause) => new ThreadNotStarted({ message: describe(cause) }),
  })
