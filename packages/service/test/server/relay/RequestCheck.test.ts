import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Limits } from "../../../src/config/Limits.ts"
import * as RequestCheck from "../../../src/server/relay/RequestCheck.ts"
import type { RequestBody } from "../../../src/server/relay/RequestBody.ts"
import { RateLimitUnavailable } from "../../../src/server/admission/RateLimit.ts"
import { grant, makeAuthentication } from "./authentication.ts"

const limits: Limits = { ...Schema.decodeUnknownSync(Limits)({}), bodyDepth: 4, bodyValues: 30 }

const call = (params: string) => `{"jsonrpc":"2.0","id":7,"method":"eth_call","params":${params}}`

/** Checks a body that was not counted yet. */
const check = (text: string | Buffer, burst = 10, more: Partial<RequestBody> = {}) => {
  const { authentication, taken } = makeAuthentication(burst)
  const body: RequestBody = { bytes: Buffer.from(text as string), taken: 0, headers: undefined, ...more }
  return Effect.map(Effect.result(RequestCheck.check(body, grant, authentication, limits)), (result) => ({
    taken,
    // Sound: a test reads only the members that it expects.
    checked: result._tag === "Success" ? result.success : undefined,
    error: result._tag === "Failure" ? result.failure : undefined,
    message:
      result._tag === "Success" && result.success.body._tag === "Invalid"
        ? result.success.body.failure.message
        : undefined,
  }))
}

describe("RequestCheck", () => {
  it.effect("check: counts one call for a single one, one for each of a batch, and one for anything else", () =>
    Effect.gen(function* () {
      const one = call("[]")
      expect((yield* check(one)).taken).toEqual([1])
      expect((yield* check(`[${one},${one},${one}]`)).taken).toEqual([3])
      expect((yield* check("[]")).taken).toEqual([1])
      expect((yield* check("")).taken).toEqual([1])
    }),
  )

  it.effect("check: counts the calls of a body, minus those already counted for its size", () =>
    Effect.gen(function* () {
      const batch = `[${call("[]")},${call("[]")},${call("[]")}]`
      const headers = { "ratelimit-remaining": "5" }
      const less = yield* check(batch, 10, { taken: 2, headers })
      const same = yield* check(batch, 10, { taken: 3, headers })

      const unknown = yield* check(batch, 10, { taken: 3 })

      expect([unknown.taken, unknown.checked?.headers]).toEqual([[0], { "ratelimit-remaining": "10" }])
      expect([less.taken, less.checked?.headers]).toEqual([[1], { "ratelimit-remaining": "9" }])
      expect([same.taken, same.checked?.headers]).toEqual([[], headers])
    }),
  )

  it.effect("check: rejects bytes that are not UTF-8, which could not be returned unchanged", () =>
    Effect.gen(function* () {
      const latin1 = Buffer.from(`{"jsonrpc":"2.0","id":"\u00e9","method":"eth_chainId"}`, "latin1")
      const { message, taken } = yield* check(latin1)

      expect(message).toBe("Invalid JSON-RPC request: expected JSON in UTF-8, received other bytes.")
      expect(taken).toEqual([1])
      expect((yield* check(latin1.toString("latin1"))).checked?.body).toMatchObject({ item: { id: '"\u00e9"' } })
    }),
  )

  it.effect("check: rejects a batch with more calls than the burst, and counts none of them", () =>
    Effect.gen(function* () {
      const most = yield* check(`[${Array.from({ length: 3 }, () => call("[]")).join(",")}]`, 3)
      const more = yield* check("[0,0,0,0]", 3)

      expect(most.checked?.body._tag).toBe("Batch")
      expect(more.taken).toEqual([])
      expect(more.error).toMatchObject({
        reason: "payload_too_large",
        message: "Batch too large: 4 calls. Send at most 3.",
      })
    }),
  )

  it.effect("check: names the id of a small single call that the rate limit rejects", () =>
    Effect.gen(function* () {
      const { authentication } = makeAuthentication(5, 0)
      const idOf = (text: string) =>
        RequestCheck.check(
          { bytes: Buffer.from(text), taken: 0, headers: undefined },
          grant,
          authentication,
          limits,
        ).pipe(
          Effect.flip,
          Effect.map(({ id, message, reason }) => [id, reason, message]),
        )
      const reason = ["rate_limited", "Retry after 1 s."]

      expect(yield* idOf(call("[]"))).toEqual(["7", ...reason])
      expect(yield* idOf(call("[]").padEnd(4096))).toEqual(["7", ...reason])
      expect(yield* idOf(call("[]").padEnd(4097))).toEqual([undefined, ...reason])
      expect(yield* idOf(`[${call("[]")}]`)).toEqual([undefined, ...reason])
      expect(yield* idOf("{")).toEqual([undefined, ...reason])
    }),
  )

  it.effect("check: reports that the rate limit is currently unavailable", () =>
    Effect.gen(function* () {
      const authentication = {
        ...makeAuthentication(5).authentication,
        take: () => Effect.fail(new RateLimitUnavailable()),
      }
      const body = { bytes: Buffer.from(call("[]")), taken: 0, headers: undefined }
      const error = yield* Effect.flip(RequestCheck.check(body, grant, authentication, limits))

      expect(error).toMatchObject({ reason: "unavailable", message: "Rate limit cannot be read. Retry later." })
    }),
  )

  it.effect("check: parses a body up to the limits, and names the limit that one exceeds", () =>
    Effect.gen(function* () {
      const zeros = (count: number) => `[${Array.from({ length: count }, () => "0").join(",")}]`
      const deep = yield* check(call("[[[0]]]"))
      const deeper = yield* check(call("[[[[0]]]]"))
      const many = yield* check(call(zeros(25)))
      const more = yield* check(call(zeros(26)))
      const expected = (bound: string, received: string) =>
        `Invalid JSON-RPC request: expected at most ${bound}, received ${received}.`

      expect(deep.checked?.body).toMatchObject({ _tag: "Single", item: { _tag: "Call", id: "7" } })
      expect(deeper.message).toBe(expected("4 levels of nesting (limits.bodyDepth)", "5"))
      expect(many.checked?.body).toMatchObject({ _tag: "Single", item: { _tag: "Call", id: "7" } })
      expect(more.message).toBe(expected("30 values (limits.bodyValues)", "31"))
    }),
  )

  it.effect("check: rejects a body with open brackets as invalid JSON before it is parsed, however deep it is", () =>
    Effect.gen(function* () {
      const { message, taken } = yield* check("[".repeat(100_000))

      expect(message).toBe("Invalid JSON-RPC request: expected JSON, received a body that is not JSON.")
      expect(taken).toEqual([1])
    }),
  )
})
