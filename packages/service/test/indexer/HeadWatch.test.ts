import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as HeadWatch from "../../src/indexer/HeadWatch.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"

const failure = new NodeFailed({ message: "Gone.", isMisconfigured: false, pace: "soon", cause: null as never })

/** A watch with an interval of two seconds beside work that ends on demand. */
const setup = Effect.gen(function* () {
  const node = { polls: 0, isGone: false, responseMillis: 0 }
  const seen: Array<number> = []
  const over = yield* Deferred.make<string>()
  const hooks: { onProgress: Effect.Effect<void> } = { onProgress: Effect.void }
  const head = Effect.suspend(() => {
    node.polls += 1
    const response = node.isGone
      ? Effect.fail(failure)
      : Effect.succeed({ number: node.polls, hash: "0x", parentHash: "0x" })
    return Effect.delay(response, node.responseMillis)
  })
  const onHead = (nodeHead: number) => Effect.sync(() => void seen.push(nodeHead))
  const fiber = yield* Effect.forkScoped(
    HeadWatch.during({ node: { head }, pollMillis: 2_000, onHead }, (onProgress) => {
      hooks.onProgress = onProgress
      return Deferred.await(over)
    }),
  )
  return { node, seen, over, fiber, hooks }
})

describe("HeadWatch", () => {
  it.effect("during: polls the head at each interval while the work makes progress, and stops with it", () =>
    Effect.gen(function* () {
      const { fiber, hooks, over, seen } = yield* setup
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        yield* hooks.onProgress
      }
      yield* Deferred.succeed(over, "done")

      expect(yield* Fiber.join(fiber)).toBe("done")
      expect(seen).toHaveLength(30)
      yield* TestClock.adjust("60 seconds")
      expect(seen).toHaveLength(30)
    }),
  )

  it.effect("during: does not poll during work that ends within the interval", () =>
    Effect.gen(function* () {
      const { fiber, node, over } = yield* setup
      yield* TestClock.adjust("1999 millis")
      yield* Deferred.succeed(over, "done")
      yield* Fiber.join(fiber)

      expect(node.polls).toBe(0)
    }),
  )

  it.effect(
    "during: polls less and less often, at most once a minute, while nothing is stored; then again at each interval",
    () =>
      Effect.gen(function* () {
        const { hooks, node } = yield* setup
        const perMinute: Array<number> = []
        for (let minute = 0; minute < 5; minute++) {
          const before = node.polls
          yield* TestClock.adjust("60 seconds")
          perMinute.push(node.polls - before)
        }
        expect(perMinute).toEqual([30, 3, 1, 1, 1])

        yield* hooks.onProgress
        yield* TestClock.adjust("60 seconds")
        const before = node.polls
        for (let second = 0; second < 10; second++) {
          yield* hooks.onProgress
          yield* TestClock.adjust("1 second")
        }
        expect(node.polls - before).toBe(5)
      }),
  )

  it.effect("during: polls at the interval even if the node responds slowly", () =>
    Effect.gen(function* () {
      const { hooks, node } = yield* setup
      node.responseMillis = 1_200
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        yield* hooks.onProgress
      }
      expect(node.polls).toBe(30)
    }),
  )

  it.effect("during: skips a failed poll", () =>
    Effect.gen(function* () {
      const { node, seen } = yield* setup
      node.isGone = true
      yield* TestClock.adjust("6 seconds")
      node.isGone = false
      yield* TestClock.adjust("2 seconds")

      expect(seen).toEqual([4])
    }),
  )
})
