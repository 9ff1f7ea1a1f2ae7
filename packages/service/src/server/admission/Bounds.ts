/**
 * What bounds the requests of all roles of a process together: its limits, the bytes in flight, and its part of each turn of the event
 * loop.
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

/** Bounds of a process. */
export class Bounds extends Context.Service<
  Bounds,
  {
    readonly limits: Limits
    readonly turns: Turns.Turns
    /** Counts the bytes of large responses that clients have not read. */
    readonly responses: InFlight.Meter
    /** Counts the bytes of request bodies that are being read. */
    readonly bodies: InFlight.Meter
    /** Counts the bytes of large responses of nodes that are being read; they are bounded where they are read. */
    readonly nodeResponses: InFlight.Meter
    /** The calls of batches of each key that are relayed at the same time. */
    readonly batchCalls: FairQueue.FairQueue
    /** Counts the open streams of events of each holder, however they are sent. */
    readonly eventStreams: OpenCounts.OpenCounts
    /** Makes sums of wallets, whatever asks for them: few of them may take memory, or keep a snapshot. */
    readonly sums: SumQueue.SumQueue
  }
>()("@daybook/service/server/Bounds") {}

/**
 * Node reads the responses of nodes before all else that it has received: thousands that arrive together would delay every other request.
 * No key waits for the calls of another, whose node may not respond. What waits is bounded by the requests that a key may have open.
 */
const batchCalls: FairQueue.Options = {
  concurrency: Infinity,
  concurrencyPerCaller: (callers) => Math.max(3, Math.floor(64 / callers)),
  maxWaitingPerCaller: Infinity,
  maxWaiting: Infinity,
}

const unbounded = { perKey: Infinity, perAddress: Infinity, total: Infinity }

/** Makes the bounds of a process with its turns. */
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

/** The bounds of a process. */
export const layer = (limits: Limits, turns: Turns.Turns): Layer.Layer<Bounds> =>
  Layer.sync(Bounds, () => make(limits, turns))
