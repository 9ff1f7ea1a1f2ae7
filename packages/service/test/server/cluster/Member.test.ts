import { describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { expect } from "vitest"
import * as Member from "../../../src/server/cluster/Member.ts"
import type { FromMember, FromPrimary } from "../../../src/server/cluster/Message.ts"

/** A member on a channel whose other end is the test. */
const connect = () => {
  const sent: Array<FromMember> = []
  let listener: (message: FromPrimary) => void = () => undefined
  const member = Member.make({
    send: (message) => void sent.push(message),
    onMessage: (given) => {
      listener = given
    },
  })
  return { member, sent, receive: (message: FromPrimary) => listener(message) }
}

const take = ({ rateLimiterStore }: Member.Member, key: string) =>
  rateLimiterStore.tokenBucket({ key, tokens: 1, limit: 5, refillRate: Duration.millis(40), allowOverflow: false })

describe("Member", () => {
  it.effect("rateLimiterStore: gives each caller the response to its own request, in whatever order they arrive", () =>
    Effect.gen(function* () {
      const { member, receive, sent } = connect()
      const first = yield* Effect.forkChild(take(member, "a"), { startImmediately: true })
      const second = yield* Effect.forkChild(take(member, "b"), { startImmediately: true })
      expect(sent).toEqual([
        { _tag: "Take", id: 1, key: "a", tokens: 1, limit: 5, refillMillis: 40 },
        { _tag: "Take", id: 2, key: "b", tokens: 1, limit: 5, refillMillis: 40 },
      ])
      receive({ _tag: "Taken", id: 2, remaining: 3, elapsedMillis: 20 })
      receive({ _tag: "Taken", id: 1, remaining: 4, elapsedMillis: 10 })
      expect([yield* Fiber.join(first), yield* Fiber.join(second)]).toEqual([
        [4, 10],
        [3, 20],
      ])
    }),
  )

  it.effect("otherMetrics: gives the texts that the primary process collected", () =>
    Effect.gen(function* () {
      const { member, receive, sent } = connect()
      const fiber = yield* Effect.forkChild(member.otherMetrics, { startImmediately: true })
      expect(sent).toEqual([{ _tag: "Collect", id: 1 }])
      receive({ _tag: "Collected", id: 1, texts: ["b", "c"] })
      expect(yield* Fiber.join(fiber)).toEqual(["b", "c"])
    }),
  )

  it("report: answers a request for its metrics with what was set last", () => {
    const { member, receive, sent } = connect()
    receive({ _tag: "RequestMetrics", id: 1 })
    member.report(() => "metrics")
    receive({ _tag: "RequestMetrics", id: 2 })
    expect(sent).toEqual([
      { _tag: "OwnMetrics", id: 1, text: "" },
      { _tag: "OwnMetrics", id: 2, text: "metrics" },
    ])
  })

  it("current: is undefined in a process that no primary process started", () => {
    expect(Member.current()).toBeUndefined()
  })
})
