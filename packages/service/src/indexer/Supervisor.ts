/**
 * Indexes every chain of a service, each in a worker thread of its own, so that serving pages does not wait for writing them.
 * A worker that ends is started again; one chain's failure does not touch the others.
 */
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import type { ChainRunner } from "./ChainRunner.ts"
import type { IndexerEvent } from "./StatusReporter.ts"
import { type FromWorker, kind, type ToWorker, type WorkerData } from "./Worker.ts"

/**
 * How to run the indexers.
 */
export interface Options {
  readonly plans: ReadonlyArray<ChainRunner>
  /** Told of each step of each chain. */
  readonly onEvent?: (chain: string, event: IndexerEvent) => Effect.Effect<void>
}

/** Time that a worker has to end its transaction when it is told to stop. */
const stopMillis = 5_000
const firstWaitMillis = 500
const longestWaitMillis = 30_000
/** A worker that lived so long failed for a new reason. */
const healthyMillis = 60_000

const entry = new URL(`./Worker${extname(import.meta.url)}`, import.meta.url)

interface Running {
  readonly worker: Worker
  /** Why it ended; null when it was told to. */
  readonly ended: Promise<string | null>
}

const start = (plan: ChainRunner, logLevel: WorkerData["logLevel"], take: (message: FromWorker) => void): Running => {
  const data: WorkerData = { kind, plan, logLevel }
  const worker = new Worker(entry, { workerData: data, name: `daybook-index-${plan.chain}` })
  const ended = new Promise<string | null>((resolve) => {
    let failure: string | null | undefined
    worker.on("message", (message: FromWorker) => {
      if (message._tag === "Ended") failure = message.failure
      else take(message)
    })
    worker.on("error", (cause) => (failure ??= cause instanceof Error ? cause.message : "it threw no error"))
    worker.on("exit", (code) => resolve(failure === undefined ? `it exited with code ${code}` : failure))
  })
  return { worker, ended }
}

const stop = ({ worker, ended }: Running): Effect.Effect<void> =>
  Effect.sync(() => worker.postMessage("stop" satisfies ToWorker)).pipe(
    Effect.andThen(Effect.promise(() => ended)),
    Effect.timeoutOrElse({ duration: stopMillis, orElse: () => Effect.promise(() => worker.terminate()) }),
    Effect.asVoid,
  )

/** Runs a worker to its end, whatever that is; interruption stops it. */
const runOnce = Effect.fnUntraced(function* (plan: ChainRunner, onEvent: NonNullable<Options["onEvent"]>) {
  const logLevel = yield* References.MinimumLogLevel
  const messages = yield* Queue.unbounded<FromWorker>()
  const listen = Effect.gen(function* () {
    for (;;) {
      const message = yield* Queue.take(messages)
      if (message._tag === "Event") yield* onEvent(plan.chain, message.event)
      if (message._tag === "Log") yield* Effect.logWithLevel(message.level)(message.text)
    }
  })
  const running = yield* Effect.acquireRelease(
    Effect.sync(() => start(plan, logLevel, (message) => Queue.offerUnsafe(messages, message))),
    stop,
  )
  yield* Effect.forkScoped(listen)
  return yield* Effect.promise(() => running.ended)
}, Effect.scoped)

/** Keeps a chain's worker running. */
const supervise = Effect.fnUntraced(function* (plan: ChainRunner, onEvent: NonNullable<Options["onEvent"]>) {
  for (let failures = 0; ; failures++) {
    const startedAt = yield* Clock.currentTimeMillis
    const failure = yield* runOnce(plan, onEvent)
    if ((yield* Clock.currentTimeMillis) - startedAt > healthyMillis) failures = 0
    const wait = Math.min(longestWaitMillis, firstWaitMillis * 2 ** Math.min(failures, 10))
    yield* Effect.logError(
      `${plan.chain}: the indexer ended: ${(failure ?? "it was stopped").replace(/[.\s]+$/, "")}. Started again in ${wait / 1000} s.`,
    )
    yield* Effect.sleep(wait)
  }
})

/**
 * Indexes all chains until it is interrupted; then each worker ends its transaction, within a few seconds. Never fails.
 */
export const run = (options: Options): Effect.Effect<never> => {
  const { onEvent = () => Effect.void } = options
  return Effect.andThen(
    Effect.forEach(options.plans, (plan) => supervise(plan, onEvent), { concurrency: "unbounded", discard: true }),
    Effect.never,
  )
}

/**
 * Indexes all chains for as long as the layer lives.
 */
export const layer = (options: Options): Layer.Layer<never> => Layer.effectDiscard(Effect.forkScoped(run(options)))
