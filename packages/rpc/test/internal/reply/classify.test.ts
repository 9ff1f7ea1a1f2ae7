/** The error of a call, from what the server sent and its HTTP status. */
import { InvalidResponse } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Schema } from "effect"
import { batchRejectionOf, classify, classifyText } from "../../../src/internal/reply/classify.ts"
import { matchBatch, matchSingle } from "../../../src/internal/reply/match.ts"
import { RpcError } from "../../../src/RpcError.ts"

const replyOf = (text: string, change: Partial<Reply> = {}): Reply => ({
  status: 200,
  headers: {},
  text,
  host: "node.example",
  requestId: undefined,
  retryAfter: undefined,
  attempts: [],
  scrub: (value) => value.replaceAll("s3cret", "***"),
  ...change,
})

const errorOf = (error: object, change: Partial<Reply> = {}, method = "eth_call") => {
  const body = { jsonrpc: "2.0", id: 1, error }
  const item = matchSingle(body, { id: 1, method, params: [] })
  return item._tag === "Value" ? undefined : classify(item, replyOf(JSON.stringify(body), change), method)
}

describe("classify", () => {
  it("classify: prefers the wait of the header to that of the error", () => {
    const error = { code: -32005, message: "slow down", data: { retry_after: 9 } }
    const retryAfter = Duration.seconds(2)

    expect(errorOf(error)?.retryAfter).toEqual(Duration.seconds(9))
    expect(errorOf(error, { retryAfter })?.retryAfter).toEqual(retryAfter)
  })

  it("classify: reads no wait from the message of a revert, which is that of a contract", () => {
    const reverted = { code: 3, message: "execution reverted: wait 86400 seconds" }

    expect(errorOf(reverted)).toMatchObject({ _tag: "RpcError", kind: "reverted", retryAfter: undefined })
    expect(errorOf({ code: -32602, message: "invalid argument 0: try again in 5 s" })?.retryAfter).toBeUndefined()
  })

  it("classify: removes keys from the message and the data of a node's error", () => {
    const error = errorOf({ code: 3, message: "reverted by s3cret", data: { at: ["s3cret"] } })

    expect(error).toMatchObject({ _tag: "RpcError", message: "reverted by ***", data: { at: ["***"] } })
  })

  it.each([
    [429, "RateLimited"],
    [401, "Unauthorized"],
    [403, "Unauthorized"],
    [500, "RpcError"],
  ])("classify: status %i takes precedence over the code of the error: %s", (status, tag) => {
    expect(errorOf({ code: -32000, message: "no" }, { status })?._tag).toBe(tag)
  })

  it("classify: keeps data without a key as received, and redacted data as text if it is no longer JSON", () => {
    const dataOf = (data: unknown, scrub?: Reply["scrub"]): unknown => {
      const error = errorOf({ code: 3, message: "reverted", data }, scrub === undefined ? {} : { scrub })
      return error?._tag === "RpcError" ? error.data : error
    }

    expect([dataOf(null), dataOf(undefined), Object.is(dataOf(-0), -0)]).toEqual([null, undefined, true])
    expect(dataOf("s3cret", () => "no JSON")).toBe("no JSON")
  })

  it.each([
    [{ code: -32000, message: "invalid api key" }, 200, { _tag: "Unauthorized" }],
    [{ code: 3, message: "reverted" }, 502, { _tag: "RpcError", kind: "reverted", isRetryable: false }],
    [{ code: -32603, message: "internal error" }, 200, { _tag: "RpcError", kind: "internal", isRetryable: true }],
    [{ code: -32603, message: "internal error" }, 413, { _tag: "RpcError", kind: "tooLarge", isRetryable: false }],
  ])("classify: an error of %j with the status %i", (error, status, expected) => {
    expect(errorOf(error, { status })).toMatchObject(expected)
  })

  it.each([
    [199, "status", false, undefined],
    [200, "content", false, undefined],
    [299, "content", false, undefined],
    [300, "status", false, undefined],
    [404, "status", false, expect.stringContaining("Check the RPC URL")],
    [500, "status", true, undefined],
  ])("classify: a reply to another call with the status %i has a wrong %s", (status, reason, isRetryable, advice) => {
    const body = { jsonrpc: "2.0", id: 2, result: "s3cret" }
    const item = matchSingle(body, { id: 1, method: "eth_call", params: [] })
    const error =
      item._tag === "Value" ? undefined : classify(item, replyOf(JSON.stringify(body), { status }), "eth_call")
    const ofStatus = {
      path: "status",
      received: `${status} with the text: {"jsonrpc":"2.0","id":2,"result":"***"}`,
      expected: "a status from 200 to 299, or a JSON-RPC error",
    }

    expect(error).toMatchObject({ _tag: "InvalidResponse", reason, isRetryable, advice })
    expect(error).toMatchObject(
      reason === "status" ? ofStatus : { path: "id", received: "2", expected: "1, the id of the call" },
    )
  })

  it("classify: retries a call without a reply in a batch, unless the HTTP status states another error", () => {
    const [item] = matchBatch(
      [],
      [1, 2].map((id) => ({ id, method: "eth_call", params: [] })),
    )
    const ofStatus = (status: number) =>
      item === undefined || item._tag === "Value" ? item : classify(item, replyOf("[]", { status }), "eth_call")

    expect(ofStatus(200)).toMatchObject({ _tag: "InvalidResponse", isRetryable: true })
    expect([429, 401, 403, 402].map((status) => ofStatus(status)?._tag)).toEqual([
      "RateLimited",
      "Unauthorized",
      "Unauthorized",
      "InvalidResponse",
    ])
  })

  it("classify: treats a plan without old blocks as a node without them, not as a wrong key", () => {
    const message = "Archive, Debug and Trace requests are not available on your current plan."

    expect(errorOf({ code: -32002, message }, { status: 403 })).toMatchObject({ _tag: "RpcError", kind: "pruned" })
    expect(errorOf({ code: -32002, message }, { status: 401 })?._tag).toBe("Unauthorized")
  })

  it("classify: treats BSC's limit on a log search as a range limit, and otherwise as a rate limit", () => {
    const error = { code: -32005, message: "limit exceeded" }

    expect(errorOf(error, {}, "eth_getLogs")).toMatchObject({ _tag: "RpcError", kind: "tooLarge", isRetryable: false })
    expect(errorOf(error)?._tag).toBe("RateLimited")
    expect(errorOf(error, { status: 429 }, "eth_getLogs")?._tag).toBe("RateLimited")
    expect(errorOf({ ...error, message: "request limit exceeded" }, {}, "eth_getLogs")?._tag).toBe("RateLimited")
  })

  it("classify: retries an unknown error only if a gateway sent it", () => {
    const error = { code: -32000, message: "nonce too low" }

    expect([500, 502, 503, 504].map((status) => errorOf(error, { status })?.isRetryable)).toEqual([
      false,
      true,
      true,
      true,
    ])
  })

  it.prop(
    "law: classify never throws, whatever JSON the server sends with whatever status",
    { body: Schema.Json, status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })) },
    ({ body, status }) => {
      const reply = replyOf(JSON.stringify(body), { status })
      const calls = [1, 2].map((id) => ({ id, method: "eth_call", params: [] }))
      const items = [matchSingle(body, calls[0]!), ...matchBatch(body, calls)]

      for (const item of items) {
        if (item._tag === "Value") continue
        const error = classify(item, reply, "eth_call")
        expect(["RpcError", "RateLimited", "Unauthorized", "InvalidResponse"]).toContain(error._tag)
        expect(typeof batchRejectionOf(error, 2)?.maxBatchSize).toMatch(/number|undefined/)
      }
    },
  )

  it.prop(
    "law: classify never throws on objects that look like JSON-RPC errors",
    { code: Schema.Json, message: Schema.Json, data: Schema.Json, extra: Schema.Json },
    ({ code, data, extra, message }) => {
      expect(errorOf({ code, message, data, retry_after: extra })).toBeInstanceOf(Error)
    },
  )
})

