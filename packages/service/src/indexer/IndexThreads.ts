/**
 * Worker threads of the indexers. Each thread has a fixed memory cost, so chains share threads once there are more chains than threads.
 * When a thread fails, any of its chains may be the cause: afterwards each of them runs in its own thread, so that a repeated failure
 * affects only one.
 *
 * Source: decision 0042.
 */
import { extname } from "node:path"
import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as WorkerThread from "../supervision/WorkerThread.ts"
import type { ChainJob } from "./job/ChainJob.ts"
import { type FromWorker, kind, type ToWorker, type WorkerData } from "./Worker.ts"

/** Messages of a thread about a chain, except its end. */
export type ChainMessage = Exclude<FromWorker, { readonly _tag: "Ended" }>

/** A worker thread that runs indexers. */
export interface Thread {
  /** Sets the receiver of its messages and of the reason for its end. */
  readonly listen: (onMessage: (message: FromWorker) => void, onEnd: (reason: string) => void) => void
  readonly post: (message: ToWorker) => void
  readonly terminate: () => Promise<unknown>
}

/** Starts a thread. */
export type StartThread = () => Result.Result<Thread, WorkerThread.ThreadNotStarted>

/** How to run the indexers. */
export interface Options {
  /** Maximum number of threads, not counting chains with a thread of their own. */
  readonly max: number
  readonly start: StartThread
}

/** The threads of the indexers. */
export interface IndexThreads {
  /** Runs the indexer of a chain until it ends, and returns the reason; `null` if it was stopped. Interruption stops it. */
  readonly run: (
    job: ChainJob,
    onReport: (message: ChainMessage) => void,
  ) => Effect.Effect<string | null, WorkerThread.ThreadNotStarted>
}

/** Time that a stopped indexer has to finish its transaction. */
const stopMillis = 5_000

/** Default maximum number of threads. */
const maxThreads = 4

/** Number of threads for the cores of the machine. */
export const defaultMax = (cores = availableParallelism()): number => Math.min(maxThreads, cores)

const entry = new URL(`./Worker${extname(import.meta.url)}`, import.meta.url)

/** Starts Node worker threads. Log lines below a level are not sent. */
export const starter =
  (logLevel: LogLevel.LogLevel): StartThread =>
  () => {
    const workerData: WorkerData = { kind, logLevel }
    return Result.map(WorkerThread.start(entry, { workerData, name: "daybook-index" }), (worker) => {
      let failure: string | undefined
      worker.on("error", (cause) => (failure ??= WorkerThread.describe(cause)))
      const ended = new Promise<string>((resolve) =>
        worker.on("exit", (code) => resolve(failure ?? `exit code ${code}`)),
      )
      return {
        listen: (onMessage, onEnd) => {
          worker.on("message", onMessage)
          void ended.then(onEnd)
        },
        post: (message) => worker.postMessage(message),
        terminate: () => worker.terminate(),
      }
    })
  }

/**
 * Starts the first thread before a chain needs it, so that it loads while the service opens its database and port. It ends with the scope
 * if no chain has used it.
 */
export const startAhead = (start: StartThread): Effect.Effect<StartThread, never, Scope.Scope> =>
  Effect.gen(function* () {
    let ahead: ReturnType<StartThread> | undefined = start()
    const take = () => {
      const thread = ahead
      ahead = undefined
      return thread
    }
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        const unused = take()
        if (unused !== undefined && Result.isSuccess(unused)) await unused.success.terminate()
      }),
    )
    return () => take() ?? start()
  })

/** An indexer that runs in a thread. */
interface Running {
  readonly report: (message: ChainMessage) => void
  readonly end: (reason: string | null) => void
  readonly ended: Promise<string | null>
}

/** A thread and the indexers in it. */
interface Host {
  readonly thread: Thread
  readonly chains: Map<string, Running>
  /** Whether it is reserved for one chain. */
  readonly isSeparate: boolean
}

const makeRunning = (report: Running["report"]): Running => {
  let end: Running["end"] = () => undefined
  const ended = new Promise<string | null>((resolve) => (end = resolve))
  return { report, end, ended }
}

/** Makes the threads; each starts with its first chain and ends with its last. */
export const make = ({ max, start }: Options): IndexThreads => {
  const hosts = new Set<Host>()
  /** Chains whose thread has failed. */
  const separate = new Set<string>()

  /** Ends the indexers of a thread that is gone. */
  const lose = (host: Host, reason: string): void => {
    if (!hosts.delete(host)) return
    const running = [...host.chains.values()]
    host.chains.clear()
    for (const { end } of running) end(reason)
  }

  const onMessage = (host: Host, message: FromWorker): void => {
    const running = host.chains.get(message.chain)
    if (message._tag !== "Ended") return running?.report(message)
    host.chains.delete(message.chain)
    if (host.chains.size > 0) return running?.end(message.failure)
    hosts.delete(host)
    // Open keep-alive connections would keep the thread alive.
    void host.thread.terminate().then(() => running?.end(message.failure))
  }

  const open = (isSeparate: boolean): Result.Result<Host, WorkerThread.ThreadNotStarted> =>
    Result.map(start(), (thread) => {
      const host: Host = { thread, chains: new Map(), isSeparate }
      hosts.add(host)
      thread.listen(
        (message) => onMessage(host, message),
        (reason) => {
          if (host.chains.size > 1) for (const chain of host.chains.keys()) separate.add(chain)
          lose(host, reason)
        },
      )
      return host
    })

  /** Thread for a chain: its own, a new one, or the one with the fewest chains. */
  const hostFor = (chain: string): Result.Result<Host, WorkerThread.ThreadNotStarted> => {
    if (separate.has(chain)) return open(true)
    const shared = [...hosts].filter(({ isSeparate }) => !isSeparate)
    const [least] = shared.toSorted((left, right) => left.chains.size - right.chains.size)
    return least === undefined || shared.length < max ? open(false) : Result.succeed(least)
  }

  const begin = (job: ChainJob, report: Running["report"]) =>
    Result.flatMap(hostFor(job.chain), (host) => {
      const running = makeRunning(report)
      host.chains.set(job.chain, running)
      return Result.try({
        try: () => {
          host.thread.post({ _tag: "Run", job })
          return { host, running }
        },
        catch: (cause) => {
          onMessage(host, { _tag: "Ended", chain: job.chain, failure: null })
          return new WorkerThread.ThreadNotStarted({ message: WorkerThread.describe(cause) })
        },
      })
    })

  /** Stops an indexer. If it does not stop, its thread is terminated, and the thread's other chains restart in another thread. */
  const stop = (chain: string, { host, running }: { readonly host: Host; readonly running: Running }) =>
    Effect.suspend(() => {
      if (host.chains.get(chain) !== running) return Effect.void
      host.thread.post({ _tag: "Stop", chain })
      const terminate = Effect.promise(() => host.thread.terminate()).pipe(
        Effect.andThen(Effect.sync(() => lose(host, `another chain on its thread, ${chain}, did not stop`))),
      )
      return Effect.promise(() => running.ended).pipe(
        Effect.timeoutOrElse({ duration: stopMillis, orElse: () => terminate }),
        Effect.asVoid,
      )
    })

  return {
    run: (job, onReport) =>
      Effect.acquireUseRelease(
        Effect.suspend(() => Effect.fromResult(begin(job, onReport))),
        ({ running }) => Effect.promise(() => running.ended),
        (begun) => stop(job.chain, begun),
      ),
  }
}
