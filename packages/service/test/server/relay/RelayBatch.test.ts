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

/** Calls that run until they are ended, by key. */
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
  it.effect("run: relays 8 calls of a batch at the same time, and returns a response to each", () =>
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

  it.effect("run: keys with batches share 64 concurrent calls, and no key waits for another's", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const { callOf, end, keys } = makeCalls()
      const batchOf = (key: string) =>
        Effect.forkChild(RelayBatch.run(items, callOf(key), { key, address: "192.0.2.1" }, bounds))
      const countOf = (key: string) => keys().filter((own) => own === key).length
      for (let count = 0; count < 40; count++) yield* batchOf("many")
      yield* end(0)
      const alone = countOf("many")
      // None of those calls has ended, as with an unresponsive node.
      for (let other = 0; other < 99; other++) yield* batchOf(`other-${other}`)
      yield* end(0)
      const beside = [countOf("other-0"), countOf("other-98")]
      const before = keys().length
      // Those of the first key end: it has the same share as the others.
      yield* end(64)

      expect([alone, ...beside]).toEqual([64, 8, 3])
      expect(countOf("many")).toBe(3)
      expect(before - keys().length).toBe(64 - 3)
    }),
  )

  it.effect("run: calls of a batch whose client disconnected make room, and waiting ones do not begin", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const fibers = yield* Effect.forEach(items, () =>
        Effect.forkChild(RelayBatch.run(items, () => Effect.never, client, bounds)),
      )
      yield* Effect.yieldNow
      expect(bounds.batchCalls.size()).toEqual({ running: 64, waiting: 20 * 8 - 64 })
      yield* Effect.forEach(fibers, Fiber.interrupt)

      expect(bounds.batchCalls.size()).toEqual({ running: 0, waiting: 0 })
    }),
  )
})
