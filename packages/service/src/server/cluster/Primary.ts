/**
 * Serves one port by several processes: starts them, restarts one that ends or hangs, and keeps what they share, which is the
 * configuration, the limits of API keys and the metrics. Node's cluster module gives each new connection to one of them in turn.
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
import * as Restart from "../../supervision/Restart.ts"
import * as RateLimit from "../admission/RateLimit.ts"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import * as Collector from "./Collector.ts"
import * as Configuration from "./Configuration.ts"
import * as Heartbeat from "./Heartbeat.ts"
import type { FromMember, FromPrimary } from "./Message.ts"

/** A serving process ended before it listened; it has printed the reason. */
export class ProcessNotStarted extends Data.TaggedError("ProcessNotStarted")<{ readonly message: string }> {}

/** Seconds beyond those of its open requests that a process has to stop. */
const stopSeconds = 2

type TakeMessage = Extract<FromMember, { readonly _tag: "Take" }>

/** Takes tokens from the buckets of this process. */
type Take = (message: TakeMessage) => readonly [remaining: number, elapsedMillis: number]

const makeTake: Effect.Effect<Take> = Effect.gen(function* () {
  const context = yield* Effect.scoped(Layer.build(RateLimiter.layerStoreMemory))
  const store = Context.get(context, RateLimiter.RateLimiterStore)
  const clock = RateLimit.monotonic(yield* Clock.Clock)
  const run = Effect.runSyncWith(Context.make(Clock.Clock, clock))
  return ({ key, limit, refillMillis, tokens }) =>
    run(store.tokenBucket({ key, tokens, limit, refillRate: Duration.millis(refillMillis), allowOverflow: false }))
})

interface Running {
  readonly worker: Worker
  /** Base URL at which it listens; `null` where it ended before. */
  readonly ready: Promise<string | null>
  /** How it ended. */
  readonly ended: Promise<string>
  /** Waits until it does not answer any more. */
  readonly untilHung: Effect.Effect<void>
}

/** Makes what starts a process and answers what it asks of the others. */
const makeStart = (take: Take, ownMetrics: () => string, configuration: Configuration.Configuration) => {
  const peers = new Set<Collector.Peer>()
  const collector = Collector.make()

  const handle = (peer: Collector.Peer, message: Exclude<FromMember, { readonly _tag: "Ready" | "Pong" }>) => {
    if (message._tag === "Take") {
      const [remaining, elapsedMillis] = take(message)
      peer.send({ _tag: "Taken", id: message.id, remaining, elapsedMillis })
    }
    if (message._tag === "Collect") {
      const others = [...peers].filter((other) => other !== peer)
      collector.collect(peer, message.id, others, ownMetrics())
    }
    if (message._tag === "OwnMetrics") collector.add(peer, message.id, message.text)
    if (message._tag === "RequestConfiguration") {
      peer.send({ _tag: "Configuration", id: message.id, file: configuration.current() })
    }
    if (message._tag === "Reloaded") configuration.answered(message.id, message.issue)
  }

  return (): Running => {
    const worker = cluster.fork()
    // A process that has ended is not connected any more.
    const send = (message: FromPrimary) => void (worker.isConnected() && worker.send(message, () => undefined))
    const peer = { send }
    configuration.add(peer)
    const pings: Heartbeat.Pings = { unanswered: 0 }
    const ready = new Promise<string | null>((resolve) => {
      worker.on("message", (message: FromMember) => {
        if (message._tag === "Ready") {
          peers.add(peer)
          resolve(message.url)
        } else if (message._tag === "Pong") pings.unanswered = 0
        else handle(peer, message)
      })
      worker.on("exit", () => resolve(null))
    })
    const ended = new Promise<string>((resolve) => {
      worker.on("exit", (code, signal) => {
        peers.delete(peer)
        collector.remove(peer)
        configuration.remove(peer)
        resolve(signal === null ? `exit code ${code}` : String(signal))
      })
    })
    return { worker, ready, ended, untilHung: Heartbeat.untilHung(pings, () => send({ _tag: "Ping", id: 0 })) }
  }
}

