import { describe, expect, it } from "vitest"
import * as JsonRpcEnvelope from "../../../src/server/relay/JsonRpcEnvelope.ts"

describe("Envelope", () => {
  describe("read", () => {
    it("keeps the text of an id, also where a parameter has one", () => {
      const body = `{"id":1.50,"jsonrpc":"2.0","method":"m","params":[{"id":2.50}]}`
      expect(JsonRpcEnvelope.read(body)).toEqual({
        _tag: "Single",
        item: { _tag: "Call", id: "1.50", method: "m", params: [{ id: 2.5 }] },
      })
    })

    it("takes the last of two members of one name, as JSON.parse does", () => {
      const read = JsonRpcEnvelope.read(`{"id":1,"jsonrpc":"2.0","method":"a","method":"b","id":2}`)
      expect(read).toMatchObject({ item: { id: "2", method: "b" } })
    })

    it("tells a notification from a call whose id is empty", () => {
      expect(JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a"}`)).toMatchObject({ item: { id: undefined } })
      expect(JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a","id":""}`)).toMatchObject({ item: { id: '""' } })
      expect(JsonRpcEnvelope.read(`{"jsonrpc":"2.0","method":"a","id":0}`)).toMatchObject({ item: { id: "0" } })
    })

    it("reads each member of a batch for itself", () => {
      const read = JsonRpcEnvelope.read(`[{"jsonrpc":"2.0","method":"a","id":1},[],{"jsonrpc":"2.0","id":7}]`)
      expect(read).toMatchObject({
        _tag: "Batch",
        items: [
          { _tag: "Call", id: "1" },
          { _tag: "Wrong", id: "null" },
          { _tag: "Wrong", id: "7" },
        ],
      })
    })
  })

  describe("failure", () => {
    it("leaves out data that is not there", () => {
      expect(JsonRpcEnvelope.failure("1", { code: -32000, message: 'a "b"', data: undefined })).toBe(
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"a \\"b\\""}}',
      )
      expect(JsonRpcEnvelope.failure(undefined, { code: 3, message: "", data: "0x08" })).toBe(
        '{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"","data":"0x08"}}',
      )
    })
  })
})
