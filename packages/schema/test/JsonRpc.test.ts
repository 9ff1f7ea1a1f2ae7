import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as JsonRpc from "../src/JsonRpc.ts"
import { decodesAndEncodes, overWire, refusal } from "./law.ts"

const Id = Schema.Union([Schema.Int, Schema.String])

describe("JsonRpc", () => {
  describe("Request", () => {
    it("Request: decodes and encodes without loss", () => {
      decodesAndEncodes(JsonRpc.Request, { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
      decodesAndEncodes(JsonRpc.Request, { jsonrpc: "2.0", id: "a", method: "eth_chainId" })
      decodesAndEncodes(JsonRpc.Request, { jsonrpc: "2.0", method: "eth_chainId", traceId: "x" })
    })

    it("Request: refuses another version, a missing method, and parameters by name", () => {
      expect(refusal(JsonRpc.Request, { jsonrpc: "1.0", id: 1, method: "a" })).toContain('["jsonrpc"]')
      expect(refusal(JsonRpc.Request, { jsonrpc: "2.0", id: 1 })).toContain('["method"]')
      expect(refusal(JsonRpc.Request, { jsonrpc: "2.0", id: {}, method: "a" })).toContain('["id"]')
      expect(refusal(JsonRpc.Request, { jsonrpc: "2.0", id: 1, method: "a", params: {} })).toContain('["params"]')
    })

    it.prop("Request: decodes and encodes any JSON-RPC request unchanged", [JsonRpc.Request], ([value]) => {
      decodesAndEncodes(JsonRpc.Request, overWire(Schema.encodeSync(JsonRpc.Request)(value)))
    })
  })

  describe("Response", () => {
    it("isFailure: is true for a response with an error only", () => {
      const success = Schema.decodeUnknownSync(JsonRpc.Response)({ jsonrpc: "2.0", id: 1, result: null })
      const failure = Schema.decodeUnknownSync(JsonRpc.Response)({
        jsonrpc: "2.0",
        id: null,
        error: { code: -32202, message: "Batch requests are disabled", name: "Batch requests disabled" },
      })
      expect(JsonRpc.isFailure(success)).toBe(false)
      expect(JsonRpc.isFailure(failure) && failure.error.code).toBe(-32202)
    })

    it("Response: decodes and encodes without loss", () => {
      decodesAndEncodes(JsonRpc.Response, { jsonrpc: "2.0", id: 1, result: { a: [1, null, "x"] } })
      decodesAndEncodes(JsonRpc.Response, {
        jsonrpc: "2.0",
        id: "a",
        error: { code: 3, message: "execution reverted", data: "0x" },
      })
    })

    it.each<[string, unknown]>([
      ["neither a result nor an error", { jsonrpc: "2.0", id: 1 }],
      ["both a result and an error", { jsonrpc: "2.0", id: 1, result: null, error: null }],
      ["an error that is null", { jsonrpc: "2.0", id: 1, error: null }],
      ["an error that is text", { jsonrpc: "2.0", id: 1, error: "no" }],
      ["another version", { id: 1, result: 1 }],
      ["no id", { jsonrpc: "2.0", result: 1 }],
      ["an array", []],
      ["the response of a block explorer", { status: "0", message: "NOTOK", result: "text" }],
    ])("Response: refuses %s", (_name, input) => {
      expect(refusal(JsonRpc.Response, input).length).toBeGreaterThan(0)
    })

    it.prop("Response: decodes and encodes any JSON-RPC response unchanged", [Id, Schema.Json], ([id, result]) => {
      const error = { code: -32000, message: "execution reverted", data: result }
      decodesAndEncodes(JsonRpc.Response, overWire({ jsonrpc: "2.0", id, result }))
      decodesAndEncodes(JsonRpc.Response, overWire({ jsonrpc: "2.0", id, error }))
    })
  })

  describe("code", () => {
    it("code: has the numbers of the specification", () => {
      expect(JsonRpc.code).toEqual({
        parseError: -32700,
        invalidRequest: -32600,
        methodNotFound: -32601,
        invalidParams: -32602,
        internalError: -32603,
      })
    })
  })
})
