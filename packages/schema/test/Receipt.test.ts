import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as Receipt from "../src/Receipt.ts"
import { address, hash, log, receipt } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

describe("Receipt", () => {
  describe("Receipt", () => {
    it("Receipt: decodes the status to a number and gas to bigint", () => {
      expect(Schema.decodeUnknownSync(Receipt.Receipt)(receipt)).toMatchObject({
        status: 1,
        gasUsed: 21000n,
        effectiveGasPrice: 10n ** 9n,
        contractAddress: null,
        type: 2,
      })
    })

    const { status: _, effectiveGasPrice: __, type: ___, ...old } = receipt
    it.each<[string, object]>([
      ["fee market", receipt],
      ["contract creation", { ...receipt, to: null, contractAddress: address("6") }],
      ["before Byzantium", { ...old, root: hash("1") }],
      ["Optimism", { ...receipt, l1Fee: "0x1", l1GasPrice: "0x2", l1GasUsed: "0x3", l1FeeScalar: "0.684" }],
      ["Arbitrum", { ...receipt, gasUsedForL1: "0x1", l1BlockNumber: "0x2", timeboosted: false }],
      ["blob", { ...receipt, type: "0x3", blobGasUsed: "0x20000", blobGasPrice: "0x1" }],
      ["unknown keys", { ...receipt, feeToken: address("7") }],
    ])("Receipt: decodes and encodes without loss (%s)", (_name, wire) => {
      decodesAndEncodes(Receipt.Receipt, wire)
    })

    it("Receipt: decodes a block time sent as a JSON number", () => {
      expect(Schema.decodeUnknownSync(Receipt.Receipt)({ ...receipt, blockTimestamp: 1767225600 }).blockTimestamp).toBe(
        1767225600n,
      )
    })

    it("Receipt: decodes null to no logs and no topics, and encodes arrays", () => {
      const wire = {
        ...receipt,
        logs: [
          { ...log, topics: null },
          { ...log, topics: [] },
        ],
      }
      const decoded = Schema.decodeUnknownSync(Receipt.Receipt)(wire)
      expect(decoded.logs.map(({ topics }) => topics)).toEqual([[], []])
      expect(Schema.encodeSync(Receipt.Receipt)(decoded).logs[0]?.topics).toEqual([])
      expect(Schema.decodeUnknownSync(Receipt.Receipt)({ ...receipt, logs: null }).logs).toEqual([])
      for (const logs of [undefined, {}, "", 0]) {
        expect(refusal(Receipt.Receipt, { ...receipt, logs })).toContain(`["logs"]`)
      }
    })

    it("extras: lists unknown keys", () => {
      const value = Schema.decodeUnknownSync(Receipt.Receipt)({ ...receipt, l1BatchNumber: null })
      expect(Receipt.extras(value)).toEqual({ l1BatchNumber: null })
    })

    it.each(["transactionHash", "blockHash", "gasUsed", "logs", "logsBloom"])("Receipt: requires %s", (key) => {
      const { [key]: _removed, ...without } = receipt as Record<string, unknown>
      expect(refusal(Receipt.Receipt, without)).toContain(`["${key}"]`)
    })

    it.prop("Receipt: decodes what it encodes", [Receipt.Receipt], ([value]) => {
      encodesAndDecodes(Receipt.Receipt, value)
    })
  })

  describe("Log", () => {
    it("Log: decodes and encodes without loss, including while pending", () => {
      decodesAndEncodes(Receipt.Log, log)
      decodesAndEncodes(Receipt.Log, { ...log, topics: [], blockTimestamp: "0x1", transactionLogIndex: "0x0" })
      decodesAndEncodes(Receipt.Log, {
        ...log,
        blockNumber: null,
        blockHash: null,
        transactionHash: null,
        transactionIndex: null,
        logIndex: null,
      })
    })
  })
})
