import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Receipt from "../src/Receipt.ts"
import { address, hash, log, receipt } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

describe("Receipt", () => {
  describe("Receipt", () => {
    it("gives status as a number and gas as bigint", () => {
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
      ["as nodes send it", receipt],
      ["of a creation", { ...receipt, to: null, contractAddress: address("6") }],
      ["before Byzantium", { ...old, root: hash("1") }],
      ["of optimism", { ...receipt, l1Fee: "0x1", l1GasPrice: "0x2", l1GasUsed: "0x3", l1FeeScalar: "0.684" }],
      ["of arbitrum", { ...receipt, gasUsedForL1: "0x1", l1BlockNumber: "0x2", timeboosted: false }],
      ["of a blob", { ...receipt, type: "0x3", blobGasUsed: "0x20000", blobGasPrice: "0x1" }],
      ["with unknown keys", { ...receipt, feeToken: address("7") }],
    ])("decodes and encodes without loss: %s", (_name, wire) => {
      decodesAndEncodes(Receipt.Receipt, wire)
    })

    it("reads the block time that anvil sends as a JSON number", () => {
      expect(Schema.decodeUnknownSync(Receipt.Receipt)({ ...receipt, blockTimestamp: 1767225600 }).blockTimestamp).toBe(
        1767225600n,
      )
    })

    it("lists what it does not know", () => {
      const value = Schema.decodeUnknownSync(Receipt.Receipt)({ ...receipt, feePayer: null })
      expect(Receipt.extras(value)).toEqual({ feePayer: null })
    })

    it.each(["transactionHash", "blockHash", "gasUsed", "logs", "logsBloom"])("requires %s", (key) => {
      const { [key]: _removed, ...without } = receipt as Record<string, unknown>
      expect(refusal(Receipt.Receipt, without)).toContain(`["${key}"]`)
    })

    it("decodes what it encoded", async () => {
      await encodesAndDecodes(Receipt.Receipt)
    })
  })

  describe("Log", () => {
    it("decodes and encodes without loss", () => {
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
