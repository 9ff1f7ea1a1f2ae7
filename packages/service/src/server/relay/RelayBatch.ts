/**
 * Runs the calls of a batch with limited concurrency, within the bytes that their results may have together.
 *
 * Source: decisions 0016 and 0039.
 */
import * as Effect from "effect/Effect"
import type { Bounds } from "../admission/Bounds.ts"
import type * as InFlight from "../admission/InFlight.ts"
import type * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import type * as RelayCall from "./RelayCall.ts"
import * as RelayResponse from "./RelayResponse.ts"

/** Maximum number of concurrent calls of a batch. */
const maxConcurrency = 8

/** Runs one call. */
export type Run = (item: JsonRpcEnvelope.Item) => Effect.Effect<RelayCall.Outcome>

/** Runs calls; returns the responses to those with an id. */
export const run = (
  items: ReadonlyArray<JsonRpcEnvelope.Item>,
  call: Run,
  client: InFlight.Client,
  { batchCalls, limits, responses }: Bounds["Service"],
): Effect.Effect<ReadonlyArray<RelayResponse.CallResponse>> =>
  Effect.acquireUseRelease(
    Effect.sync(() => responses.hold(client)),
    (held) => {
      const within = RelayResponse.bounded(limits.batchBytes, held)
      // The queue rejects nothing.
      const inQueue = (item: JsonRpcEnvelope.Item) =>
        Effect.catchTag(batchCalls.run(client.key, call(item)), "QueueFull", Effect.die)
      return Effect.forEach(items, (item) => Effect.map(inQueue(item), within), { concurrency: maxConcurrency })
    },
    ({ release }) => Effect.sync(release),
  ).pipe(
    Effect.map((outcomes) => items.flatMap(({ id }, at) => (id === undefined ? [] : [{ id, outcome: outcomes[at]! }]))),
  )
