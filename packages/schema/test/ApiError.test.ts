import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as ApiError from "../src/ApiError.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(ApiError.ApiError)

describe("ApiError", () => {
  it.each([
    ["bad_request", "BadRequest"],
    ["chain_not_served", "BadRequest"],
    ["traces_not_indexed", "BadRequest"],
    ["address_not_watched", "BadRequest"],
    ["unauthorized", "Unauthorized"],
    ["forbidden", "Forbidden"],
    ["not_found", "NotFound"],
    ["method_not_allowed", "MethodNotAllowed"],
    ["payload_too_large", "PayloadTooLarge"],
    ["rate_limited", "RateLimited"],
    ["internal", "Internal"],
    ["unavailable", "Unavailable"],
  ])("ApiError: decodes the code %s to %s", (code, tag) => {
    const wire = { message: "Invalid parameter.", code, requestId: "r1" }
    expect(decode(wire)).toMatchObject({ _tag: tag, code, message: "Invalid parameter.", requestId: "r1" })
    decodesAndEncodes(ApiError.ApiError, wire)
  })

  it("StaleCursor: requires the block to resume from", () => {
    const error = decode({ message: "gone", code: "stale_cursor", requestId: "r1", resumeFromBlock: 12 })
    expect(error._tag === "StaleCursor" && error.resumeFromBlock).toBe(12n)
    decodesAndEncodes(ApiError.ApiError, {
      message: "gone",
      code: "stale_cursor",
      requestId: "r1",
      resumeFromBlock: 12,
    })
    expect(refusal(ApiError.ApiError, { message: "gone", code: "stale_cursor", requestId: "r1" })).toContain(
      "resumeFromBlock",
    )
  })

  it("BadRequest: is an Error with its message and encodes without its tag", () => {
    const error = new ApiError.BadRequest({
      message: "limit is 0",
      code: "bad_request",
      requestId: "r1",
      parameter: "limit",
    })
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toContain("limit is 0")
    expect(Schema.encodeSync(ApiError.ApiError)(error)).toEqual({
      message: "limit is 0",
      code: "bad_request",
      requestId: "r1",
      parameter: "limit",
    })
  })

  it("ApiError: refuses an unknown code", () => {
    expect(refusal(ApiError.ApiError, { message: "x", code: "teapot", requestId: "r1" })).toContain("Expected")
  })

  it.prop("ApiError: decodes what it encodes", [ApiError.ApiError], ([value]) => {
    encodesAndDecodes(ApiError.ApiError, value)
  })

  it("BareMessage: has one message or several", () => {
    decodesAndEncodes(ApiError.BareMessage, { message: "not found" })
    decodesAndEncodes(ApiError.BareMessage, { message: ["a", "b"] })
  })
})
