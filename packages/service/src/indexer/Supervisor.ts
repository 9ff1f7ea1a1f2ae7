/**
 * Runs an indexer for each chain in a worker thread of its own, so that serving pages does not wait for writes. A worker that ends
 * is restarted; the failure of one chain does not affect the others.
 */
import { extname } from "node:path"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Restart from "../supervision/Restart.ts"
import * as ThreadLog from "../supervision/ThreadLog.ts"
import * as WorkerThread from "../supervision/WorkerThread.ts"
import * as ChainRunner from "./ChainRunner.ts"
import type { ChainJob } from "./ChainJob.ts"
import type { IndexerEvent } from "./IndexerEvent.ts"
import { type FromWorker, kind, type ToWorker, type WorkerData } from "./Worker.ts"

/** Handles an event of a chain's indexer; must not fail. */
type OnEvent = (chain: string, event: IndexerEvent) => Effect.Effect<void>

/**
 * How to run the indexers.
 */
export interface Options {
  readonly jobs: ReadonlyArray<ChainJob>
  /** Handles each event of each chain. */
  readonly onEvent?: OnEvent
  /** The indexers run in the thread of this process: for one small chain whose first blocks are waited for. Default false. */
  readonly isInline?: boolean
}

/** Time that a worker has to finish its transaction when it is stopped. */
const stopMillis = 5_000

const entry = new URL(`./Worker${extname(import.meta.url)}`, import.meta.url)

interface RunningWorker {
  readonly worker: Worker
  /** Why it ended; `null` when it was stopped. */
  readonly ended: Promise<string | null>
}

/** Listens to a worker until it ends; gives why, `null` when it was stopped. */
const endOf = (worker: Worker, onMessage: (message: FromWorker) => void): Promise<string | null> =>
  new Promise((resolve) => {
    let failure: string | null | undefined
    worker.on("message", (message: FromWorker) => {
      if (message._tag === "Ended") failure = message.failure
      else onMessage(message)
    })
    worker.on("error", (cause) => (failure ??= WorkerThread.describe(cause)))
    worker.on("exit", (code) => resolve(failure === undefined ? `exit code ${code}` : failure))
  })

const start = (
  job: ChainJob,
  logLevel: WorkerData["logLevel"],
  onMessage: (message: FromWorker) => void,
): Result.Result<RunningWorker, WorkerThread.ThreadNotStarted> => {
  const data: WorkerData = { kind, job, logLevel }
  const started = WorkerThread.start(entry, { workerData: data, name: `daybook-index-${job.chain}` })
  return Result.map(started, (worker) => ({ worker, ended: endOf(worker, onMessage) }))
}

const stop = ({ worker, ended }: RunningWorker): Effect.Effect<void> =>
  Effect.sync(() => worker.postMessage("stop" satisfies ToWorker)).pipe(
    Effect.andThen(Effect.promise(() => ended)),
    Effect.timeoutOrElse({ duration: stopMillis, orElse: () => Effect.promise(() => worker.terminate()) }),
    Effect.asVoid,
  )

/** Runs a worker until it ends, and gives why; interruption stops it. */
const runOnce = Effect.fnUntraced(function* (job: ChainJob, onEvent: OnEvent) {
  const logLevel = yield* References.MinimumLogLevel
  const messages = yield* Queue.unbounded<FromWorker>()
  const listen = Effect.gen(function* () {
    for (;;) {
      const message = yield* Queue.take(messages)
      if (message._tag === "Event") yield* onEvent(job.chain, message.event)
      if (message._tag === "Log") yield* ThreadLog.write(message)
    }
  })
  const running = yield* Effect.acquireRelease(
    Effect.suspend(() => Effect.fromResult(start(job, logLevel, (message) => Queue.offerUnsafe(messages, message)))),
    stop,
  )
  yield* Effect.forkScoped(listen)
  return yield* Effect.promise(() => running.ended)
}, Effect.scoped)

/** Restarts a chain's worker whenever it ends. */
const supervise = (job: ChainJob, onEvent: OnEvent) =>
  Restart.forever(
    "The indexer",
    Effect.match(runOnce(job, onEvent), {
      onSuccess: (failure) => failure ?? "it was stopped",
      onFailure: ({ message }) => message,
    }),
  ).pipe(Effect.annotateLogs({ chain: job.chain }))

/** The indexers of some chains, for as long as the scope in which they were started. */
export interface Supervisor {
  /** Indexes these jobs from now on: starts what is new, and stops or restarts what is gone or has changed. The others go on. */
  readonly replace: (jobs: ReadonlyArray<ChainJob>) => Effect.Effect<void>
}

interface Supervised {
  readonly job: ChainJob
  readonly fiber: Fiber.Fiber<never>
}

/** What an indexer depends on; labels are those of pages. */
const identityOf = (job: ChainJob): string => JSON.stringify({ ...job, config: { ...job.config, labels: {} } })

/** Starts indexers until the scope ends; then each worker finishes its transaction, within a few seconds. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Supervisor, never, Scope.Scope> {
  const { isInline = false, jobs, onEvent = () => Effect.void } = options
  const scope = yield* Effect.scope
  const running = new Map<string, Supervised>()
  const runJob = (job: ChainJob): Effect.Effect<never> =>
    isInline ? ChainRunner.run(job, (event) => onEvent(job.chain, event)) : supervise(job, onEvent)

  const replace = Effect.fnUntraced(function* (next: ReadonlyArray<ChainJob>) {
    const wanted = new Map(next.map((job) => [job.chain, identityOf(job)]))
    const gone = [...running.values()].filter(({ job }) => wanted.get(job.chain) !== identityOf(job))
    for (const { job } of gone) running.delete(job.chain)
    yield* Effect.forEach(gone, ({ fiber }) => Fiber.interrupt(fiber), { concurrency: "unbounded", discard: true })
    for (const job of next) {
      if (!running.has(job.chain)) running.set(job.chain, { job, fiber: yield* Effect.forkIn(runJob(job), scope) })
    }
  })
  yield* replace(jobs)
  return { replace }
})

/**
 * Indexes all chains until it is interrupted. Never fails.
 */
export const run = (options: Options): Effect.Effect<never> =>
  Effect.scoped(Effect.andThen(make(options), Effect.never))
