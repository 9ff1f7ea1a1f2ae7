/** Metrics of a client: calls, their duration, retries, requests and the sizes of batches. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { CallError } from "../RpcError.ts"

/** Boundaries at powers of two from 1, and one for everything above. `Metric.exponentialBoundaries` would add too much to a bundle. */
const powersOfTwo = (count: number): ReadonlyArray<number> => [
  ...Array.from({ length: count }, (_, at) => 2 ** at),
  Number.POSITIVE_INFINITY,
]

type Attributes = Readonly<Record<string, string>>

type Make = (attributes: Attributes) => Metric.Metric<number, unknown>

/** `Metric.withAttributes` would add too much to a bundle. */
const all = {
  calls: (attributes) =>
    Metric.counter("daybook_rpc_calls", {
      description: "Completed calls, by method and outcome.",
      incremental: true,
      attributes,
    }),
  latency: (attributes) =>
    Metric.histogram("daybook_rpc_call_millis", {
      description: "Duration of a call with all its attempts in milliseconds, by method.",
      boundaries: powersOfTwo(15),
      attributes,
    }),
  retries: (attributes) =>
    Metric.counter("daybook_rpc_retries", {
      description: "Attempts after the first, by method and kind of the preceding error.",
      incremental: true,
      attributes,
    }),
  requests: (attributes) =>
    Metric.counter("daybook_rpc_requests", {
      description: "HTTP requests, by host and outcome.",
      incremental: true,
      attributes,
    }),
  fill: (attributes) =>
    Metric.histogram("daybook_rpc_batch_calls", {
      description: "Calls per HTTP request, by host.",
      boundaries: powersOfTwo(10),
      attributes,
    }),
} satisfies Readonly<Record<string, Make>>

/** Series made so far. They are cached because making one sorts and joins its attributes. */
const series = new Map<string, Metric.Metric<number, unknown>>()

const update = (
  name: keyof typeof all,
  attributes: Attributes,
  value: number,
  context: Context.Context<never>,
): void => {
  const key = [name, ...Object.values(attributes)].join(" ")
  let metric = series.get(key)
  if (metric === undefined) {
    metric = all[name](attributes)
    series.set(key, metric)
  }
  metric.updateUnsafe(value, context)
}

/** A label of bounded cardinality, since callers can call methods of any name. */
export const methodLabel = (method: string): string => (RpcMethod.isName(method) ? method : "other")

/** The label of an error. */
export const kindOf = (error: CallError): string => (error._tag === "RpcError" ? error.kind : error._tag)

export const called = (name: string, kind: string, tookMillis: number, context: Context.Context<never>): void => {
  const method = methodLabel(name)
  update("calls", { method, kind }, 1, context)
  update("latency", { method }, tookMillis, context)
}

export const retried = (name: string, kind: string, context: Context.Context<never>): void =>
  update("retries", { method: methodLabel(name), kind }, 1, context)

export const requested = (host: string, outcome: string, calls: number, context: Context.Context<never>): void => {
  update("requests", { host, outcome }, 1, context)
  update("fill", { host }, calls, context)
}
