import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Block from "../src/Block.ts"
import { address, block, feeMarket, hash, legacy } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Block.Block)

describe("Block", () => {
  describe("Block", () => {
    it("gives numbers, sizes and times as bigint and the nonce as 8 bytes", () => {
      expect(decode(block)).toMatchObject({
        number: 16n,
        nonce: "0x0000000000000042",
        timestamp: 0x65000000n,
        totalDifficulty: 0xc70d815d562d3cfa955n,
        gasLimit: 30000000n,
        transactions: [hash("a")],
        uncles: [],
      })
    })

    const { nonce: _, totalDifficulty: __, ...modern } = block
    it.each<[string, object]>([
      ["as the interface shows it", block],
      ["without total difficulty and nonce", modern],
      [
        "pending",
        { ...block, number: null, hash: null, nonce: null, logsBloom: null, miner: null, totalDifficulty: null },
      ],
      [
        "of a recent fork",
        {
          ...block,
          mixHash: hash("1"),
          baseFeePerGas: "0x7",
          withdrawals: [{ index: "0x1", validatorIndex: "0x2", address: address("1"), amount: "0x3" }],
          withdrawalsRoot: hash("2"),
          blobGasUsed: "0x0",
          excessBlobGas: "0x0",
          parentBeaconBlockRoot: hash("3"),
          requestsHash: hash("4"),
        },
      ],
      ["of arbitrum", { ...block, l1BlockNumber: "0x1", sendRoot: hash("1"), sendCount: "0x2" }],
      ["of bsc", { ...block, milliTimestamp: "0x1", extraData: `0x${"ab".repeat(280)}` }],
      [
        "of avalanche",
        { ...block, extDataHash: hash("1"), blockExtraData: "0x", extDataGasUsed: "0x0", blockGasCost: "0x0" },
      ],
      ["of fantom", { ...block, epoch: "0x1", timestampNano: "0x17c0d0e5c3b0c8a0" }],
      ["of old gnosis", { ...modern, author: address("1"), step: "371", signature: "ab12" }],
      ["with a difficulty beyond 64 bits", { ...block, difficulty: "0xfffffffffffffffffffffffffffffffe" }],
    ])("decodes and encodes without loss: %s", (_name, wire) => {
      decodesAndEncodes(Block.Block, wire)
    })

    it("lists what it does not know", () => {
      expect(Block.extras(decode({ ...block, step: "371", sealFields: [] }))).toEqual({ step: "371", sealFields: [] })
    })

    it("reads missing uncles as none", () => {
      const { uncles: _uncles, ...without } = block
      expect(decode(without).uncles).toEqual([])
    })

    it.each(["hash", "parentHash", "timestamp", "gasUsed", "size", "transactions", "stateRoot", "extraData"])(
      "requires %s",
      (key) => {
        const { [key]: _removed, ...without } = block as Record<string, unknown>
        expect(refusal(Block.Block, without)).toContain(`["${key}"]`)
      },
    )

    it("names the place of what is wrong", () => {
      expect(refusal(Block.Block, { ...block, transactions: [hash("a"), "0x12"] })).toMatch(
        /a hash of 32 bytes in hex\s+at \["transactions"\]\[1\]/,
      )
      expect(refusal(Block.Block, [])).toContain("an object (Block)")
    })

    it("decodes what it encoded", async () => {
      await encodesAndDecodes(Block.Block)
    })
  })

  describe("HydratedBlock", () => {
    it("decodes and encodes transactions of several types without loss", () => {
      decodesAndEncodes(Block.HydratedBlock, { ...block, transactions: [legacy, feeMarket] })
    })

    it("does not take hashes for transactions, nor transactions for hashes", () => {
      expect(refusal(Block.HydratedBlock, block)).toContain('["transactions"][0]')
      expect(refusal(Block.Block, { ...block, transactions: [legacy] })).toContain('["transactions"][0]')
    })

    it("decodes what it encoded", async () => {
      await encodesAndDecodes(Block.HydratedBlock, { count: 30 })
    })
  })

  describe("PartialBlock", () => {
    const broken = { ...legacy, from: "0x12" }
    const wire = { ...block, transactions: [feeMarket, broken, legacy, 7] }

    it("keeps what cannot be decoded beside the rest", () => {
      const block = Schema.decodeUnknownSync(Block.PartialBlock)(wire)
      expect(block.transactions.map((entry) => (Block.isUndecodable(entry) ? entry : entry.type))).toEqual([
        2,
        {
          _tag: "Undecodable",
          raw: broken,
          reason: 'Invalid transaction "from": expected an address of 20 bytes in hex, received "0x12".',
        },
        0,
        { _tag: "Undecodable", raw: 7, reason: "Invalid transaction: expected a transaction object, received 7." },
      ])
    })

    it("writes it again as it came", () => {
      decodesAndEncodes(Block.PartialBlock, wire)
    })

    it("is the hydrated block where everything decodes", () => {
      const whole = { ...block, transactions: [feeMarket, legacy] }
      expect(Schema.decodeUnknownSync(Block.PartialBlock)(whole)).toEqual(
        Schema.decodeUnknownSync(Block.HydratedBlock)(whole),
      )
    })

    it("does not forgive the block itself", () => {
      expect(refusal(Block.PartialBlock, { ...wire, gasLimit: "lots" })).toContain('at ["gasLimit"]')
    })

    it("does not write a broken value", () => {
      const block = Schema.decodeUnknownSync(Block.PartialBlock)(wire)
      const written = () => Schema.encodeUnknownSync(Block.PartialBlock)({ ...block, transactions: [{ gas: -1n }] })
      expect(written).toThrow(/hash/)
    })

    it("decodes what it encoded", async () => {
      expect(await encodesAndDecodes(Block.PartialBlock, { count: 20 })).toBe(20)
    })
  })
})
