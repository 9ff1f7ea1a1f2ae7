import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as Trace from "../src/Trace.ts"
import { address, hash } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const frame = {
  type: "CALL",
  from: address("1"),
  to: address("2"),
  value: "0x0",
  gas: "0x5208",
  gasUsed: "0x0",
  input: "0x",
  output: "0x",
  calls: [
    { type: "STATICCALL", from: address("2"), to: address("3"), gas: "0x1", gasUsed: "0x1", input: "0x01" },
    {
      type: "CREATE",
      from: address("2"),
      gas: "0x1",
      gasUsed: "0x1",
      input: "0x60",
      value: "0x0",
      error: "out of gas",
    },
  ],
}

const flat = {
  type: "call",
  action: { callType: "call", from: address("1"), to: address("2"), value: "0x0", gas: "0x1", input: "0x" },
  result: { gasUsed: "0x1", output: "0x" },
  subtraces: 1,
  traceAddress: [0, 2],
  transactionHash: hash("a"),
  transactionPosition: 3,
  blockHash: hash("b"),
  blockNumber: 16,
}

describe("Trace", () => {
  describe("CallFrame", () => {
    it("CallFrame: decodes and encodes nested frames without loss", () => {
      decodesAndEncodes(Trace.CallFrame, frame)
      decodesAndEncodes(Trace.CallFrame, { ...frame, error: "execution reverted", revertReason: "no", logs: [] })
      decodesAndEncodes(Trace.CallFrame, { ...frame, error: null, revertReason: null })
      expect(Schema.decodeUnknownSync(Trace.CallFrame)(frame).calls?.[1]).toMatchObject({
        value: 0n,
        error: "out of gas",
      })
    })

    it("CallFrame: the error has the path of the invalid frame", () => {
      expect(refusal(Trace.CallFrame, { ...frame, calls: [{ ...frame, from: "0x" }] })).toContain(
        '["calls"][0]["from"]',
      )
    })

    it.prop("CallFrame: decodes what it encodes", [Trace.CallFrame], ([value]) => {
      encodesAndDecodes(Trace.CallFrame, value)
    })
  })

  describe("TransactionTrace", () => {
    it("TransactionTrace: has a result or a tracer error", () => {
      decodesAndEncodes(Trace.TransactionTrace, { txHash: hash("a"), result: frame })
      decodesAndEncodes(Trace.TransactionTrace, { error: "state not available" })
    })
  })

  describe("FlatTrace", () => {
    it.each<[string, object]>([
      ["call", flat],
      [
        "create",
        {
          ...flat,
          type: "create",
          action: { from: address("1"), gas: "0x1", init: "0x60", value: "0x0" },
          result: { address: address("4"), code: "0x", gasUsed: "0x1" },
        },
      ],
      [
        "suicide",
        {
          ...flat,
          type: "suicide",
          action: { address: address("1"), refundAddress: address("2"), balance: "0x5" },
          result: null,
        },
      ],
      [
        "reward",
        {
          type: "reward",
          action: { author: address("1"), rewardType: "block", value: "0x1bc16d674ec80000" },
          result: null,
          subtraces: 0,
          traceAddress: [],
          blockHash: hash("b"),
          blockNumber: 16,
          transactionHash: null,
          transactionPosition: null,
        },
      ],
      ["failed", { ...flat, error: "Reverted", result: null }],
    ])("FlatTrace: decodes and encodes without loss (%s)", (_name, wire) => {
      decodesAndEncodes(Trace.FlatTrace, wire)
    })

    it.prop("FlatTrace: decodes what it encodes", [Trace.FlatTrace], ([value]) => {
      encodesAndDecodes(Trace.FlatTrace, value)
    })
  })
})
