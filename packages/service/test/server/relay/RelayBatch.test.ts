import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import * as Limits from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import type * as JsonRpcEnvelope from "../../../src/server/relay/JsonRpcEnvelope.ts"
import * as RelayBatch from "../../../src/server/relay/RelayBatch.ts"
import * as RelayCall from "../../../src/server/relay/RelayCall.ts"

const limits = Schema.decodeUnknownSync(Limits.Limits)({})

const client = { key: "a", address: "192.0.2.1" }

const items = Array.from({ length: 20 }, (_, at): JsonRpcEnvelope.Item => ({
  _tag: "Call",
  id: String(at),
  method: "eth_chainId",
  params: [],
}))

const makeBounds = () =>
  Bounds.make(
    limits,
    Turns.make(() => 0),
  )

/** Calls that run until they are ended, by the key for which they do. */
const makeCalls = () => {
  const running: Array<{ readonly key: string; readonly end: () => void }> = []
  const callOf = (key: string): RelayBatch.Run => {
    return () =>
      Effect.callback((resume) => {
        const own = { key, end: () => resume(Effect.succeed(RelayCall.noResult)) }
        running.push(own)
      })
  }
  /** Ends the calls that have run the longest; the next ones begin. */
  const end = (count: number) =>
    Effect.gen(function* () {
      for (const { end } of running.splice(0, count)) end()
      for (let turn = 0; turn < 4; turn++) yield* Effect.yieldNow
    })
  const keys = () => running.map(({ key }) => key)
  return { callOf, end, keys }
}

describe("RelayBatch", () => {
  it.effect("run: relays 8 calls of a batch at the same time, and gives a response to each", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const { callOf, end, keys } = makeCalls()
      const fiber = yield* Effect.forkChild(RelayBatch.run(items, callOf("a"), client, bounds))
      yield* end(0)
      const counts = [keys().length]
      while (keys().length > 0) {
        yield* end(8)
        counts.push(keys().length)
      }

      expect(counts).toEqual([8, 8, 4, 0])
      expect((yield* Fiber.join(fiber)).map(({ id }) => id)).toEqual(items.map(({ id }) => id))
    }),
  )

  it.effect("run: relays 8 calls of all batches of a key at the same time, and no key waits for those of another", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const { callOf, end, keys } = makeCalls()
      const batchOf = (key: string) =>
        Effect.forkChild(RelayBatch.run(items, callOf(key), { key, address: "192.0.2.1" }, bounds))
      for (let count = 0; count < 40; count++) yield* batchOf("many")
      yield* end(0)
      const before = keys()
      // None of those calls has ended, as where a node does not respond.
      yield* batchOf("one")
      yield* end(0)

      expect(before).toEqual(Array.from({ length: 8 }, () => "many"))
      expect(keys().slice(8)).toEqual(Array.from({ length: 8 }, () => "one"))
    }),
  )

  it.effect("run: calls of a batch whose client has left make room, and those that waited do not begin", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const fibers = yield* Effect.forEach(items, () =>
        Effect.forkChild(RelayBatch.run(items, () => Effect.never, client, bounds)),
      )
      yield* Effect.yieldNow
      expect(bounds.batchCalls.size()).toEqual({ running: 8, waiting: 20 * 8 - 8 })
      yield* Effect.forEach(fibers, Fiber.interrupt)

      expect(bounds.batchCalls.size()).toEqual({ running: 0, waiting: 0 })
    }),
  )
})
