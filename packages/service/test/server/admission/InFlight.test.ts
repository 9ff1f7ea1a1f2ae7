import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { TestClock } from "effect/testing"
import * as InFlight from "../../../src/server/admission/InFlight.ts"

const bounds = { perKey: 10, perAddress: 15, total: 20 }
const client = (key: string, address = `of ${key}`) => ({ key, address })

describe("InFlight", () => {
  it("clientOf: is the name of the key and the address of the connection, if it is known", () => {
    // Sound: no other part of the request is read.
    const requestFrom = (remoteAddress: Option.Option<string>) => ({ remoteAddress }) as unknown as HttpServerRequest
    expect(InFlight.clientOf(requestFrom(Option.some("192.0.2.7")), "a")).toEqual({
      key: "a",
      address: "192.0.2.7",
    })
    expect(InFlight.clientOf(requestFrom(Option.none()), "a")).toEqual({ key: "a", address: "" })
  })

  it("hold: rejects bytes beyond the limit of the key, the address or the process, and names the limit", () => {
    const meter = InFlight.make("limits.x", bounds)
    expect(meter.hold(client("a", "x")).add(10)).toBeUndefined()
    expect(meter.hold(client("a", "y")).add(1)).toMatchObject({ scope: "perKey", maxBytes: 10 })
    expect(meter.hold(client("b", "x")).add(6)).toMatchObject({ scope: "perAddress", maxBytes: 15 })
    const last = meter.hold(client("b", "x"))
    expect(last.add(5)).toBeUndefined()
    last.release()
    expect(meter.hold(client("b", "y")).add(10)).toBeUndefined()
    expect(meter.hold(client("c", "z")).add(1)).toMatchObject({ scope: "total", maxBytes: 20 })
    expect(meter.total()).toBe(20)
  })

  it("hold: reports the limit of the process as the server's, and the others as the client's", () => {
    const meter = InFlight.make("limits.x", bounds)
    const messageOf = (name: string) => meter.hold(client(name)).add(11)?.message
    meter.hold(client("a")).add(10)
    const perKey =
      "Too many bytes in flight: limits.x.perKey (10 bytes) is reached. Complete the open requests and read their responses first."
    expect(messageOf("a")).toBe(perKey)
    meter.hold(client("b")).add(10)
    expect(meter.reached(client("c"))?.message).toBe("Server busy: limits.x.total (20 bytes) is reached. Retry later.")
  })

  it("reached: is undefined while a client has room for one byte", () => {
    const meter = InFlight.make("limits.x", bounds)
    const hold = meter.hold(client("a"))
    hold.add(9)
    expect(meter.reached(client("a"))).toBeUndefined()
    hold.add(1)
    expect(meter.reached(client("a"))).toMatchObject({ scope: "perKey", limit: "limits.x.perKey" })
    expect(meter.reached(client("b"))).toBeUndefined()
  })

  it("release: returns what was added, once", () => {
    const meter = InFlight.make("limits.x", bounds)
    const hold = meter.hold(client("a"))
    hold.add(4)
    hold.add(3)
    hold.add(4)
    expect(meter.total()).toBe(7)

    hold.release()
    hold.release()

    expect(meter.total()).toBe(0)
    expect(meter.hold(client("a")).add(10)).toBeUndefined()
  })

  it.effect("room: waits until bytes are released", () =>
    Effect.gen(function* () {
      const meter = InFlight.make("limits.x", bounds)
      const response = meter.count(client("a"), 50)
      yield* Effect.exit(meter.room(client("b"))).pipe(Effect.forkChild)
      const waiting = yield* Effect.forkChild(meter.room(client("a")))
      yield* TestClock.adjust(1_000)
      expect(waiting.pollUnsafe()).toBeUndefined()

      response.release()

      expect(yield* Fiber.join(waiting)).toBeUndefined()
    }),
  )

  it.effect("room: keeps waiting if bytes are released and the client still has no room", () =>
    Effect.gen(function* () {
      const meter = InFlight.make("limits.x", { ...bounds, total: 100 })
      const [own, other] = [meter.count(client("a"), 10), meter.count(client("b"), 10)]
      const waiting = yield* Effect.forkChild(meter.room(client("a")))
      yield* TestClock.adjust(1)

      other.release()
      yield* TestClock.adjust(1)
      expect(waiting.pollUnsafe()).toBeUndefined()
      own.release()

      yield* Fiber.join(waiting)
    }),
  )

  it.effect("room: fails with the limit after a timeout", () =>
    Effect.gen(function* () {
      const meter = InFlight.make("limits.x", bounds)
      meter.count(client("a"), 12)
      const waiting = yield* Effect.forkChild(Effect.flip(meter.room(client("a"))))
      yield* TestClock.adjust(4_999)
      expect(waiting.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)

      expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "BoundReached", scope: "perKey", maxBytes: 10 })
      expect(yield* meter.room(client("b"))).toBeUndefined()
    }),
  )
})
