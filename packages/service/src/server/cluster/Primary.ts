/**
 * Serves one port with several processes: starts them, restarts one that ends or hangs, and holds their shared state: configuration, API
 * key limits and metrics. Node's cluster module assigns each new connection to one of them in turn.
 *
 * Source: decision 0042.
 */
import cluster, { type Worker } from "node:cluster"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Scope from "effect/Scope"
import * as Requests from "../../supervision/Requests.ts"
import * as Restart from "../../supervision/Restart.ts"
import * as RateLimit from "../admission/RateLimit.ts"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import * as Configuration from "./Configuration.ts"
import * as Heartbeat from "./Heartbeat.ts"
import type { Peer, Take, ToMember, ToPrimary } from "./Message.ts"
import * as UnansweredConnection from "./UnansweredConnection.ts"

/** A serving process ended before it listened, and has printed the reason. */
export class ProcessNotStarted extends Data.TaggedError("ProcessNotStarted")<{
  readonly message: string
  /** Its exit code; `null` if a signal ended it. */
  readonly exitCode: number | null
}> {}

/** Seconds that a process has to stop, in addition to those for its open requests. */
const stopSeconds = 2

/** Takes tokens from the buckets of this process. */
type TakeTokens = (take: Take) => Effect.Effect<readonly [remaining: number, elapsedMillis: number]>

const makeTake: Effect.Effect<TakeTokens> = Effect.gen(function* () {
  const context = yield* Effect.scoped(Layer.build(RateLimiter.layerStoreMemory))
  const store = Context.get(context, RateLimiter.RateLimiterStore)
  const clock = RateLimit.monotonic(yield* Clock.Clock)
  return ({ key, limit, refillMillis, tokens }) =>
    Effect.provideService(
      Effect.orDie(
        store.tokenBucket({ key, tokens, limit, refillRate: Duration.millis(refillMillis), allowOverflow: false }),
      ),
      Clock.Clock,
      clock,
    )
})

/** Time limit for the metrics of other processes. A process that does not respond in time, or has ended, is skipped. */
const metricsTimeout = "1 second"

/** Metrics of some processes. */
const collect = (peers: ReadonlyArray<Peer>): Effect.Effect<ReadonlyArray<string>> => {
  const metricsOf = (peer: Peer) => Effect.option(Effect.timeout(peer.send("metrics", null), metricsTimeout))
  return Effect.map(Effect.forEach(peers, metricsOf, { concurrency: "unbounded" }), (found) =>
    found.flatMap((text) => (text._tag === "Some" ? [text.value] : [])),
  )
}

interface Running {
  readonly worker: Worker
  /** Base URL at which it listens; `null` if it ended before. */
  readonly ready: Effect.Effect<string | null>
  /** How it ended. */
  readonly ended: Effect.Effect<string>
  /** Waits until it stops responding. */
  readonly untilHung: Effect.Effect<void>
}

/** Makes the function that starts a process and responds to its requests. */
const makeStart = Effect.fnUntraced(function* (
  take: TakeTokens,
  ownMetrics: () => string,
  configuration: Configuration.Configuration,
) {
  const services = yield* Effect.context<never>()
  const listening = new Set<Peer>()

  return (): Running => {
    const worker = cluster.fork()
    UnansweredConnection.closeAtEnd(worker.process)
    const ready = Deferred.makeUnsafe<string | null>()
    const ended = Deferred.makeUnsafe<string>()
    // A message to an ended process is lost.
    const post = (message: Requests.Message) => void worker.send(message, () => undefined)
    const handlers: Requests.Handlers<ToPrimary> = {
      take,
      collect: () =>
        Effect.map(collect([...listening].filter((other) => other !== peer)), (texts) => {
          const own = ownMetrics()
          return own === "" ? texts : [own, ...texts]
        }),
      configuration: () => Effect.sync(configuration.current),
      ready: (url) =>
        Effect.sync(() => {
          listening.add(peer)
          Deferred.doneUnsafe(ready, Effect.succeed(url))
          return null
        }),
    }
    const peer: Peer = Requests.make<ToPrimary, ToMember>(post, handlers, services)
    configuration.add(peer)
    worker.on("message", peer.receive)
    worker.on("exit", (code, signal) => {
      const reason = signal === null ? `exit code ${code}` : String(signal)
      listening.delete(peer)
      configuration.remove(peer)
      peer.end(reason)
      Deferred.doneUnsafe(ready, Effect.succeed(null))
      Deferred.doneUnsafe(ended, Effect.succeed(reason))
    })
    const untilHung = Heartbeat.untilHung(peer.send("ping", null))
    return { worker, ready: Deferred.await(ready), ended: Deferred.await(ended), untilHung }
  }
})

