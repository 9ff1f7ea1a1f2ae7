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

describe("RelayBatch", () => {
  it.effect.each([
    { keys: 0, own: 0, calls: 8 },
    { keys: 7, own: 0, calls: 8 },
    { keys: 0, own: 15, calls: 4 },
    { keys: 1, own: 200, calls: 1 },
    { keys: 15, own: 0, calls: 4 },
    { keys: 100, own: 0, calls: 3 },
    { keys: 100, own: 1, calls: 1 },
  ])("run: relays $calls calls at the same time beside batches of $keys other keys and $own of its own", (beside) =>
    Effect.gen(function* () {
      const { calls, keys, own } = beside
      const bounds = makeBounds()
      for (let at = 0; at < keys; at++) bounds.batches.set(`other-${at}`, 50)
      if (own > 0) bounds.batches.set(client.key, own)
      const before = [...bounds.batches]
      let [running, most] = [0, 0]
      const call = () =>
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          yield* Effect.yieldNow
          running--
          return RelayCall.noResult
        })

      const responses = yield* RelayBatch.run(items, call, client, bounds)

      expect(most).toBe(calls)
      expect(responses).toHaveLength(20)
      expect([...bounds.batches]).toEqual(before)
    }),
  )

  it.effect("run: a batch whose client has left does not count any longer", () =>
    Effect.gen(function* () {
      const bounds = makeBounds()
      const fiber = yield* Effect.forkChild(RelayBatch.run(items, () => Effect.never, client, bounds))
      yield* Effect.yieldNow
      expect([...bounds.batches]).toEqual([["a", 1]])
      yield* Fiber.interrupt(fiber)

      expect([...bounds.batches]).toEqual([])
    }),
  )
})