describe("classifyText", () => {
  it.each([
    ["an empty body", "", "nothing", true],
    ["truncated JSON", '{"jsonrpc":"2.0"', 'truncated or malformed JSON: {"jsonrpc":"2.0"', true],
    ["an empty body with spaces", " \n ", "nothing", true],
    ["a truncated list", " [1,", "truncated or malformed JSON: [1,", true],
    ["a limit in truncated JSON", '{"rate limited', 'truncated or malformed JSON: {"rate limited', true],
    ["an HTML page", "<html>", "an HTML page: <html>", false],
    ["plain text", "hello", "hello", false],
    ["the message of a failing gateway", "upstream timed out", "upstream timed out", true],
  ])("classifyText: reports %s", (_, text, received, isRetryable) => {
    expect(classifyText(replyOf(text))).toMatchObject({
      _tag: "InvalidResponse",
      path: "body",
      received,
      isRetryable,
    })
  })

  it("classifyText: recognises a rate limit in the first 20,000 characters of an HTML page", () => {
    expect(classifyText(replyOf("<html>error code: 1015</html>"))._tag).toBe("RateLimited")
    expect(classifyText(replyOf(`<${"x".repeat(20_000)} error code: 1015`))._tag).toBe("InvalidResponse")
  })

  it("classifyText: reports the status of an empty body, and recognises a text about a limit or a key", () => {
    const ofText = (text: string, status: number, change: Partial<Reply> = {}) =>
      classifyText(replyOf(text, { status, ...change }))

    expect(ofText("", 500)).toMatchObject({ path: "status", received: "500", isRetryable: true })
    expect([ofText("<html>", 429)._tag, ofText("{", 401)._tag, ofText("no", 403)._tag]).toEqual([
      "RateLimited",
      "Unauthorized",
      "Unauthorized",
    ])
    const limited = "rate limit, retry in 7s"
    expect(ofText(limited, 200)).toMatchObject({ _tag: "RateLimited", retryAfter: Duration.seconds(7) })
    expect(ofText(limited, 200, { retryAfter: Duration.seconds(2) }).retryAfter).toEqual(Duration.seconds(2))
    expect(ofText("invalid api key", 200)._tag).toBe("Unauthorized")
  })

  it.each([404, 405, 410])(
    "classifyText: repeats no call after status %i without a body, for the URL is wrong",
    (status) => {
      for (const text of ["", "{"]) {
        expect(classifyText(replyOf(text, { status }))).toMatchObject({ path: "status", isRetryable: false })
      }
    },
  )

  it("classifyText: searches for keys in a bounded part of a text", () => {
    const scrubbed: Array<number> = []
    const scrub = (text: string) => {
      scrubbed.push(text.length)
      return text
    }
    for (const status of [200, 500]) classifyText(replyOf(`<${"x".repeat(90_000)}`, { status, scrub }))

    expect(Math.max(...scrubbed)).toBe(32_768 + "an HTML page: ".length)
  })

  it.prop("law: classifyText never throws and never shows a key", [Schema.String], ([text]) => {
    const error = classifyText(replyOf(`${text}s3cret${text}`))

    expect(error.message).not.toContain("s3cret")
  })
})

