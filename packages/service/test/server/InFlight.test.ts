import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as InFlight from "../../src/server/InFlight.ts"

const bounds = { perKey: 10, perAddress: 15, total: 20 }
const client = (key: string, address = `of ${key}`) => ({ key, address })

describe("InFlight", () => {
  it("hold: refuses bytes beyond the bound of the key, the address and the process, and names it", () => {
    const meter = InFlight.make("limits.x", bounds)
    expect(meter.hold(client("a", "x")).add(10)).toBeUndefined()
    expect(meter.hold(client("a", "y")).add(1)).toMatchObject({ scope: "perKey", maxBytes: 10 })
    expect(meter.hold(client("b", "x")).add(6)).toMatchObject({ scope: "perAddress", maxBytes: 15 })
    expect(meter.hold(client("b", "y")).add(10)).toBeUndefined()
    expect(meter.hold(client("c", "z")).add(1)).toMatchObject({ scope: "total", maxBytes: 20 })
    expect(meter.total()).toBe(20)
  })

  it("release: gives back what was added, once", () => {
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

  it.effect("room: fails with the bound after a while", () =>
    Effect.gen(function* () {
      const meter = InFlight.make("limits.x", bounds)
      meter.count(client("a"), 12)
      const waiting = yield* Effect.forkChild(Effect.flip(meter.room(client("a"))))
      yield* TestClock.adjust(5_000)

      expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "BoundReached", scope: "perKey", maxBytes: 10 })
      expect(yield* meter.room(client("b"))).toBeUndefined()
    }),
  )
})
