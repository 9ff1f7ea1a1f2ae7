import cluster from "node:cluster"
import { EventEmitter } from "node:events"
import { describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber } from "effect"
import { expect } from "vitest"
import * as Member from "../../../src/server/cluster/Member.ts"
import type { ConfigFile } from "../../../src/config/ConfigFile.ts"
import type { ToMember } from "../../../src/server/cluster/Message.ts"
import type * as Requests from "../../../src/supervision/Requests.ts"

/** A member on a channel whose other end is the test. */
const connect = () => {
  const sent: Array<Requests.Message> = []
  let listener: (message: Requests.Message) => void = () => undefined
  const member = Member.make({
    send: (message) => void sent.push(message),
    onMessage: (given) => {
      listener = given
    },
  })
  const receive = (message: Requests.Message) => listener(message)
  const request = (id: number, name: keyof ToMember, payload: unknown = null) =>
    receive({ _tag: "Request", id, name, payload })
  return { member, sent, receive, request }
}

const take = ({ rateLimiterStore }: Member.Member, key: string) =>
  rateLimiterStore.tokenBucket({ key, tokens: 1, limit: 5, refillRate: Duration.millis(40), allowOverflow: false })

describe("Member", () => {
  it.effect("rateLimiterStore: takes tokens from the buckets of the primary process", () =>
    Effect.gen(function* () {
      const { member, receive, sent } = connect()
      const fiber = yield* Effect.forkChild(take(member, "a"), { startImmediately: true })
      const payload = { key: "a", tokens: 1, limit: 5, refillMillis: 40 }
      expect(sent).toEqual([{ _tag: "Request", id: 1, name: "take", payload }])

      receive({ _tag: "Response", id: 1, value: [4, 10] })
      expect(yield* Fiber.join(fiber)).toEqual([4, 10])
    }),
  )

  it.effect("otherMetrics: returns the texts that the primary process collected", () =>
    Effect.gen(function* () {
      const { member, receive, sent } = connect()
      const fiber = yield* Effect.forkChild(member.otherMetrics, { startImmediately: true })
      expect(sent).toEqual([{ _tag: "Request", id: 1, name: "collect", payload: null }])

      receive({ _tag: "Response", id: 1, value: ["b", "c"] })
      expect(yield* Fiber.join(fiber)).toEqual(["b", "c"])
    }),
  )

  it("make: responds to a ping", () => {
    const { request, sent } = connect()
    request(3, "ping")

    expect(sent).toEqual([{ _tag: "Response", id: 3, value: null }])
  })

  it("report: responds to a request for its metrics with the last values set", () => {
    const { member, request, sent } = connect()
    request(1, "metrics")
    member.report(() => "metrics")
    request(2, "metrics")

    expect(sent).toEqual([
      { _tag: "Response", id: 1, value: "" },
      { _tag: "Response", id: 2, value: "metrics" },
    ])
  })

  it("onReload: reports whether a configuration was applied", () => {
    const { member, request, sent } = connect()
    // Sound: the member only passes it on.
    const file = { baseFolder: "/" } as ConfigFile
    const taken: Array<ConfigFile> = []
    request(3, "reload", file)
    member.onReload((next, report) => {
      taken.push(next)
      report(taken.length === 1 ? null : "no")
    })
    request(4, "reload", file)
    request(5, "reload", file)

    expect(taken).toEqual([file, file])
    expect(sent).toEqual([
      { _tag: "Response", id: 3, value: null },
      { _tag: "Response", id: 4, value: null },
      { _tag: "Response", id: 5, value: "no" },
    ])
  })

  it.effect("ready: reports the base URL", () =>
    Effect.gen(function* () {
      const { member, receive, sent } = connect()
      const fiber = yield* Effect.forkChild(member.ready("http://127.0.0.1:8080"), { startImmediately: true })
      expect(sent).toEqual([{ _tag: "Request", id: 1, name: "ready", payload: "http://127.0.0.1:8080" }])

      receive({ _tag: "Response", id: 1, value: null })
      yield* Fiber.join(fiber)
    }),
  )

  it.effect("rateLimiterStore: supports only the token bucket algorithm", () =>
    Effect.gen(function* () {
      const { fixedWindow } = connect().member.rateLimiterStore
      const exit = yield* Effect.exit(fixedWindow({ key: "a", tokens: 1, limit: 5, refillRate: Duration.seconds(1) }))
      expect(Exit.isFailure(exit) && String(Cause.squash(exit.cause))).toContain("Only the token bucket is shared")
    }),
  )

  it("channelOf: exchanges messages with the process that started this one, and sends nothing without one", () => {
    const sent: Array<unknown> = []
    const received: Array<Requests.Message> = []
    const self = Object.assign(new EventEmitter(), { send: (message: unknown) => sent.push(message) > 0 })
    // Sound: a process is an emitter of its messages.
    const channel = Member.channelOf(self as unknown as NodeJS.Process)
    channel.onMessage((message) => void received.push(message))
    channel.send({ _tag: "Cancel", id: 1 })
    self.emit("message", { _tag: "Cancel", id: 2 })
    expect(sent).toEqual([{ _tag: "Cancel", id: 1 }])
    expect(received).toEqual([{ _tag: "Cancel", id: 2 }])
    expect(() => Member.channelOf(new EventEmitter() as NodeJS.Process).send({ _tag: "Cancel", id: 1 })).not.toThrow()
  })

  it("current: is undefined in a process that no primary process started", () => {
    expect(Member.current()).toBeUndefined()
  })

  it("current: is the member of a process that a primary process started", () => {
    const before = process.listeners("message")
    Object.assign(cluster, { isWorker: true })
    const member = Member.current()
    Object.assign(cluster, { isWorker: false })
    for (const listener of process.listeners("message"))
      if (!before.includes(listener)) process.off("message", listener)

    expect(Object.keys(member ?? {})).toContain("rateLimiterStore")
  })
})
