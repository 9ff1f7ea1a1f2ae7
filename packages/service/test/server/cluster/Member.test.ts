import { EventEmitter } from "node:events"
import { describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber } from "effect"
import { expect } from "vitest"
import * as Member from "../../../src/server/cluster/Member.ts"
import type { ConfigFile } from "../../../src/config/ConfigFile.ts"
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

  it("make: answers a ping", () => {
    const { receive, sent } = connect()
    receive({ _tag: "Ping", id: 3 })
    expect(sent).toEqual([{ _tag: "Pong", id: 3 }])
  })

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

  it("onReload: reports whether a configuration was taken over", () => {
    const { member, receive, sent } = connect()
    // Sound: the member only passes it on.
    const file = { baseFolder: "/" } as ConfigFile
    const taken: Array<ConfigFile> = []
    member.onReload((next, report) => {
      taken.push(next)
      report(taken.length === 1 ? null : "no")
    })
    receive({ _tag: "Reload", id: 4, file })
    receive({ _tag: "Reload", id: 5, file })

    expect(taken).toEqual([file, file])
    expect(sent).toEqual([
      { _tag: "Reloaded", id: 4, issue: null },
      { _tag: "Reloaded", id: 5, issue: "no" },
    ])
  })

  it.effect("ready: reports the base URL", () =>
    Effect.gen(function* () {
      const { member, sent } = connect()
      yield* member.ready("http://127.0.0.1:8080")
      expect(sent).toEqual([{ _tag: "Ready", url: "http://127.0.0.1:8080" }])
    }),
  )

  it.effect("make: ignores a response that nothing waits for, and takes no other response for the requested one", () =>
    Effect.gen(function* () {
      const { member, receive } = connect()
      receive({ _tag: "Taken", id: 7, remaining: 3, elapsedMillis: 20 })
      const fiber = yield* Effect.forkChild(Effect.exit(member.otherMetrics), { startImmediately: true })
      receive({ _tag: "Taken", id: 1, remaining: 3, elapsedMillis: 20 })
      const exit = yield* Fiber.join(fiber)
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toEqual(new Error("Expected Collected."))
    }),
  )

  it.effect("rateLimiterStore: has no algorithm but the token bucket", () =>
    Effect.gen(function* () {
      const { fixedWindow } = connect().member.rateLimiterStore
      const exit = yield* Effect.exit(fixedWindow({ key: "a", tokens: 1, limit: 5, refillRate: Duration.seconds(1) }))
      expect(Exit.isFailure(exit) && String(Cause.squash(exit.cause))).toContain("Only the token bucket is shared")
    }),
  )

  it("channelOf: sends to the process that started this one and listens to it, and sends nothing without one", () => {
    const sent: Array<unknown> = []
    const received: Array<FromPrimary> = []
    const self = Object.assign(new EventEmitter(), { send: (message: unknown) => sent.push(message) > 0 })
    // Sound: a process is an emitter of its messages.
    const channel = Member.channelOf(self as unknown as NodeJS.Process)
    channel.onMessage((message) => void received.push(message))
    channel.send({ _tag: "Collect", id: 1 })
    self.emit("message", { _tag: "RequestMetrics", id: 2 })
    expect(sent).toEqual([{ _tag: "Collect", id: 1 }])
    expect(received).toEqual([{ _tag: "RequestMetrics", id: 2 }])
    expect(() => Member.channelOf(new EventEmitter() as NodeJS.Process).send({ _tag: "Collect", id: 1 })).not.toThrow()
  })

  it("current: is undefined in a process that no primary process started", () => {
    expect(Member.current()).toBeUndefined()
  })
})
