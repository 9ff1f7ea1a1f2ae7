/** Bodies as Node delivers them, read without a server. */
import { EventEmitter } from "node:events"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Effect, Exit, Fiber, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Limits } from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import { RateLimitUnavailable } from "../../../src/server/admission/RateLimit.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as RequestBody from "../../../src/server/relay/RequestBody.ts"
import { grant, makeAuthentication } from "./authentication.ts"

const now = () => performance.now()

const kibibyte = 1024

/** Starts to read a body from a connection that the test drives. */
const start = (
  headers: Record<string, string> = {},
  { burst = 100, left = 100, isDestroyed = false, limits = {}, areHeadersSent = false } = {},
) => {
  const { authentication, taken } = makeAuthentication(burst, left)
  const bounds = Bounds.make(Schema.decodeUnknownSync(Limits)(limits), Turns.make(now))
  const seen = { paused: 0, resumed: 0, continued: 0 }
  const message = Object.assign(new EventEmitter(), {
    destroyed: isDestroyed,
    socket: {},
    pause: () => seen.paused++,
    resume: () => seen.resumed++,
  })
  const response = { headersSent: areHeadersSent, writeContinue: () => seen.continued++ }
  const remoteAddress = Option.some("192.0.2.7")
  // Sound: no other part of the request is read.
  const request = { headers, source: message, response, remoteAddress } as unknown as HttpServerRequest
  const outcome = Effect.runPromise(Effect.result(RequestBody.read(request, grant, { authentication, bounds })))
  const send = (bytes: number) => void message.emit("data", Buffer.alloc(bytes, "x"))
  const listeners = () => message.eventNames().reduce((sum, name) => sum + message.listenerCount(name), 0)
  return { outcome, message, send, taken, seen, bounds, listeners }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const failureOf = async ({ outcome }: ReturnType<typeof start>) => {
  const result = await outcome
  return result._tag === "Failure" ? result.failure : undefined
}

const bodyOf = async ({ outcome }: ReturnType<typeof start>) => {
  const result = await outcome
  return result._tag === "Success" ? result.success : undefined
}

const incomplete = { code: -32600, reason: "bad_request", headers: { connection: "close" } }

describe("RequestBody", () => {
  afterEach(() => void vi.useRealTimers())

  it("read: joins the chunks of a small body, and counts no calls for it", async () => {
    const reading = start()
    reading.send(64 * kibibyte - 1)
    reading.send(1)
    expect(reading.bounds.bodies.total()).toBe(64 * kibibyte)
    reading.message.emit("end")

    expect(await bodyOf(reading)).toMatchObject({ taken: 0, headers: undefined, bytes: { length: 64 * kibibyte } })
    expect(reading.taken).toEqual([])
    expect(reading.bounds.bodies.total()).toBe(0)
    expect([reading.listeners(), reading.seen.paused]).toEqual([0, 1])
  })

  it("read: continues in a turn of its key if the body ends after the turn of its head", async () => {
    const reading = start()
    reading.message.emit("end")
    await reading.outcome
    await settled()

    expect(reading.bounds.turns.shares.standing("")).toBeGreaterThan(0)
  })

  it("read: rejects a compressed body before it is read, and accepts one declared as identity", async () => {
    for (const [name, value] of [
      ["content-encoding", "gzip"],
      ["content-encoding", "identity, br"],
      ["transfer-encoding", "gzip, chunked"],
    ] as const) {
      const reading = start({ [name]: value })

      expect(await failureOf(reading)).toMatchObject({
        ...incomplete,
        message: expect.stringMatching(new RegExp(`^Invalid header "${name}": expected .+, received "${value}"\\.$`)),
      })
      expect(reading.seen.resumed).toBe(0)
    }
    for (const headers of [
      { "content-encoding": "Identity" },
      { "content-encoding": "" },
      { "transfer-encoding": "chunked" },
    ]) {
      const reading = start(headers)
      reading.send(2)
      reading.message.emit("end")
      expect((await bodyOf(reading))?.bytes.length).toBe(2)
    }
  })

  it("read: counts calls for the declared length of a large body before it is read, at most the burst", async () => {
    const sizes = [64 * kibibyte, 64 * kibibyte + 1, 256 * kibibyte, 256 * kibibyte + 1, 1024 * kibibyte]
    const costs = []
    for (const size of sizes) {
      const reading = start({ "content-length": String(size) }, { burst: 5, left: 5 })
      await settled()
      reading.send(size)
      reading.message.emit("end")
      const body = await bodyOf(reading)
      costs.push([body?.bytes.length, body?.taken, reading.taken])
    }

    expect(costs).toEqual([
      [sizes[0], 0, []],
      [sizes[1], 1, [1]],
      [sizes[2], 2, [2]],
      [sizes[3], 3, [3]],
      [sizes[4], 5, [5]],
    ])
  })

  it("read: counts the calls of the largest body for one of unknown length that is not small, and reads on", async () => {
    const reading = start()
    reading.send(64 * kibibyte)
    expect(reading.taken).toEqual([])
    reading.send(1)
    await settled()
    expect([reading.taken, reading.seen.paused, reading.seen.resumed]).toEqual([[8], 1, 2])
    reading.send(100 * kibibyte)
    reading.message.emit("end")

    const body = await bodyOf(reading)
    expect([body?.bytes.length, body?.taken, body?.headers]).toEqual([
      164 * kibibyte + 1,
      8,
      { "ratelimit-remaining": "92" },
    ])
  })

  it("takeFor: reports that the rate limit cannot be read, and when to retry", async () => {
    const take = () => Effect.fail(new RateLimitUnavailable())
    const authentication = { ...makeAuthentication(100).authentication, take }
    const bounds = Bounds.make(Schema.decodeUnknownSync(Limits)({}), Turns.make(now))
    const failure = await Effect.runPromise(
      Effect.flip(RequestBody.takeFor({ authentication, bounds }, grant, 200 * kibibyte)),
    )

    expect(failure).toMatchObject({
      reason: "unavailable",
      message: "Rate limit cannot be read. Retry later.",
      headers: { "retry-after": "1" },
    })
  })

  it("read: rejects a large body without enough calls left, before it is read", async () => {
    const reading = start({ "content-length": String(200 * kibibyte) }, { left: 1 })

    expect(await failureOf(reading)).toMatchObject({
      reason: "rate_limited",
      message: "Retry after 1 s.",
      headers: { connection: "close", "ratelimit-remaining": "1" },
    })
    expect(reading.seen.resumed).toBe(0)
  })

  it("read: rejects a body above the limit, by its declared length or as it arrives", async () => {
    const limits = { bodyBytes: 1_000 }
    const declared = start({ "content-length": "1001" }, { limits })
    const arriving = start({}, { limits })
    arriving.send(1_000)
    arriving.send(1)
    const expected = {
      code: -32600,
      reason: "payload_too_large",
      headers: { connection: "close" },
      message: "Request body too large. Send at most 1000 bytes.",
    }

    expect(await failureOf(declared)).toMatchObject(expected)
    expect(await failureOf(arriving)).toMatchObject(expected)
    expect([declared.seen.resumed, arriving.bounds.bodies.total(), arriving.listeners()]).toEqual([0, 0, 0])
    const exact = start({ "content-length": "1000" }, { limits })
    exact.send(1_000)
    exact.message.emit("end")
    expect((await bodyOf(exact))?.bytes.length).toBe(1_000)
  })

  it("read: rejects bytes for which there is no room in flight", async () => {
    const limits = { bodiesInFlight: { perKey: 100, perAddress: 1_000, total: 1_000 } }
    const reading = start({}, { limits })
    reading.send(100)
    expect(reading.bounds.bodies.total()).toBe(100)
    reading.send(1)

    expect(await failureOf(reading)).toMatchObject({ reason: "rate_limited", headers: { "retry-after": "01" } })
    expect(reading.bounds.bodies.total()).toBe(0)
  })

  it("read: fails for a connection that closes before or within the body, or fails in it", async () => {
    const closed = start({}, { isDestroyed: true })
    const [within, broken] = [start(), start()]
    within.send(5)
    within.message.emit("close")
    broken.message.emit("error", new Error("reset"))

    for (const reading of [closed, within, broken]) {
      expect(await failureOf(reading)).toMatchObject({
        ...incomplete,
        message: "Request body incomplete. Send it again.",
      })
      expect(reading.listeners()).toBe(0)
    }
  })

  it("read: fails for a body that is not complete in time, and not for one that is", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const [late, punctual] = [start({}, { limits: { bodySeconds: 3 } }), start({}, { limits: { bodySeconds: 3 } })]
    vi.advanceTimersByTime(2_999)
    expect(late.listeners()).toBe(4)
    punctual.message.emit("end")
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)

    expect(await failureOf(late)).toMatchObject({
      ...incomplete,
      message: "Request body incomplete after 3 s (limits.bodySeconds). Send it again.",
    })
    expect((await bodyOf(punctual))?.bytes.length).toBe(0)
  })

  it("read: sends 100 Continue once to a client that waits for it", async () => {
    for (const [headers, areHeadersSent, expected] of [
      [{ expect: "100-Continue" }, false, 1],
      [{ expect: "100-continue" }, true, 0],
      [{ expect: "other" }, false, 0],
      [{}, false, 0],
    ] as const) {
      const reading = start(headers, { areHeadersSent })
      reading.message.emit("end")
      await reading.outcome
      expect(reading.seen.continued).toBe(expected)
    }
  })

  it("read: stops listening and counting when it is interrupted", async () => {
    const { authentication } = makeAuthentication(1)
    const reading = start()
    reading.send(10)
    expect(reading.listeners()).toBe(4)
    const bounds = Bounds.make(Schema.decodeUnknownSync(Limits)({}), Turns.make(now))
    // Sound: as above.
    const request = {
      headers: {},
      source: reading.message,
      remoteAddress: Option.none(),
    } as unknown as HttpServerRequest
    const fiber = Effect.runFork(RequestBody.read(request, grant, { authentication, bounds }))
    expect(reading.listeners()).toBe(8)
    reading.send(7)
    expect(bounds.bodies.total()).toBe(7)
    const exit = await Effect.runPromise(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)))

    expect(Exit.hasInterrupts(exit)).toBe(true)
    expect([reading.listeners(), bounds.bodies.total()]).toEqual([4, 0])
    reading.message.emit("end")
    await reading.outcome
  })
})
