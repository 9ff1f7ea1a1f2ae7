import { describe, expect, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as WebhookOperation from "@daybook/schema/WebhookOperation"
import type { Http } from "@daybook/transport"
import { Duration, Result } from "effect"
import * as ReplyDecoder from "../../src/internal/ReplyDecoder.ts"
import { walletTransactions } from "../../src/internal/WalletTransactions.ts"
import { noCoverage, page, row } from "../history.ts"
import { reply } from "./reply.ts"

const decodeWith = ReplyDecoder.make(walletTransactions)
const decode = (received: Http.Reply, keepsValidRows: boolean, parameters: Readonly<Record<string, string>> = {}) =>
  decodeWith(received, keepsValidRows, parameters)
const errorOf = (status: number, body: unknown, more?: Partial<Http.Reply>) =>
  Result.getOrThrow(Result.flip(decode(reply(status, body, more), false)))
const wire = (code: string, more: object = {}) => ({ message: "the message", code, requestId: "r-7", ...more })

describe("ReplyDecoder", () => {
  describe("decode", () => {
    it("decode: returns the page of a 200", () => {
      const { page: decoded } = Result.getOrThrow(decode(reply(200, page([row(7, 0)], "next")), false))

      expect(decoded.cursor).toBe("next")
      expect(decoded.result[0]?.block_number).toBe(7n)
    })

    it("decode: rejects a cursor that the next request could not carry", () => {
      const error = errorOf(200, page([row(7, 0)], "c".repeat(5_000_000)))

      expect(error).toMatchObject({
        _tag: "InvalidResponse",
        path: "cursor",
        expected: "at most 4096 characters",
        received: "5000000 characters",
      })
      expect(error.message.length).toBeLessThan(200)
      expect(Result.isSuccess(decode(reply(200, page([row(7, 0)], "c".repeat(4_096))), false))).toBe(true)
    })

    it.each([
      [{ to_block: "5" }, 1, "a block from 0 to 5, as requested", "9"],
      [{ from_block: "4", to_block: "9" }, 2, "a block from 4 to 9, as requested", "3"],
      [{ from_block: "6" }, 0, "a block from 6 to the last one, as requested", "5"],
    ] as const)("decode: rejects a row outside of the requested blocks: %o", (parameters, at, expected, received) => {
      const body = page([row(5, 0), row(9, 0), row(3, 0)])

      expect(Result.getOrThrow(Result.flip(decode(reply(200, body), true, parameters)))).toMatchObject({
        _tag: "InvalidResponse",
        path: `result[${at}].block_number`,
        expected,
        received,
        isRetryable: false,
      })
    })

    it("decode: names a row outside of the requested blocks by its received index, even after invalid rows", () => {
      const invalid = { ...row(5, 0), value: "x" }
      const body = page([invalid, row(5, 1), invalid, row(9, 0), invalid])

      expect(Result.getOrThrow(Result.flip(decode(reply(200, body), true, { to_block: "5" })))).toMatchObject({
        path: "result[3].block_number",
        received: "9",
      })
    })

    it("decode: quotes the message that a 200 has in place of a page, without keys and cut", () => {
      const texts = ["Upstream\u001b down: hidden", ["slow", "down"], "x".repeat(900)]

      expect(texts.map((message) => errorOf(200, { message }).message)).toEqual([
        "Invalid response from api.test: body: expected a page, received the message: Upstream[U+001B] down: <redacted>.",
        "Invalid response from api.test: body: expected a page, received the message: slow; down.",
        expect.stringMatching(/received the message: x{199}… \(900 characters\)\.$/),
      ])
      expect(errorOf(200, { ...JSON.parse(page([row(1, 0)])), page: "x", message: "ok" })).toMatchObject({
        path: "page",
      })
    })

    it("single: names the invalid member of a value that has a message of its own", () => {
      const { testWebhook: contract } = WebhookOperation.all
      const decodeTest = ReplyDecoder.single({
        contract,
        encode: () => Result.fail({ path: "", expected: "", received: "" }),
      })
      const error = Result.getOrThrow(Result.flip(decodeTest(reply(200, { id: 7, message: "msg_1" }), false, {})))

      expect(error).toMatchObject({ _tag: "InvalidResponse", path: "id", received: "7" })
    })

    it("decode: accepts rows of the first and the last requested block", () => {
      const body = page([row(9, 0), row(5, 0)])

      expect(Result.isSuccess(decode(reply(200, body), false, { from_block: "5", to_block: "9" }))).toBe(true)
    })

    const coded: ReadonlyArray<readonly [status: number, body: object, tag: string, isRetryable: boolean]> = [
      [400, wire("bad_request"), "BadRequest", false],
      [400, wire("chain_not_served", { parameter: "chain" }), "BadRequest", false],
      [400, wire("traces_not_indexed", { parameter: "include" }), "BadRequest", false],
      [400, wire("address_not_watched", { parameter: "address" }), "BadRequest", false],
      [401, wire("unauthorized"), "Unauthorized", false],
      [403, wire("forbidden"), "Forbidden", false],
      [404, wire("not_found"), "NotFound", false],
      [405, wire("method_not_allowed"), "InvalidResponse", false],
      [409, wire("stale_cursor", { resumeFromBlock: 120 }), "StaleCursor", false],
      [413, wire("payload_too_large"), "InvalidResponse", false],
      [429, wire("rate_limited"), "RateLimited", true],
      [500, wire("internal"), "InvalidResponse", true],
      [503, wire("unavailable"), "Unavailable", true],
    ]
    for (const [status, body, tag, isRetryable] of coded) {
      it(`decode: classifies ${status} ${(body as { code: string }).code} as ${tag}`, () => {
        const error = errorOf(status, body)

        expect(error._tag).toBe(tag)
        expect(error.isRetryable).toBe(isRetryable)
        expect(error.requestId).toBe("r-7")
        expect(error.host).toBe("api.test")
        if (tag !== "StaleCursor") expect(error.message).toContain("the message")
      })
    }
    it("decode: advises to check the base URL only if the server does not know the path", () => {
      const messageOf = (message: string) => errorOf(404, wire("not_found", { message })).message

      expect(messageOf("Statements not signed: this service has no signingKey.")).toBe(
        "Not found on api.test: Statements not signed: this service has no signingKey.",
      )
      expect(messageOf("Path not found.")).toBe(
        "Path not found on api.test: Path not found. Check the base URL: it is the part before /api/v2.2.",
      )
    })
    it("decode: keeps the code and the parameter of a bad request", () => {
      const error = errorOf(400, wire("traces_not_indexed", { parameter: "include" }))

      expect(error._tag === "BadRequest" && `${error.code} ${error.parameter} ${error.status}`).toBe(
        "traces_not_indexed include 400",
      )
    })
    it("decode: keeps the block to resume from", () => {
      const error = errorOf(409, wire("stale_cursor", { resumeFromBlock: "120" }))

      expect(error._tag === "StaleCursor" && error.resumeFromBlock).toBe(120n)
    })
    it("decode: keeps the wait that a server requests", () => {
      for (const [status, code] of [
        [429, "rate_limited"],
        [503, "unavailable"],
      ] as const) {
        const error = errorOf(status, wire(code), { retryAfter: Duration.seconds(3) })

        expect(error.retryAfter && Duration.toMillis(error.retryAfter)).toBe(3_000)
      }
    })
    it("decode: prefers the request id of the header", () => {
      expect(errorOf(404, wire("not_found"), { requestId: "h-1" }).requestId).toBe("h-1")
    })

    const used =
      "Validation service blocked: Your plan: free-plan-daily total included usage has been consumed, please upgrade your plan"
    const bare: ReadonlyArray<readonly [status: number, body: unknown, tag: string]> = [
      [400, { message: "address is not a valid hex address" }, "BadRequest"],
      [422, { message: ["limit must not be greater than 100"], statusCode: 422 }, "BadRequest"],
      [401, { message: "Token is invalid format" }, "Unauthorized"],
      [401, { message: used, statusCode: 401, details: null }, "QuotaExceeded"],
      [401, { message: "You have exceeded your monthly quota." }, "QuotaExceeded"],
      [402, { message: "payment required" }, "QuotaExceeded"],
      [403, { message: used }, "QuotaExceeded"],
      [403, { message: "not in your plan" }, "Forbidden"],
      [404, { message: "Cannot GET /api" }, "NotFound"],
      [409, { message: "conflict" }, "InvalidResponse"],
      [429, { message: "Rate limit exceeded.", statusCode: 429 }, "RateLimited"],
      [500, { message: "Internal server error", statusCode: 500 }, "InvalidResponse"],
      [502, "<html><body>Bad Gateway</body></html>", "InvalidResponse"],
      [503, "<html><body>Service Unavailable</body></html>", "Unavailable"],
      [401, "", "Unauthorized"],
      [429, "error code: 1015", "RateLimited"],
      [418, "short and stout", "InvalidResponse"],
    ]
    for (const [status, body, tag] of bare) {
      it(`decode: classifies ${status} ${JSON.stringify(body).slice(0, 60)} as ${tag}`, () => {
        expect(errorOf(status, body)._tag).toBe(tag)
      })
    }
    it("decode: joins a list of messages and finds the one parameter that they name", () => {
      const error = errorOf(400, { message: ["limit must not be greater than 100", "limit must be a number"] })

      expect(error._tag === "BadRequest" && error.parameter).toBe("limit")
      expect(error.message).toContain("limit must not be greater than 100; limit must be a number.")
    })
    it("decode: finds every parameter of the operation in a message", () => {
      for (const parameter of ["address", ...RestOperation.parameterNames(walletTransactions.contract)]) {
        const error = errorOf(400, { message: `${parameter} is invalid` })

        expect(error._tag === "BadRequest" && error.parameter).toBe(parameter)
      }
    })
    it("decode: has no parameter when a message names several", () => {
      const error = errorOf(400, { message: "from_block must be before to_block" })

      expect(error._tag === "BadRequest" && error.parameter === undefined).toBe(true)
    })
    it("decode: marks a 5xx of a proxy as retryable and no other unknown status", () => {
      expect(errorOf(502, "<html>").isRetryable).toBe(true)
      expect(errorOf(408, "").isRetryable).toBe(true)
      expect(errorOf(418, "").isRetryable).toBe(false)
    })

    it("decode: reports the path of an invalid value in less than 300 characters", () => {
      const error = errorOf(200, page([{ ...row(7, 0), input: "0xzz".repeat(5_000) }]))

      expect(error._tag === "InvalidResponse" && error.path === "result[0].input" && error.reason === "content").toBe(
        true,
      )
      expect(error.message.length).toBeLessThan(300)
      expect(error.isRetryable).toBe(false)
    })
    it("decode: describes an HTML page, incomplete JSON and an empty body", () => {
      for (const [text, received] of [
        ["<!DOCTYPE html><html><title>Login</title></html>", "an HTML page"],
        [`{"cursor":null,"result":[`, "{"],
        ["", "an empty body"],
      ] as const) {
        const error = errorOf(200, text)

        expect(error._tag === "InvalidResponse" && error.path === "body" && error.received.startsWith(received)).toBe(
          true,
        )
      }
    })
    it("decode: rejects an error with status 200", () => {
      expect(errorOf(200, { message: "busy" })._tag).toBe("InvalidResponse")
    })
    it("decode: no error contains a key of the endpoint, whatever the server sends", () => {
      const text = "the hidden key"
      const bodies: ReadonlyArray<readonly [number, unknown]> = [
        [400, { message: text }],
        [401, wire("unauthorized", { message: text, requestId: "hidden" })],
        [400, wire("bad_request", { parameter: "hidden" })],
        [500, text],
        [200, text],
        [200, page([{ ...row(1, 0), value: text }])],
      ]
      for (const [status, body] of bodies) {
        const error = errorOf(status, body)

        expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hidden")
      }
    })
  })

  describe("indexCoverage", () => {
    it("indexCoverage: reads the headers", () => {
      const headers = { "daybook-indexed-from": "0", "daybook-indexed-to": "1200", "daybook-finalized-to": "1100" }
      const missing = { "daybook-missing-transactions": "2" }

      expect(ReplyDecoder.indexCoverage(headers)).toStrictEqual({
        indexedFrom: 0n,
        indexedTo: 1_200n,
        finalizedTo: 1_100n,
        missingTransactions: null,
        reconciledTo: null,
        searchedTo: null,
        directOnlyTo: null,
        untracedTo: null,
        unstatedTo: null,
      })
      expect(ReplyDecoder.indexCoverage({ ...headers, ...missing }).missingTransactions).toBe(2n)
      expect(ReplyDecoder.indexCoverage({ "daybook-reconciled-to": "1099" }).reconciledTo).toBe(1_099n)
    })
    it("indexCoverage: is null if a server sends no block number", () => {
      expect(ReplyDecoder.indexCoverage({ "daybook-indexed-to": "soon" })).toStrictEqual(noCoverage)
    })
  })
})
