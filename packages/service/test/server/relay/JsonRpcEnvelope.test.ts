import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as JsonRpcEnvelope from "../../../src/server/relay/JsonRpcEnvelope.ts"

describe("JsonRpcEnvelope", () => {
  describe("read", () => {
    it("read: preserves the text of an id, even if a parameter has an id", () => {
      const body = `{"id":1.50,"jsonrpc":"2.0","method":"m","params":[{"id":2.50}]}`
      expect(JsonRpcEnvelope.read(body)).toEqual({
        _tag: "Single",
        item: { _tag: "Call", id: "1.50", method: "m", params: [{ id: 2.5 }] },
      })
    })

    it("read: preserves the text of a number only for the id, not for other numbers and strings", () => {
      const calls = [
        `{"id":1.50,"jsonrpc":"2.0","method":"m","more":2.0}`,
        `{"id":"\\u0041","jsonrpc":"2.0","method":"m"}`,
      ]
      expect(JsonRpcEnvelope.read(`[${calls.join(",")}]`)).toMatchObject({ items: [{ id: "1.50" }, { id: '"A"' }] })
    })

    it("read: the last of two members with one name wins, as in JSON.parse", () => {
      const read = JsonRpcEnvelope.read(`{"id":1,"jsonrpc":"2.0","method":"a","method":"b","id":2}`)
      expect(read).toMatchObject({ item: { id: "2", method: "b" } })
    })

    it("read: a request without an id is a notification; an empty id or 0 is an id", () => {
      expect(JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a"}`)).toMatchObject({ item: { id: undefined } })
      expect(JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a","id":""}`)).toMatchObject({ item: { id: '""' } })
      expect(JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a","id":0}`)).toMatchObject({ item: { id: "0" } })
    })

    it("read: a call with params of null has none", () => {
      const read = JsonRpcEnvelope.read(`{"id":1,"jsonrpc":"2.0","method":"eth_chainId","params":null}`)
      expect(read).toEqual({ _tag: "Single", item: { _tag: "Call", id: "1", method: "eth_chainId", params: [] } })
    })

    it("read: a notification with params by name is a call without an id", () => {
      const read = JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a","params":{"x":1}}`)
      expect(read).toEqual({ _tag: "Single", item: { _tag: "Call", id: undefined, method: "a", params: [] } })
    })

    it.each([
      ["", -32700, "null", ": expected JSON, received an empty body."],
      ["{", -32700, "null", ": expected JSON, received a body that is not JSON."],
      ["7", -32600, "null", ": expected an object with jsonrpc, id, method and params, received 7."],
      ["[]", -32600, "null", ": expected at least one call in a batch, received an empty array."],
      ["null", -32600, "null", ": expected an object with jsonrpc, id, method and params, received null."],
      [`"id"`, -32600, "null", `: expected an object with jsonrpc, id, method and params, received "id".`],
      [`{"id":null}`, -32600, "null", ` "id": expected a number or a string, received null.`],
      [`{"id":[1]}`, -32600, "null", ` "id": expected a number or a string, received an array of 1 item.`],
      [`{"id":1,"method":"m"}`, -32600, "1", ` "jsonrpc": expected "2.0", received nothing.`],
      [`{"id":1,"jsonrpc":"2.0"}`, -32600, "1", ` "method": expected the name of a method, received nothing.`],
      [
        `{"id":1,"jsonrpc":"2.0","method":"m","params":"x"}`,
        -32600,
        "1",
        ` "params": expected an array, received "x".`,
      ],
      [
        `{"id":1,"jsonrpc":"2.0","method":"m","params":{}}`,
        -32602,
        "1",
        ` "params": expected an array (parameters by position), received an empty object.`,
      ],
    ])("read: rejects %s, and states what is expected", (text, code, id, message) => {
      const body = JsonRpcEnvelope.read(text)
      const invalid = body._tag === "Single" ? body.item : body

      expect({ id: "null", ...invalid }).toMatchObject({
        _tag: "Invalid",
        id,
        failure: { code, message: `Invalid JSON-RPC request${message}` },
      })
    })

    it("read: reads each item of a batch separately", () => {
      const read = JsonRpcEnvelope.read(`[{"jsonrpc":"2.0","method":"a","id":1},[],{"jsonrpc":"2.0","id":7}]`)
      expect(read).toMatchObject({
        _tag: "Batch",
        items: [
          { _tag: "Call", id: "1" },
          { _tag: "Invalid", id: "null" },
          { _tag: "Invalid", id: "7" },
        ],
      })
    })
  })

  describe("laws", () => {
    it.prop(
      "read: never throws, and each invalid item has a JSON-RPC 2.0 code",
      { value: Schema.Json },
      ({ value }) => {
        const body = JsonRpcEnvelope.read(JSON.stringify(value))
        const items = body._tag === "Batch" ? body.items : body._tag === "Single" ? [body.item] : []
        const failures = items.flatMap((item) => (item._tag === "Invalid" ? [item.failure] : []))
        for (const { code, message } of failures) {
          expect([-32600, -32602]).toContain(code)
          expect(message).toMatch(/^Invalid JSON-RPC request/)
        }
      },
    )

    it.prop("read: never throws on any text", { text: Schema.String }, ({ text }) => {
      expect(["Single", "Batch", "Invalid"]).toContain(JsonRpcEnvelope.read(text)._tag)
    })

    it.prop(
      "successBytes: returns the bytes of the envelope around those of a result",
      { id: Schema.Union([Schema.Int, Schema.String]), value: Schema.Json },
      ({ id, value }) => {
        const [idText, result] = [JSON.stringify(id), JSON.stringify(value)]
        const text = `{"jsonrpc":"2.0","id":${idText},"result":${result}}`

        expect(Buffer.from(JsonRpcEnvelope.successBytes(idText, Buffer.from(result))).toString()).toBe(text)
      },
    )
  })

  describe("failure", () => {
    it("failure: omits data that is undefined", () => {
      expect(JsonRpcEnvelope.failure("1", { code: -32000, message: 'a "b"', data: undefined })).toBe(
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"a \\"b\\""}}',
      )
      expect(JsonRpcEnvelope.failure(undefined, { code: 3, message: "", data: "0x08" })).toBe(
        '{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"","data":"0x08"}}',
      )
    })
  })
})