/** Kills a process once it hangs, and returns that as the reason of its end. */
const killHung = ({ untilHung, worker }: Running): Effect.Effect<string> =>
  Effect.map(untilHung, () => {
    worker.process.kill("SIGKILL")
    return `no answer for ${Heartbeat.hungSeconds} s`
  })

const stop = ({ ended, worker }: Running, drainSeconds: number): Effect.Effect<void> =>
  Effect.sync(() => void worker.process.kill("SIGTERM")).pipe(
    Effect.andThen(ended),
    Effect.timeoutOrElse({
      duration: Duration.seconds(drainSeconds + stopSeconds),
      orElse: () => Effect.sync(() => void worker.process.kill("SIGKILL")),
    }),
    Effect.asVoid,
  )

/** Completed with the base URL when a process first listens. */
type Started = Deferred.Deferred<string, ProcessNotStarted>

/**
 * Runs a process until it ends, and returns the reason; interruption stops it. A process that ends before it first listened is not
 * restarted.
 */
const runOnce = Effect.fnUntraced(function* (start: () => Running, started: Started, drainSeconds: () => number) {
  const running = yield* Effect.acquireRelease(Effect.sync(start), (one) => stop(one, drainSeconds()))
  const url = yield* running.ready
  if (url !== null) yield* Deferred.succeed(started, url)
  const how = yield* Effect.raceFirst(killHung(running), running.ended)
  const reason = `${how} (pid ${running.worker.process.pid ?? "unknown"})`
  // Has no effect once it has listened.
  const message = `A serving process did not start: ${reason}. See its message above.`
  const { exitCode } = running.worker.process
  const isNotStarted = yield* Deferred.fail(started, new ProcessNotStarted({ message, exitCode }))
  return isNotStarted ? yield* Effect.never : reason
}, Effect.scoped)

/** Starts a process that is restarted until the scope ends; returns its base URL once it listens. */
const startSupervised = Effect.fnUntraced(function* (start: () => Running, drainSeconds: () => number) {
  const started: Started = yield* Deferred.make<string, ProcessNotStarted>()
  yield* Effect.forkScoped(Restart.forever("A serving process", runOnce(start, started, drainSeconds)))
  return yield* Deferred.await(started)
})

/** How to serve. */
export interface Options {
  readonly processes: number
  /** Metrics of this process, added to those of the others. */
  readonly ownMetrics: () => string
  /** Their initial configuration. */
  readonly file: ConfigFile
}

/** Processes that all listen. */
export interface Serving extends Pick<Configuration.Configuration, "replace"> {
  /** Their base URL. */
  readonly url: string
}

/**
 * Serves with several processes, each with the command line of this one, until the scope ends.
 *
 * **Errors**
 * - `ProcessNotStarted`: a process ended before it listened, because of its configuration or because the port is in use.
 */
export const run = Effect.fn("Primary.run")(function* ({
  file,
  ownMetrics,
  processes,
}: Options): Effect.fn.Return<Serving, ProcessNotStarted, Scope.Scope> {
  const configuration = Configuration.make(file)
  const start = yield* makeStart(yield* makeTake, ownMetrics, configuration)
  const drainSeconds = () => configuration.current().config.limits.drainSeconds
  // The processes stop concurrently, since each has its own open requests.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  // Only the first process reports issues of the configuration.
  const url = yield* Scope.provide(startSupervised(start, drainSeconds), scope)
  const others = Array.from({ length: processes - 1 }, () => Scope.provide(startSupervised(start, drainSeconds), scope))
  yield* Effect.all(others, { concurrency: "unbounded" })
  return { url, replace: configuration.replace }
})
