/** The transitions of a pool's state, and the order of its endpoints. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  callOrder,
  type Event,
  initial,
  isHealthy,
  type Limits,
  type State,
  step,
  type Verdict,
} from "../../src/internal/PoolState.ts"

const after = (size: number, ...events: ReadonlyArray<Event>): State => events.reduce(step, initial(size))

const judged = (index: number, verdict: Verdict, now = 0): Event => ({ _tag: "Judged", index, verdict, now })

const unavailable = (index: number, now = 0): Event => judged(index, { _tag: "Unavailable" }, now)

const answered = (index: number): Event => judged(index, { _tag: "Final" })

describe("callOrder", () => {
  it("callOrder: keeps the configured order if nothing is known", () => {
    expect(callOrder(initial(3), { now: 0 })).toEqual([0, 1, 2])
  })

  it("callOrder: starts at the preferred endpoint if sticky, and wraps around", () => {
    const state = after(3, { _tag: "Preferred", index: 1 })

    expect(callOrder(state, { now: 0, strategy: "sticky" })).toEqual([1, 2, 0])
    expect(callOrder(state, { now: 0, strategy: "priority" })).toEqual([0, 1, 2])
  })

  it("callOrder: starts at the endpoint of the key when spread", () => {
    const orders = [0, 1, 2, 3].map((key) => callOrder(initial(3), { now: 0, strategy: "spread", key }))

    expect(orders).toEqual([
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ])
  })

  it("callOrder: starts at the next endpoint with each turn when spread without a key", () => {
    const turn: Event = { _tag: "TurnTaken" }
    const orders = [[], [turn], [turn, turn]].map((turns) =>
      callOrder(after(3, ...turns), { now: 0, strategy: "spread" }),
    )

    expect(orders).toEqual([
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ])
  })

  it("callOrder: puts an endpoint in cooldown last until its cooldown ends", () => {
    const state = after(3, unavailable(0, 100))

    expect(callOrder(state, { now: 1_099 })).toEqual([1, 2, 0])
    expect(callOrder(state, { now: 1_100 })).toEqual([0, 1, 2])
  })

  it("callOrder: puts a paused endpoint last until its pause ends", () => {
    const state = after(2, judged(0, { _tag: "Declined", pauseMillis: 500 }))

    expect(callOrder(state, { now: 499 })).toEqual([1, 0])
    expect(callOrder(state, { now: 500 })).toEqual([0, 1])
  })

  it("callOrder: puts an endpoint without the method last only for that method", () => {
    const state = after(2, judged(0, { _tag: "Declined", unsupportedMethod: "trace_block" }))

    expect(callOrder(state, { now: 0, method: "trace_block" })).toEqual([1, 0])
    expect(callOrder(state, { now: 0, method: "eth_chainId" })).toEqual([0, 1])
  })

  it("callOrder: puts a lagging endpoint after one in cooldown only if the call needs the newest block", () => {
    const state = after(
      2,
      { _tag: "HeightSeen", index: 0, height: 5n, isHead: true, now: 0 },
      { _tag: "HeightSeen", index: 1, height: 6n, isHead: true, now: 0 },
      unavailable(1),
    )

    expect(callOrder(state, { now: 1, needsHead: true })).toEqual([1, 0])
    expect(callOrder(state, { now: 1 })).toEqual([0, 1])
  })

  it("callOrder: prefers the shortest wait among endpoints that have to wait", () => {
    const waits = [30, 10, 20]

    expect(callOrder(initial(3), { now: 0, waitMillis: (index) => waits[index] ?? 0 })).toEqual([1, 2, 0])
  })

  it("callOrder: omits endpoints that may not be used", () => {
    expect(callOrder(initial(3), { now: 0, among: [2, 1] })).toEqual([1, 2])
  })
})

describe("step", () => {
  it("step: doubles the cooldown with each failure up to the limit, and ends it with an answer", () => {
    const failures = Array.from({ length: 7 }, () => unavailable(0))
    const cooldowns = failures.map((_, count) => after(1, ...failures.slice(0, count + 1)).endpoints[0]?.cooldownUntil)

    expect(cooldowns).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    expect(after(1, ...failures, answered(0)).endpoints[0]).toMatchObject({ failures: 0, cooldownUntil: 0 })
  })

  it("step: counts no failure against an endpoint that declines a call", () => {
    const [one] = after(1, answered(0), judged(0, { _tag: "Declined" })).endpoints

    expect(one !== undefined && isHealthy(one)).toBe(true)
  })

  it("step: an answer of a healthy endpoint changes nothing, and one of a failed endpoint does", () => {
    const healthy = after(1, answered(0))
    const failed = after(1, answered(0), unavailable(0))

    expect(step(healthy, answered(0))).toBe(healthy)
    expect(step(failed, answered(0))).not.toBe(failed)
  })

  it("step: a declined call without a method adds no unsupported method", () => {
    const [one] = after(1, judged(0, { _tag: "Declined" })).endpoints

    expect(one?.unsupportedMethods.size).toBe(0)
  })

  it("step: treats an endpoint as healthy once it has answered and until it fails", () => {
    const healthy = [[], [answered(0)], [answered(0), unavailable(0)], [unavailable(0), answered(0)]].map((events) => {
      const [one] = after(1, ...events).endpoints
      return one !== undefined && isHealthy(one)
    })

    expect(healthy).toEqual([false, true, false, true])
  })

  it("step: verifies an endpoint again after its connection broke, and not after other failures", () => {
    const verified: Event = { _tag: "Verified", index: 0 }
    const broken = judged(0, { _tag: "Unavailable", isDisconnected: true })

    expect(after(1, verified, unavailable(0)).endpoints[0]?.isVerified).toBe(true)
    expect(after(1, verified, broken).endpoints[0]?.isVerified).toBe(false)
    expect(after(1, verified, { _tag: "VerificationReset" }).endpoints[0]?.isVerified).toBe(false)
  })

  it("step: lowers the batch limit and never raises it", () => {
    const limited = (limit: number): Event => ({ _tag: "BatchLimited", index: 0, limit })

    expect(after(1, limited(10), limited(20)).endpoints[0]?.detectedLimit).toBe(10)
    expect(after(1, limited(10), limited(5)).endpoints[0]?.detectedLimit).toBe(5)
    expect(after(1, limited(0)).endpoints[0]?.detectedLimit).toBe(1)
  })

  it("step: lowers the height of an endpoint when its head falls, and never the highest height seen", () => {
    const seen = (height: bigint, isHead: boolean): Event => ({ _tag: "HeightSeen", index: 0, height, isHead, now: 0 })

    expect(after(1, seen(9n, true), seen(7n, true))).toMatchObject({ highest: 9n, endpoints: [{ height: 7n }] })
    expect(after(1, seen(9n, true), seen(7n, false)).endpoints[0]?.height).toBe(9n)
    expect(after(1, seen(7n, true), seen(9n, false))).toMatchObject({ highest: 9n, endpoints: [{ height: 9n }] })
  })

  it("step: returns the same state for known facts, and for an endpoint that does not exist", () => {
    const known: ReadonlyArray<Extract<Event, { readonly index: number }>> = [
      { _tag: "Preferred", index: 1 },
      { _tag: "Verified", index: 1 },
      { _tag: "BatchLimited", index: 1, limit: 5 },
      { _tag: "HeightSeen", index: 1, height: 9n, isHead: true, now: 0 },
      { _tag: "HeightSeen", index: 1, height: 9n, isHead: false, now: 0 },
    ]
    const state = after(2, ...known)

    for (const event of known) {
      expect(step(state, event)).toBe(state)
      expect(step(state, { ...event, index: 2 })).toBe(state)
    }
  })

  it("step: forgets the highest block when it has not been shown for a minute", () => {
    const seen = (height: bigint, now: number, isHead = true): Event => ({
      _tag: "HeightSeen",
      index: 1,
      height,
      isHead,
      now,
    })
    const wrong: Event = { _tag: "HeightSeen", index: 0, height: 9_000n, isHead: true, now: 1_000 }
    const highestAfter = (...events: ReadonlyArray<Event>) => after(2, wrong, ...events).highest

    expect(highestAfter(seen(7n, 61_000))).toBe(9_000n)
    expect(highestAfter(seen(7n, 61_001, false))).toBe(9_000n)
    expect(highestAfter(seen(9_000n, 2_000), seen(7n, 62_000))).toBe(9_000n)
    expect(highestAfter(seen(7n, 61_001))).toBe(7n)
    expect(highestAfter(seen(7n, 61_001), seen(8n, 61_002))).toBe(8n)
  })

  it("step: a method that was answered is no longer unsupported", () => {
    const declined = judged(0, { _tag: "Declined", unsupportedMethod: "trace_block" })
    const methodsAfter = (method: string) => [
      ...(after(1, declined, judged(0, { _tag: "Final", method })).endpoints[0]?.unsupportedMethods ?? []),
    ]

    expect(methodsAfter("eth_chainId")).toEqual(["trace_block"])
    expect(methodsAfter("trace_block")).toEqual([])
  })

  it("initial: uses the default for an undefined limit", () => {
    const limits: unknown = { cooldownMillis: undefined, maxCooldownMillis: undefined, maxPauseMillis: 60_000 }

    // Sound: a caller that compiles without exact optional properties may pass an undefined limit.
    expect(initial(1, limits as Partial<Limits>).limits).toEqual({
      cooldownMillis: 1_000,
      maxCooldownMillis: 30_000,
      maxPauseMillis: 60_000,
    })
  })

  it("step: grants no pause beyond the limit, and shortens none", () => {
    const paused = (pauseMillis: number): Event => judged(0, { _tag: "Declined", pauseMillis })
    const limited = [paused(90_000), paused(1_000)].reduce(step, initial(1, { maxPauseMillis: 60_000 }))

    expect(limited.endpoints[0]?.pausedUntil).toBe(60_000)
    expect(step(limited, judged(0, { _tag: "Declined" }))).toEqual(limited)
  })
})

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const Method = Schema.Literals(["eth_chainId", "trace_block"])
const AnyVerdict = Schema.Union([
  Schema.TaggedStruct("Final", { method: Method }),
  Schema.TaggedStruct("Empty", {}),
  Schema.TaggedStruct("Declined", { unsupportedMethod: Method, pauseMillis: Millis }),
  Schema.TaggedStruct("Unavailable", { pauseMillis: Millis, isDisconnected: Schema.Boolean }),
])
const AnyEvent = Schema.Union([
  Schema.TaggedStruct("Judged", { index: Index, verdict: AnyVerdict, now: Millis }),
  Schema.TaggedStruct("Preferred", { index: Index }),
  Schema.TaggedStruct("Verified", { index: Index }),
  Schema.TaggedStruct("VerificationReset", {}),
  Schema.TaggedStruct("BatchLimited", { index: Index, limit: Millis }),
  Schema.TaggedStruct("HeightSeen", { index: Index, height: Schema.BigInt, isHead: Schema.Boolean, now: Millis }),
  Schema.TaggedStruct("TurnTaken", {}),
])

const ascending = (indexes: ReadonlyArray<number>) => indexes.toSorted((one, other) => one - other)

describe("laws of the pool", () => {
  it.prop(
    "law: after any events the order is a permutation of the usable endpoints",
    {
      events: Schema.Array(AnyEvent),
      among: Schema.Array(Index),
      now: Millis,
      key: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })),
      strategy: Schema.Literals(["priority", "sticky", "spread"]),
      method: Method,
      needsHead: Schema.Boolean,
    },
    ({ among: given, events, ...query }) => {
      const among = [...new Set(given)]
      const state = after(5, ...events)

      expect(ascending(callOrder(state, { ...query, among }))).toEqual(ascending(among))
      expect(ascending(callOrder(state, query))).toEqual([0, 1, 2, 3, 4])
    },
  )

  it.prop(
    "law: the highest block falls to a head only after a minute, batch limits never rise, and only answered methods are forgotten",
    { events: Schema.Array(AnyEvent), event: AnyEvent },
    ({ event, events }) => {
      const before = after(5, ...events)
      const next = step(before, event)

      const isLater = event._tag === "HeightSeen" && event.isHead && event.now > before.highestAt + 60_000
      const answered = event._tag === "Judged" && event.verdict._tag === "Final" ? event.verdict.method : undefined

      expect(next.highest >= before.highest || isLater).toBe(true)
      for (const [index, one] of before.endpoints.entries()) {
        const later = next.endpoints[index] ?? one
        expect(later.detectedLimit <= one.detectedLimit).toBe(true)
        const kept = [...one.unsupportedMethods].filter((method) => method !== answered)
        expect([...later.unsupportedMethods]).toEqual(expect.arrayContaining(kept))
      }
    },
  )

  it.prop(
    "law: an event of one endpoint leaves the others unchanged",
    { events: Schema.Array(AnyEvent), index: Index, verdict: AnyVerdict, now: Millis },
    ({ events, index, now, verdict }) => {
      const before = after(5, ...events)
      const next = step(before, judged(index, verdict, now))

      for (const [at, one] of before.endpoints.entries()) if (at !== index) expect(next.endpoints[at]).toBe(one)
    },
  )
})
