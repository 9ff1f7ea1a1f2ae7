/**
 * Limits that the requests of all roles of a process share: its configured limits, the bytes in flight, and shares of each turn of the
 * event loop.
 *
 * Source: decision 0039.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Limits } from "../../config/Limits.ts"
import * as FairQueue from "./FairQueue.ts"
import * as InFlight from "./InFlight.ts"
import * as OpenCounts from "./OpenCounts.ts"
import * as SumQueue from "./SumQueue.ts"
import type * as Turns from "./Turns.ts"

/** Limits of a process. */
export class Bounds extends Context.Service<
  Bounds,
  {
    readonly limits: Limits
    readonly turns: Turns.Turns
    /** Counts the bytes of large responses that clients have not read. */
    readonly responses: InFlight.Meter
    /** Counts the bytes of request bodies that are being read. */
    readonly bodies: InFlight.Meter
    /** Counts the bytes of large node responses that are being read; they are limited where they are read. */
    readonly nodeResponses: InFlight.Meter
    /** Runs the batch calls of each key that are relayed concurrently. */
    readonly batchCalls: FairQueue.FairQueue
    /** Counts the open event streams of each holder, whichever way they are sent. */
    readonly eventStreams: OpenCounts.OpenCounts
    /** Computes sums of wallets for any caller: only a few may take memory or keep a snapshot. */
    readonly sums: SumQueue.SumQueue
  }
>()("@daybook/service/server/Bounds") {}

/**
 * Node.js reads node responses before anything else that it has received: thousands that arrive together would delay every other request.
 * No key waits for the calls of another key, whose node may not respond. The number of waiting calls is bounded by the open requests that a
 * key may have.
 */
const batchCalls: FairQueue.Options = {
  concurrency: Infinity,
  concurrencyPerCaller: (callers) => Math.max(3, Math.floor(64 / callers)),
  maxWaitingPerCaller: Infinity,
  maxWaiting: Infinity,
}

const unbounded = { perKey: Infinity, perAddress: Infinity, total: Infinity }

/** Makes the limits of a process with its turns. */
export const make = (limits: Limits, turns: Turns.Turns): Bounds["Service"] => ({
  limits,
  turns,
  responses: InFlight.make("limits.responsesInFlight", limits.responsesInFlight),
  bodies: InFlight.make("limits.bodiesInFlight", limits.bodiesInFlight),
  nodeResponses: InFlight.make("limits.answerBytes", unbounded),
  batchCalls: FairQueue.make(batchCalls, turns.shares),
  eventStreams: OpenCounts.make("limits.eventStreams", limits.eventStreams),
  sums: SumQueue.make(turns),
})

/** Provides the limits of a process. */
export const layer = (limits: Limits, turns: Turns.Turns): Layer.Layer<Bounds> =>
  Layer.sync(Bounds, () => make(limits, turns))
