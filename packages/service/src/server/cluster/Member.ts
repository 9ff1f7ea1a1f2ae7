/**
 * A serving process of several on one port: the configuration, the limits of API keys and the metrics that it shares with the others
 * through the primary process.
 */
import cluster from "node:cluster"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as RateLimiter from "effect/persistence/RateLimiter"
import type { ConfigFile } from "../../config/ConfigFile.ts"
import type { FromMember, FromPrimary } from "./Message.ts"

/** What a serving process shares with the others. */
export interface Member {
  /** Buckets that all processes share. */
  readonly rateLimiterStore: RateLimiter.RateLimiterStore["Service"]
  /** Metrics of the other processes, in the text format of Prometheus. */
  readonly otherMetrics: Effect.Effect<ReadonlyArray<string>>
  /** Sets what this process reports when another one requests metrics. */
  readonly report: (metrics: () => string) => void
  /** The configuration of all processes, to begin with. */
  readonly configuration: Effect.Effect<ConfigFile>
  /** Sets what is called with another configuration and what reports that it was taken over, or why it was not. */
  readonly onReload: (listener: (file: ConfigFile, report: (issue: string | null) => void) => void) => void
  /** Reports that this process listens at a base URL. */
  readonly ready: (url: string) => Effect.Effect<void>
}

/** The part of `process` that is connected to the primary process. */
export interface Channel {
  readonly send: (message: FromMember) => void
  readonly onMessage: (listener: (message: FromPrimary) => void) => void
}

type Response = Extract<FromPrimary, { readonly _tag: "Taken" | "Collected" | "Configuration" }>

/** A limiter of another algorithm than the one that `RateLimit` uses. */
const unused = () => Effect.die(new Error("Only the token bucket is shared between processes."))

/** Makes a member on a channel to its primary process. */
export const make = ({ onMessage, send }: Channel): Member => {
  const pending = new Map<number, (response: Response) => void>()
  let lastId = 0
  let metrics = () => ""
  let reload: Parameters<Member["onReload"]>[0] = (_, report) => report(null)

  onMessage((message) => {
    if (message._tag === "Ping") return send({ _tag: "Pong", id: message.id })
    if (message._tag === "RequestMetrics") return send({ _tag: "OwnMetrics", id: message.id, text: metrics() })
    if (message._tag === "Reload") {
      return reload(message.file, (issue) => send({ _tag: "Reloaded", id: message.id, issue }))
    }
    pending.get(message.id)?.(message)
    pending.delete(message.id)
  })

  /** Sends a request and waits for its response. */
  const request = <T extends Response["_tag"]>(
    tag: T,
    requestOf: (id: number) => FromMember,
  ): Effect.Effect<Extract<Response, { readonly _tag: T }>> =>
    Effect.callback((resume) => {
      const id = ++lastId
      pending.set(id, (response) => {
        const isExpected = (given: Response): given is Extract<Response, { readonly _tag: T }> => given._tag === tag
        resume(isExpected(response) ? Effect.succeed(response) : Effect.die(new Error(`Expected ${tag}.`)))
      })
      send(requestOf(id))
      return Effect.sync(() => void pending.delete(id))
    })

  return {
    rateLimiterStore: {
      fixedWindow: unused,
      adaptiveConsume: unused,
      adaptiveFeedback: unused,
      tokenBucket: ({ key, limit, refillRate, tokens }) =>
        Effect.map(
          request("Taken", (id) => ({
            _tag: "Take",
            id,
            key,
            tokens,
            limit,
            refillMillis: Duration.toMillis(refillRate),
          })),
          ({ elapsedMillis, remaining }) => [remaining, elapsedMillis] as const,
        ),
    },
    otherMetrics: Effect.map(
      request("Collected", (id) => ({ _tag: "Collect", id })),
      ({ texts }) => texts,
    ),
    configuration: Effect.map(
      request("Configuration", (id) => ({ _tag: "RequestConfiguration", id })),
      ({ file }) => file,
    ),
    onReload: (listener) => {
      reload = listener
    },
    report: (next) => {
      metrics = next
    },
    ready: (url) => Effect.sync(() => send({ _tag: "Ready", url })),
  }
}

/** The channel of a process to the one that started it. */
export const channelOf = (self: Pick<NodeJS.Process, "send" | "on">): Channel => ({
  // The connection is closed only when the primary process has ended, and this one ends then too.
  send: (message) => void self.send?.(message, undefined, undefined, () => undefined),
  onMessage: (listener) => void self.on("message", listener),
})

/** This process as a member; `undefined` where it was not started by a primary process. */
export const current = (): Member | undefined => (cluster.isWorker ? make(channelOf(process)) : undefined)
