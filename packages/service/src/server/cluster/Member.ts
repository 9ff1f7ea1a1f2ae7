/**
 * One of several serving processes on a port: configuration, API key limits and metrics, which it shares with the others through the
 * primary process.
 */
import cluster from "node:cluster"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as RateLimiter from "effect/persistence/RateLimiter"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import * as Requests from "../../supervision/Requests.ts"
import type { ToMember, ToPrimary } from "./Message.ts"

/** State that a serving process shares with the others. */
export interface Member {
  /** Buckets shared by all processes. */
  readonly rateLimiterStore: RateLimiter.RateLimiterStore["Service"]
  /** Metrics of the other processes, in the text format of Prometheus. */
  readonly otherMetrics: Effect.Effect<ReadonlyArray<string>>
  /** Sets the function that reports metrics when another process requests them. */
  readonly report: (metrics: () => string) => void
  /** Initial configuration of all processes. */
  readonly configuration: Effect.Effect<ConfigFile>
  /** Sets the listener that applies another configuration, and reports the reason if it cannot. */
  readonly onReload: (listener: (file: ConfigFile, report: (issue: string | null) => void) => void) => void
  /** Reports that this process listens at a base URL. */
  readonly ready: (url: string) => Effect.Effect<void>
}

/** The part of `process` that is connected to the primary process. */
export interface Channel {
  readonly send: (message: Requests.Message) => void
  readonly onMessage: (listener: (message: Requests.Message) => void) => void
}

/** A limiter algorithm other than the one that `RateLimit` uses. */
const unused = () => Effect.die(new Error("Only the token bucket is shared between processes."))

/** Makes a member on a channel to its primary process. */
export const make = ({ onMessage, send }: Channel): Member => {
  let metrics = () => ""
  let reload: Parameters<Member["onReload"]>[0] = (_, report) => report(null)
  const primary = Requests.make<ToMember, ToPrimary>(send, {
    ping: () => Effect.succeed(null),
    metrics: () => Effect.sync(() => metrics()),
    reload: (file) => Effect.callback((resume) => reload(file, (issue) => resume(Effect.succeed(issue)))),
  })
  onMessage(primary.receive)
  return {
    rateLimiterStore: {
      fixedWindow: unused,
      adaptiveConsume: unused,
      adaptiveFeedback: unused,
      tokenBucket: ({ key, limit, refillRate, tokens }) =>
        Effect.orDie(primary.send("take", { key, tokens, limit, refillMillis: Duration.toMillis(refillRate) })),
    },
    otherMetrics: Effect.orDie(primary.send("collect", null)),
    configuration: Effect.orDie(primary.send("configuration", null)),
    onReload: (listener) => {
      reload = listener
    },
    report: (next) => {
      metrics = next
    },
    ready: (url) => Effect.orDie(primary.send("ready", url)),
  }
}

/** The channel of a process to the one that started it. */
export const channelOf = (self: Pick<NodeJS.Process, "send" | "on">): Channel => ({
  // The connection only closes when the primary process has ended, and this process then ends too.
  send: (message) => void self.send?.(message, undefined, undefined, () => undefined),
  onMessage: (listener) => void self.on("message", listener),
})

/** This process as a member; `undefined` if it was not started by a primary process. */
export const current = (): Member | undefined => (cluster.isWorker ? make(channelOf(process)) : undefined)
