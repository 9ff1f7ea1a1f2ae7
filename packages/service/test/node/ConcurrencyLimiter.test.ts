import { describe, it } from "@effect/vitest"
import * as RpcClient from "@daybook/rpc/RpcClient"
import { Effect, Schedule } from "effect"
import { expect } from "vitest"
import * as ConcurrencyLimiter from "../../src/node/ConcurrencyLimiter.ts"
import { type Response, failing, start } from "./server.ts"

const receipts: Response = () => ({ result: [] })

const lane = Effect.fnUntraced(function* (url: string) {
  return yield* ConcurrencyLimiter.make(yield* RpcClient.make({ url, retry: { maxAttempts: 1 } }))
})

const many = (made: ConcurrencyLimiter.ConcurrencyLimiter, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => made.calls.eth_getBlockReceipts(index),
    { concurrency: "unbounded" },
  )

describe("Lane", () => {
  it.live("shares requests among calls, gives each its own answer, and keeps few open at first", () =>
    Effect.gen(function* () {
      const server = yield* start({
        eth_getBlockReceipts: ([number]) => ({ result: number === "0x3" ? null : [] }),
      })
      const answers = yield* many(yield* lane(server.url), 24)

      expect(answers.map((answer) => answer === null)).toEqual(Array.from({ length: 24 }, (_, index) => index === 3))
      expect(server.calls).toHaveLength(24)
      expect(server.requests[0]).toBeLessThanOrEqual(8)
      expect(server.requests.length).toBeLessThan(24)
    }),
  )

  it.live("opens more while the node is quick, within a bound", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: receipts })
      const made = yield* lane(server.url)
      expect(made.open()).toBe(8)
      yield* many(made, 600)

      expect(made.open()).toBe(128)
    }),
  )

  it.live("loses no call over requests that a node finds too large", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: receipts })
      server.refuseAbove = 2
      const made = yield* lane(server.url)
      for (let round = 0; round < 4; round++) expect(yield* many(made, 12)).toHaveLength(12)

      expect(server.requests.at(-1)).toBeLessThanOrEqual(2)
    }),
  )

  it.live("opens fewer to a node that is overloaded, and more again when it is not", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: () => ({ status: 429 }) })
      const made = yield* lane(server.url)
      for (let round = 0; round < 4; round++) yield* Effect.ignore(many(made, 4).pipe(Effect.timeout(500)))
      const least = made.open()
      expect(least).toBeLessThan(8)

      server.answers["eth_getBlockReceipts"] = receipts
      yield* many(made, 20).pipe(Effect.retry(Schedule.spaced(50)))
      for (let round = 0; round < 4; round++) yield* many(made, 20)
      expect(made.open()).toBeGreaterThan(least)
    }),
  )

  it.live("fails each call with what the node said when it does not answer", () =>
    Effect.gen(function* () {
      const server = yield* start({ eth_getBlockReceipts: failing })
      const error = yield* Effect.flip(many(yield* lane(server.url), 3))

      expect(error._tag).toBe("InvalidResponse")
    }),
  )
})
