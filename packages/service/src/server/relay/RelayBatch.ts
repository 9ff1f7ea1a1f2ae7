/**
 * Runs the calls of a batch, a few at the same time, within the bytes that their results may have together.
 *
 * Source: decisions 0016 and 0039.
 */
import * as Effect from "effect/Effect"
import type { Bounds } from "../admission/Bounds.ts"
import type * as InFlight from "../admission/InFlight.ts"
import type * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import type * as RelayCall from "./RelayCall.ts"
import * as RelayResponse from "./RelayResponse.ts"

/** Calls of a batch that are relayed at the same time at most. */
const maxConcurrency = 8

/**
 * Calls of batches that are relayed at the same time, which keys share equally. Node reads the responses of nodes before all else that it
 * has received: thousands that arrive together would delay every other request.
 */
const maxCalls = 64

/** The share of a key, however many others have batches. */
const minCallsOfKey = 3

/** Calls of a batch that are relayed at the same time where so many keys have batches, and its own key so many. */
const concurrencyOf = (keys: number, own: number): number => {
  const share = Math.max(minCallsOfKey, maxCalls / keys)
  return Math.max(1, Math.min(maxConcurrency, Math.floor(share / own)))
}

/** Runs one call. */
export type Run = (item: JsonRpcEnvelope.Item) => Effect.Effect<RelayCall.Outcome>

/** Runs calls; gives the responses to those that have an id. */
export const run = (
  items: ReadonlyArray<JsonRpcEnvelope.Item>,
  call: Run,
  client: InFlight.Client,
  { batches, limits, responses }: Bounds["Service"],
): Effect.Effect<ReadonlyArray<RelayResponse.CallResponse>> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      batches.set(client.key, (batches.get(client.key) ?? 0) + 1)
      return responses.hold(client)
    }),
    (held) => {
      const within = RelayResponse.bounded(limits.batchBytes, held)
      const concurrency = concurrencyOf(batches.size, batches.get(client.key) ?? 1)
      return Effect.forEach(items, (item) => Effect.map(call(item), within), { concurrency })
    },
    ({ release }) =>
      Effect.sync(() => {
        const left = (batches.get(client.key) ?? 1) - 1
        if (left > 0) batches.set(client.key, left)
        else batches.delete(client.key)
        release()
      }),
  ).pipe(
    Effect.map((outcomes) => items.flatMap(({ id }, at) => (id === undefined ? [] : [{ id, outcome: outcomes[at]! }]))),
  )