/** Kills a process once it hangs; gives that as the reason of its end. */
const killHung = ({ untilHung, worker }: Running): Effect.Effect<string> =>
  Effect.map(untilHung, () => {
    worker.process.kill("SIGKILL")
    return `no answer for ${Heartbeat.hungSeconds} s`
  })

const stop = ({ ended, worker }: Running, drainSeconds: number): Effect.Effect<void> =>
  Effect.sync(() => void worker.process.kill("SIGTERM")).pipe(
    Effect.andThen(Effect.promise(() => ended)),
    Effect.timeoutOrElse({
      duration: Duration.seconds(drainSeconds + stopSeconds),
      orElse: () => Effect.sync(() => void worker.process.kill("SIGKILL")),
    }),
    Effect.asVoid,
  )

/** Completed with the base URL when a process first listens. */
type Started = Deferred.Deferred<string, ProcessNotStarted>

/** Runs a process until it ends, and gives why; interruption stops it. One that ends before it first listened is not restarted. */
const runOnce = Effect.fnUntraced(function* (start: () => Running, started: Started, drainSeconds: number) {
  const running = yield* Effect.acquireRelease(Effect.sync(start), (one) => stop(one, drainSeconds))
  const url = yield* Effect.promise(() => running.ready)
  if (url !== null) yield* Deferred.succeed(started, url)
  const ended = Effect.promise(() => running.ended)
  const how = yield* url === null ? ended : Effect.raceFirst(killHung(running), ended)
  const reason = `${how} (pid ${running.worker.process.pid ?? "unknown"})`
  // Without effect once it has listened.
  const message = `A serving process did not start: ${reason}. See its message above.`
  const isNotStarted = yield* Deferred.fail(started, new ProcessNotStarted({ message }))
  return isNotStarted ? yield* Effect.never : reason
}, Effect.scoped)

/** Starts a process that is restarted until the scope ends; gives its base URL once it listens. */
const startSupervised = Effect.fnUntraced(function* (start: () => Running, drainSeconds: number) {
  const started: Started = yield* Deferred.make<string, ProcessNotStarted>()
  yield* Effect.forkScoped(Restart.forever("A serving process", runOnce(start, started, drainSeconds)))
  return yield* Deferred.await(started)
})

/** How to serve. */
export interface Options {
  readonly processes: number
  /** Seconds of open requests when the processes stop. */
  readonly drainSeconds: number
  /** Metrics of this process, which are added to those of the others. */
  readonly ownMetrics: () => string
  /** The configuration that they begin with. */
  readonly file: ConfigFile
}

/** Processes that all listen. */
export interface Serving extends Pick<Configuration.Configuration, "replace"> {
  /** Their base URL. */
  readonly url: string
}

/**
 * Serves by some processes, each with the command line of this one, until the scope ends.
 *
 * **Errors**
 * - `ProcessNotStarted`: a process ended before it listened, because of its configuration or because the port is in use.
 */
export const run = Effect.fn("Primary.run")(function* ({
  drainSeconds,
  file,
  ownMetrics,
  processes,
}: Options): Effect.fn.Return<Serving, ProcessNotStarted, Scope.Scope> {
  const configuration = Configuration.make(file)
  const start = makeStart(yield* makeTake, ownMetrics, configuration)
  // The processes stop at the same time: each has its own open requests.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  // What is wrong with the configuration is reported by the first process alone.
  const url = yield* Scope.provide(startSupervised(start, drainSeconds), scope)
  const others = Array.from({ length: processes - 1 }, () => Scope.provide(startSupervised(start, drainSeconds), scope))
  yield* Effect.all(others, { concurrency: "unbounded", discard: true })
  return { url, replace: configuration.replace }
})
