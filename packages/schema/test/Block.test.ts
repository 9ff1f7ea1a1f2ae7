import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as Block from "../src/Block.ts"
import { address, block, feeMarket, hash, legacy } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Block.Block)

describe("Block", () => {
  describe("Block", () => {
    it("Block: decodes numbers, sizes and times to bigint and the nonce to 8 bytes", () => {
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
      ["as in the interface", block],
      ["without total difficulty and nonce", modern],
      [
        "pending",
        { ...block, number: null, hash: null, nonce: null, logsBloom: null, miner: null, totalDifficulty: null },
      ],
      [
        "with the fields of recent forks",
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
      ["Amsterdam", { ...block, requestsHash: hash("4"), blockAccessListHash: hash("5"), slotNumber: "0x1f4" }],
      ["Tron, without a state root", { ...block, stateRoot: "0x" }],
      ["Arbitrum", { ...block, l1BlockNumber: "0x1", sendRoot: hash("1"), sendCount: "0x2" }],
      ["BSC", { ...block, milliTimestamp: "0x1", extraData: `0x${"ab".repeat(280)}` }],
      [
        "Avalanche",
        { ...block, extDataHash: hash("1"), blockExtraData: "0x", extDataGasUsed: "0x0", blockGasCost: "0x0" },
      ],
      ["Fantom", { ...block, epoch: "0x1", timestampNano: "0x17c0d0e5c3b0c8a0" }],
      ["Gnosis before the merge", { ...modern, author: address("1"), step: "371", signature: "ab12" }],
      ["with a difficulty beyond 64 bits", { ...block, difficulty: "0xfffffffffffffffffffffffffffffffe" }],
    ])("Block: decodes and encodes without loss (%s)", (_name, wire) => {
      decodesAndEncodes(Block.Block, wire)
    })

    it("extras: lists unknown keys", () => {
      expect(Block.extras(decode({ ...block, step: "371", sealFields: [] }))).toEqual({ step: "371", sealFields: [] })
    })

    it("Block: decodes absent uncles to an empty array", () => {
      const { uncles: _uncles, ...without } = block
      expect(decode(without).uncles).toEqual([])
    })

    it.each(["hash", "parentHash", "timestamp", "gasUsed", "size", "transactions", "stateRoot", "extraData"])(
      "Block: requires %s",
      (key) => {
        const { [key]: _removed, ...without } = block as Record<string, unknown>
        expect(refusal(Block.Block, without)).toContain(`["${key}"]`)
      },
    )

    it("Block: the error has the path of the invalid value", () => {
      expect(refusal(Block.Block, { ...block, transactions: [hash("a"), "0x12"] })).toMatch(
        /a hash of 32 bytes in hex\s+at \["transactions"\]\[1\]/,
      )
      expect(refusal(Block.Block, [])).toContain("an object (Block)")
    })

    it.prop("Block: decodes what it encodes", [Block.Block], ([value]) => {
      encodesAndDecodes(Block.Block, value)
    })
  })

  describe("HydratedBlock", () => {
    it("HydratedBlock: decodes and encodes transactions of several types without loss", () => {
      decodesAndEncodes(Block.HydratedBlock, { ...block, transactions: [legacy, feeMarket] })
    })

    it("HydratedBlock, Block: refuse hashes for transactions, and transactions for hashes", () => {
      expect(refusal(Block.HydratedBlock, block)).toContain('["transactions"][0]')
      expect(refusal(Block.Block, { ...block, transactions: [legacy] })).toContain('["transactions"][0]')
    })

    it.prop(
      "HydratedBlock: decodes what it encodes",
      [Block.HydratedBlock],
      ([value]) => {
        encodesAndDecodes(Block.HydratedBlock, value)
      },
      { arbitrary: { runs: 30 } },
    )
  })

  describe("PartialBlock", () => {
    const broken = { ...legacy, from: "0x12" }
    const wire = { ...block, transactions: [feeMarket, broken, legacy, 7] }

    it("PartialBlock: keeps a transaction that fails to decode as Undecodable", () => {
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

    it("PartialBlock: encodes an Undecodable entry unchanged", () => {
      decodesAndEncodes(Block.PartialBlock, wire)
    })

    it("PartialBlock: equals the HydratedBlock if every transaction decodes", () => {
      const whole = { ...block, transactions: [feeMarket, legacy] }
      expect(Schema.decodeUnknownSync(Block.PartialBlock)(whole)).toEqual(
        Schema.decodeUnknownSync(Block.HydratedBlock)(whole),
      )
    })

    it("PartialBlock: refuses an invalid field of the block itself", () => {
      expect(refusal(Block.PartialBlock, { ...wire, gasLimit: "lots" })).toContain('at ["gasLimit"]')
    })

    it("PartialBlock: does not encode an invalid transaction", () => {
      const block = Schema.decodeUnknownSync(Block.PartialBlock)(wire)
      const written = () => Schema.encodeUnknownSync(Block.PartialBlock)({ ...block, transactions: [{ gas: -1n }] })
      expect(written).toThrow(/hash/)
    })

    it.prop(
      "PartialBlock: decodes what it encodes",
      [Block.PartialBlock],
      ([value]) => {
        encodesAndDecodes(Block.PartialBlock, value)
      },
      { arbitrary: { runs: 20 } },
    )
  })
})
