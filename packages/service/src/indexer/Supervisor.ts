/**
 * Runs an indexer for each chain in a worker thread, so that serving pages does not wait for writes. An indexer that ends is restarted; the
 * failure of one chain does not affect the others.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as Restart from "../supervision/Restart.ts"
import * as ThreadLog from "../supervision/ThreadLog.ts"
import * as ChainRunner from "./ChainRunner.ts"
import type { ChainJob } from "./job/ChainJob.ts"
import type { IndexerEvent } from "./IndexerEvent.ts"
import * as IndexThreads from "./IndexThreads.ts"
import type { Observation } from "./job/Observation.ts"

/** Handles an event of a chain's indexer; must not fail. */
type OnEvent = (chain: string, event: IndexerEvent) => Effect.Effect<void>

/** Receives the measurements of a chain's indexer. */
type OnObserved = (chain: string, observation: Observation) => void

interface Listeners {
  readonly onEvent: OnEvent
  readonly onObserved: OnObserved
}

/**
 * How to run the indexers.
 */
export interface Options {
  readonly jobs: ReadonlyArray<ChainJob>
  /** Handles each event of each chain. */
  readonly onEvent?: OnEvent | undefined
  /** Receives the measurements of each chain's indexer. */
  readonly onObserved?: OnObserved
  /** Runs the indexers in the thread of this process: for a small chain whose first blocks are awaited. Default false. */
  readonly isInline?: boolean
  /** Maximum number of threads, which chains share. Default: by the cores of the machine. */
  readonly threads?: number | undefined
  /** Starts a thread. Default: a worker thread of Node. */
  readonly startThread?: IndexThreads.StartThread | undefined
}

/** Runs an indexer in a thread until it ends, and returns the reason; interruption stops it. */
const runOnce = Effect.fnUntraced(function* (
  threads: IndexThreads.IndexThreads,
  job: ChainJob,
  { onEvent, onObserved }: Listeners,
) {
  const reports = yield* Queue.unbounded<IndexThreads.ChainMessage>()
  const handle = (report: IndexThreads.ChainMessage): Effect.Effect<void> => {
    switch (report._tag) {
      case "Event":
        return onEvent(job.chain, report.event)
      case "Line":
        return ThreadLog.write(report.line)
      case "Observed":
        return Effect.sync(() => report.observations.forEach((observation) => onObserved(job.chain, observation)))
    }
  }
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(reports), handle)))
  return yield* threads.run(job, (report) => Queue.offerUnsafe(reports, report))
}, Effect.scoped)

/** Restarts a chain's indexer whenever it ends. */
const supervise = (threads: IndexThreads.IndexThreads, job: ChainJob, listeners: Listeners) =>
  Restart.forever(
    "The indexer",
    Effect.match(runOnce(threads, job, listeners), {
      onSuccess: (failure) => failure ?? "it was stopped",
      onFailure: ({ message }) => message,
    }),
  ).pipe(Effect.annotateLogs({ chain: job.chain }))

/** Indexers of some chains, which run until the scope that started them ends. */
export interface Supervisor {
  /** Replaces the jobs: starts new ones, and stops or restarts removed or changed ones. The others continue. */
  readonly replace: (jobs: ReadonlyArray<ChainJob>) => Effect.Effect<void>
}

interface Supervised {
  readonly job: ChainJob
  readonly fiber: Fiber.Fiber<never>
}

/** Everything that an indexer depends on; labels and names only affect pages. */
const identityOf = (job: ChainJob): string =>
  JSON.stringify({ ...job, config: { ...job.config, ens: undefined, labels: {} } })

/** Starts indexers until the scope ends; each then finishes its transaction within a few seconds. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Supervisor, never, Scope.Scope> {
  const { isInline = false, jobs, onEvent = () => Effect.void, onObserved = () => undefined } = options
  const logLevel = yield* References.MinimumLogLevel
  const { startThread = IndexThreads.starter(logLevel), threads: max = IndexThreads.defaultMax() } = options
  const threads = IndexThreads.make({ max, start: startThread })
  const scope = yield* Effect.scope
  const running = new Map<string, Supervised>()
  const runJob = (job: ChainJob): Effect.Effect<never> =>
    isInline
      ? ChainRunner.run(
          job,
          (event) => onEvent(job.chain, event),
          (observation) => onObserved(job.chain, observation),
        )
      : supervise(threads, job, { onEvent, onObserved })

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
 * Indexes all chains until interrupted. Never fails.
 */
export const run = (options: Options): Effect.Effect<never> =>
  Effect.scoped(Effect.andThen(make(options), Effect.never))
