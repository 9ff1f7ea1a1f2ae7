import { describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { expect } from "vitest"
import * as Requests from "../../src/supervision/Requests.ts"

interface Calls {
  readonly double: (value: number) => number
  readonly wait: (none: null) => null
  readonly fail: (none: null) => null
}

type None = Record<never, never>

/** Two ends of a channel, and the messages sent on it. */
const connect = () => {
  const sent: Array<Requests.Message> = []
  let cancelled = 0
  const caller: Requests.Requests<Calls> = Requests.make<None, Calls>((message) => {
    sent.push(message)
    callee.receive(message)
  }, {})
  const callee: Requests.Requests<None> = Requests.make<Calls, None>(
    (message) => {
      sent.push(message)
      caller.receive(message)
    },
    {
      double: (value) => Effect.succeed(2 * value),
      wait: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void cancelled++)),
      fail: () => Effect.die(new Error("broken")),
    },
  )
  return { caller, sent, cancelled: () => cancelled }
}

describe("Requests", () => {
  it.effect("send: returns the response of each request", () =>
    Effect.gen(function* () {
      const { caller, sent } = connect()
      const doubled = yield* Effect.forEach([1, 2, 3], (value) => caller.send("double", value), { concurrency: 3 })

      expect(doubled).toEqual([2, 4, 6])
      expect(new Set(sent.map(({ id }) => id))).toEqual(new Set([1, 2, 3]))
    }),
  )

  it.effect("send: matches responses to requests, in whatever order they arrive", () =>
    Effect.gen(function* () {
      const requests = Requests.make<None, Calls>(() => undefined, {})
      const first = yield* Effect.forkChild(requests.send("double", 1), { startImmediately: true })
      const second = yield* Effect.forkChild(requests.send("double", 2), { startImmediately: true })
      requests.receive({ _tag: "Response", id: 2, value: "second" })
      requests.receive({ _tag: "Response", id: 2, value: "again" })
      requests.receive({ _tag: "Response", id: 7, value: "not requested" })
      requests.receive({ _tag: "Response", id: 1, value: "first" })

      expect([yield* Fiber.join(first), yield* Fiber.join(second)]).toEqual(["first", "second"])
    }),
  )

  it.effect("send: fails if the other end fails the request", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connect().caller.send("fail", null))

      expect(error).toMatchObject({ _tag: "RequestFailed", message: "Error: broken" })
    }),
  )

  it.effect("send: cancels an interrupted request once", () =>
    Effect.gen(function* () {
      const { caller, cancelled, sent } = connect()
      const fiber = yield* Effect.forkChild(caller.send("wait", null), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* caller.send("double", 1)

      expect(cancelled()).toBe(1)
      expect(sent.map(({ _tag, id }) => [_tag, id])).toEqual([
        ["Request", 1],
        ["Cancel", 1],
        ["Request", 2],
        ["Response", 2],
      ])
    }),
  )

  it.effect("end: fails unanswered requests, and later ones", () =>
    Effect.gen(function* () {
      const { caller } = connect()
      const fiber = yield* Effect.forkChild(Effect.exit(caller.send("wait", null)), { startImmediately: true })
      caller.end("exit code 1")
      caller.end("another reason")
      const exit = yield* Fiber.join(fiber)
      const later = yield* Effect.flip(caller.send("double", 1))

      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ message: "exit code 1" })
      expect(later.message).toBe("exit code 1")
    }),
  )
})
