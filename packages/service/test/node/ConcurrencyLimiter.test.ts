import { describe, expect, it } from "@effect/vitest"
import * as RpcClient from "@daybook/rpc/RpcClient"
import { Clock, Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as ConcurrencyLimiter from "../../src/node/ConcurrencyLimiter.ts"
import { type Response, failing, start } from "./server.ts"

const receipts: Response = () => ({ result: [] })

const limiterOf = Effect.fnUntraced(function* (url: string) {
  return yield* ConcurrencyLimiter.make(yield* RpcClient.make({ url, retry: { maxAttempts: 1 } }))
})

const callMany = ({ calls }: ConcurrencyLimiter.ConcurrencyLimiter, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => calls.eth_getBlockReceipts(index),
    { concurrency: "unbounded" },
  )

/** Applies outcomes one after another, each of a call that began just before it ended. */
const limitAfter = (outcomes: ReadonlyArray<boolean>, from = ConcurrencyLimiter.initial): ConcurrencyLimiter.Limit =>
  outcomes.reduce(
    (limit, isGood, index) =>
      ConcurrencyLimiter.step(limit, { isGood, startedAtMillis: index * 10 + 5, nowMillis: index * 10 + 9 }),
    from,
  )

const times = (count: number, isGood: boolean) => Array.from({ length: count }, () => isGood)

describe("ConcurrencyLimiter", () => {
  it("step: doubles after as many successes as the limit of concurrent calls", () => {
    expect([0, 23, 24, 71, 72].map((count) => limitAfter(times(count, true)).calls)).toEqual([24, 24, 48, 48, 96])
  })

  it("step: halves after a failure, and then grows by one at a time", () => {
    const halved = limitAfter([false])
    const next = { isGood: true, startedAtMillis: 20, nowMillis: 21 }
    const grown = Array.from({ length: 12 }, () => next).reduce(ConcurrencyLimiter.step, halved)

    expect([halved.calls, grown.calls]).toEqual([12, 13])
  })

  it("step: ignores calls that began before the last decrease", () => {
    const decreased = ConcurrencyLimiter.step(ConcurrencyLimiter.initial, {
      isGood: false,
      startedAtMillis: 0,
      nowMillis: 100,
    })

    expect(ConcurrencyLimiter.step(decreased, { isGood: false, startedAtMillis: 100, nowMillis: 120 })).toBe(decreased)
    expect(ConcurrencyLimiter.step(decreased, { isGood: false, startedAtMillis: 101, nowMillis: 120 }).calls).toBe(6)
  })

  it.effect(
    "latencyMillis: is the duration of the shortest of the recent responses, and adapts to a node that becomes distant",
    () =>
      Effect.gen(function* () {
        let millis = 400
        const batch = () =>
          Effect.as(Effect.sleep(millis), [millis === 1 ? Result.fail("refused") : Result.succeed(null)])
        // Sound: nothing else of a client is called.
        const limiter = yield* ConcurrencyLimiter.make({ batch } as unknown as RpcClient.Client)
        const respond = (duration: number, times: number) =>
          Effect.gen(function* () {
            millis = duration
            for (let at = 0; at < times; at++) {
              const fiber = yield* Effect.forkChild(limiter.batch([{ method: "eth_chainId", params: [] }]))
              yield* TestClock.adjust(duration)
              yield* Fiber.join(fiber)
            }
            return limiter.latencyMillis()
          })
        const before = limiter.latencyMillis()
        const seen = [yield* respond(400, 1), yield* respond(500, 1), yield* respond(50, 1), yield* respond(1, 1)]

        expect([before, ...seen]).toEqual([0, 400, 400, 50, 50])
        expect(yield* respond(400, 600)).toBe(400)
      }),
  )

  it.effect("batch: follows a changed maximum, immediately if it is lower", () =>
    Effect.gen(function* () {
      let [max, open, most] = [4, 0, 0]
      const batch = () =>
        Effect.gen(function* () {
          most = Math.max(most, ++open)
          yield* Effect.sleep(10)
          open -= 1
          return [Result.succeed(null)]
        })
      // Sound: nothing else of a client is called.
      const client = { batch } as unknown as RpcClient.Client
      const limiter = yield* ConcurrencyLimiter.make(client, { concurrency: () => max, maxBatchSize: 1 })
      const maxOpenOf = (calls: number) =>
        Effect.gen(function* () {
          most = 0
          const call = { method: "eth_chainId", params: [] } as const
          const fiber = yield* Effect.forkChild(limiter.batch(Array.from({ length: calls }, () => call)))
          yield* TestClock.adjust("10 seconds")
          yield* Fiber.join(fiber)
          return most
        })

      expect([yield* maxOpenOf(20), limiter.limit()]).toEqual([4, 4])
      max = 2
      expect([yield* maxOpenOf(20), limiter.limit()]).toEqual([2, 2])
      max = 100
      expect(yield* maxOpenOf(40)).toBeGreaterThan(4)
    }),
  )

  it.prop(
    "step: keeps the limit between 1 and 128, whatever the outcomes",
    {
      outcomes: Schema.Array(Schema.Boolean),
      growth: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 })),
    },
    ({ growth, outcomes }) => {
      const { calls } = limitAfter([...times(growth, true), ...outcomes])

      expect(calls).toBeGreaterThanOrEqual(1)
      expect(calls).toBeLessThanOrEqual(ConcurrencyLimiter.maxCalls)
    },
  )

  it.prop(
    "step: a success never lowers the limit and a failure never raises it",
    { outcomes: Schema.Array(Schema.Boolean) },
    ({ outcomes }) => {
      let before = ConcurrencyLimiter.initial
      for (const [index, isGood] of outcomes.entries()) {
        const after = ConcurrencyLimiter.step(before, { isGood, startedAtMillis: index * 2, nowMillis: index * 2 + 1 })
        if (isGood) expect(after.calls).toBeGreaterThanOrEqual(before.calls)
        else expect(after.calls).toBeLessThanOrEqual(before.calls)
        before = after
      }
    },
  )

  it.live("calls: share requests, each with its own result, with at most 24 in flight at first", () =>
    Effect.gen(function* () {
      const server = yield* start({
        eth_getBlockReceipts: ([number]) => ({ result: number === "0x3" ? null : [] }),
      })
      const results = yield* callMany(yield* limiterOf(server.url), 72)

      expect(results.map((result) => result === null)).toEqual(Array.from({ length: 72 }, (_, index) => index === 3))
      expect(server.calls).toHaveLength(72)
      expect(server.requests[0]).toBeLessThanOrEqual(24)
      expect(server.requests.length).toBeLessThan(72)
    }),
  )

  it.live("calls: raise the limit up to 128 while the node is fast", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: receipts })
      const limiter = yield* limiterOf(server.url)
      yield* callMany(limiter, 600)

      expect(limiter.limit()).toBe(128)
    }),
  )

  it.live("calls: all succeed even if the node rejects large requests", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: receipts })
      server.refuseAbove = 2
      const limiter = yield* limiterOf(server.url)
      for (let round = 0; round < 4; round++) expect(yield* callMany(limiter, 12)).toHaveLength(12)

      expect(server.requests.at(-1)).toBeLessThanOrEqual(2)
    }),
  )

  it.live("calls: lower the limit when the node is overloaded, and raise it again afterwards", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: failing })
      const limiter = yield* limiterOf(server.url)
      for (let round = 0; round < 3; round++) yield* Effect.ignore(callMany(limiter, 4))
      const lowest = limiter.limit()
      server.answers["eth_getBlockReceipts"] = receipts
      for (let round = 0; round < 4; round++) yield* callMany(limiter, 20)

      expect(lowest).toBeLessThan(8)
      expect(limiter.limit()).toBeGreaterThan(lowest)
    }),
  )

  it.live("calls: keep the limit if the system clock changes", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: receipts })
      const limiter = yield* limiterOf(server.url)
      const clock = yield* Clock.Clock
      let steps = 0
      const millis = () => Date.now() + steps++ * 3_600_000
      // Sound: everything except the time of day is read from the clock itself.
      const jumping = Object.create(clock, {
        currentTimeMillis: { value: Effect.sync(millis) },
        currentTimeMillisUnsafe: { value: millis },
      }) as Clock.Clock
      yield* Effect.provideService(callMany(limiter, 60), Clock.Clock, jumping)

      expect(limiter.limit()).toBeGreaterThan(24)
    }),
  )

  it.live("calls: fail with the error of the node", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: failing })
      const error = yield* Effect.flip(callMany(yield* limiterOf(server.url), 3))

      expect(error._tag).toBe("InvalidResponse")
    }),
  )
})