describe("batchRejectionOf", () => {
  const rpcError = (code: number, message: string) =>
    new RpcError({ host: "node.example", method: "eth_call", code, message, kind: "tooLarge" })

  it.each([
    [
      "batches that are not supported",
      -32601,
      "batch requests are not supported",
      { maxBatchSize: 1, detectedLimit: 1 },
    ],
    ["a limit in the message", -32000, "batch limit 1,000 exceeded", { maxBatchSize: 1_000, detectedLimit: 1_000 }],
    ["a limit of one call", -32000, "batch limit 1 exceeded", { maxBatchSize: 1, detectedLimit: 1 }],
    [
      "a limit beside a smaller number",
      -32000,
      "error 7: batch limit 100 exceeded",
      { maxBatchSize: 100, detectedLimit: 100 },
    ],
    ["a limit that is the size of the batch", -32000, "batch limit 1200", { maxBatchSize: 600, detectedLimit: 600 }],
    ["a limit of 0, which is none", -32000, "batch limit 0 exceeded", { maxBatchSize: 600, detectedLimit: 600 }],
    ["a batch that is too large", -32003, "batch too large", { maxBatchSize: 600, detectedLimit: 600 }],
    ["a request that could not be read", -32600, "Invalid Request", { maxBatchSize: 1, detectedLimit: undefined }],
    ["a response that is too large", -32000, "response too large", { maxBatchSize: 600, detectedLimit: undefined }],
  ])("batchRejectionOf: splits after %s", (_, code, message, expected) => {
    expect(batchRejectionOf(rpcError(code, message), 1_200)).toEqual(expected)
  })

  it("batchRejectionOf: keeps the size 1 for a single rejected call, and halves a batch with the status 413", () => {
    const tooLarge = new InvalidResponse({
      host: "node.example",
      reason: "status",
      path: "status",
      received: "413",
      expected: "another",
      status: 413,
    })

    expect(batchRejectionOf(rpcError(-32003, "batch too large"), 1)).toEqual({ maxBatchSize: 1, detectedLimit: 1 })
    expect(batchRejectionOf(tooLarge, 1_200)).toEqual({ maxBatchSize: 600, detectedLimit: 600 })
    expect(batchRejectionOf(new InvalidResponse({ ...tooLarge, status: 400 }), 1_200)).toBeUndefined()
  })

  it("batchRejectionOf: derives no limit from an error that does not concern the batch", () => {
    const error = rpcError(-32005, "query returned more than 100 results")

    expect(batchRejectionOf(error, 1_200)).toEqual({ maxBatchSize: 600, detectedLimit: undefined })
  })

  it.each([
    [3, "execution reverted: response too large"],
    [-32000, "header not found"],
    [-32603, "internal error"],
  ])("batchRejectionOf: does not split after %i %s", (code, message) => {
    expect(batchRejectionOf(rpcError(code, message), 1_200)).toBeUndefined()
  })
})
