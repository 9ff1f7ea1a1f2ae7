import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Result, Schema } from "effect"
import { BoundReached } from "../../../src/server/http/BoundReached.ts"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import { InvalidParameter, type Input as InvalidParameterInput } from "../../../src/server/http/InvalidParameter.ts"
import { RequestId } from "../../../src/server/http/Request.ts"
import * as UnavailableLog from "../../../src/server/http/UnavailableLog.ts"
import { StoreError } from "../../../src/store/StoreError.ts"

type Failing = Effect.Effect<never, ErrorResponse.ErrorResponse>

const storeError = (more: object) =>
  new StoreError({ message: "The file is damaged.", isRetryable: false, cause: null, ...more })
const unread = (reason: ErrorResponse.UnreadBody["reason"]) =>
  ErrorResponse.unreadBody({ reason, message: "Unread.", headers: { "x-a": "1" } })
const bound = (scope: BoundReached["scope"]) =>
  ErrorResponse.boundReached(new BoundReached({ scope, limit: "limits.a", maxBytes: 1 }))
const issue = { path: "limit", expected: "a number", received: '"x"' }

describe("ErrorResponse", () => {
  it.effect.each<readonly [what: string, failing: Failing, status: number, code: string, headers: object]>([
    ["a parameter", ErrorResponse.badRequest(InvalidParameter.fromIssue(issue)), 400, "bad_request", {}],
    ["no key", ErrorResponse.unauthorized("No key."), 401, "unauthorized", {}],
    ["a restricted key", ErrorResponse.forbidden("Not allowed."), 403, "forbidden", {}],
    ["no operation", ErrorResponse.notOffered("Not offered."), 404, "not_found", {}],
    ["a stale cursor", ErrorResponse.staleCursor(5, { "x-a": "1" }), 409, "stale_cursor", { "x-a": "1" }],
    ["a rate limit", ErrorResponse.rateLimited("Too many.", { "x-a": "1" }), 429, "rate_limited", { "x-a": "1" }],
    ["a large body", unread("payload_too_large"), 413, "payload_too_large", { "x-a": "1" }],
    ["a body beyond a limit of the key", unread("rate_limited"), 429, "rate_limited", { "x-a": "1" }],
    ["a body beyond one of the process", unread("unavailable"), 503, "unavailable", { "x-a": "1" }],
    ["another body", unread("forbidden"), 400, "bad_request", { "x-a": "1" }],
    ["bytes of a key", bound("perKey"), 429, "rate_limited", { "retry-after": "1" }],
    ["bytes of an address", bound("perAddress"), 429, "rate_limited", { "retry-after": "1" }],
    ["bytes of the process", bound("total"), 503, "unavailable", { "retry-after": "1" }],
    ["what cannot be read", ErrorResponse.unavailable("Busy."), 503, "unavailable", { "retry-after": "1" }],
    [
      "what is not derived",
      ErrorResponse.notComplete("Not complete.", { "x-a": "1" }),
      503,
      "unavailable",
      { "x-a": "1", "retry-after": "10" },
    ],
    [
      "a busy database",
      ErrorResponse.fromStore(storeError({ isRetryable: true })),
      503,
      "unavailable",
      { "retry-after": "1" },
    ],
    ["a damaged file", ErrorResponse.fromStore(storeError({})), 500, "internal", {}],
    ["a damaged block", ErrorResponse.fromStore(storeError({ damagedBlock: 7 })), 500, "internal", {}],
  ])("%s has its error, status and headers, with the id of the request", ([, failing, status, code, headers]) =>
    Effect.gen(function* () {
      const found = yield* Effect.flip(failing)
      const response = yield* ErrorResponse.answer(failing)

      expect([found.error.code, found.error.requestId, found.headers]).toEqual([code, "id-1", headers])
      expect([response.status, response.headers]).toEqual([status, expect.objectContaining(headers)])
    }).pipe(Effect.provideService(RequestId, "id-1"), Effect.provide(Logger.layer([]))),
  )

  it.effect("staleCursor: states where to resume, and the blocks below it if there are any", () =>
    Effect.gen(function* () {
      const messageOf = (block: number) =>
        Effect.map(Effect.flip(ErrorResponse.staleCursor(block, {})), ({ error, message }) => [
          error.message === message,
          message.replace(/^.*Start again /, ""),
          "resumeFromBlock" in error ? error.resumeFromBlock : undefined,
        ])

      expect(yield* messageOf(5)).toEqual([
        true,
        "without a cursor, from_block=5; in descending order, then continue with to_block=4.",
        5n,
      ])
      expect(yield* messageOf(0)).toEqual([true, "without a cursor, from_block=0.", 0n])
    }),
  )

  it.effect("fromStore: names a damaged block, which is logged once", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const failing = Effect.flip(ErrorResponse.fromStore(storeError({ damagedBlock: 7 })))
      const found = yield* Effect.andThen(failing, failing).pipe(
        Effect.provide(logger),
        Effect.provideService(UnavailableLog.LoggedAt, new Map()),
      )

      expect(logged).toEqual(["Requests fail: The file is damaged."])
      expect(found.message).toContain("Stored block damaged: block 7.")
    }),
  )
})

describe("InvalidParameter", () => {
  const decode = Schema.decodeUnknownResult(
    Schema.Struct({ limit: Schema.Literal("1"), order: Schema.optional(Schema.String) }),
  )
  const refused = (input: InvalidParameterInput, what?: string) =>
    Result.match(decode(input), {
      onSuccess: () => undefined,
      onFailure: (error) => InvalidParameter.fromError(error, input, what),
    })

  it("fromError: names the first invalid parameter, or one that is sent more than once", () => {
    expect(refused({ limit: "2" })).toMatchObject({
      parameter: "limit",
      code: "bad_request",
      message: 'Invalid query parameter "limit": expected "1", received "2".',
    })
    expect(refused({ limit: "2", order: ["a", "b"] }, "path parameter")).toMatchObject({
      parameter: "order",
      message: 'Invalid path parameter "order": expected one value, received 2 values.',
    })
  })

  it("fromChain: has the code of the chain", () => {
    const found = InvalidParameter.fromChain({ code: "chain_not_served", issue: { ...issue, path: "chain" } } as never)

    expect(found).toMatchObject({ parameter: "chain", code: "chain_not_served" })
    expect(found.message).toContain('query parameter "chain"')
  })
})
