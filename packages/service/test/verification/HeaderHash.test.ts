import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Block from "@daybook/schema/Block"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"

const zeros = (bytes: number) => `0x${"00".repeat(bytes)}`
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/** Block 0 of Ethereum. */
const genesis = {
  number: "0x0",
  hash: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
  parentHash: zeros(32),
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  miner: zeros(20),
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  transactionsRoot: emptyRoot,
  receiptsRoot: emptyRoot,
  logsBloom: zeros(256),
  difficulty: "0x400000000",
  gasLimit: "0x1388",
  gasUsed: "0x0",
  timestamp: "0x0",
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  mixHash: zeros(32),
  nonce: "0x0000000000000042",
  size: "0x21c",
  uncles: [],
  transactions: [],
}

const hashOf = (more: Readonly<Record<string, unknown>> = {}) =>
  HeaderHash.of(Schema.decodeUnknownSync(Block.HydratedBlock)({ ...genesis, ...more }))

describe("HeaderHash", () => {
  describe("of", () => {
    it("of: gives the hash of Ethereum's genesis block", () => {
      expect(hashOf()).toBe(genesis.hash)
    })

    it.each([
      ["a number", { number: "0x1" }],
      ["a parent", { parentHash: zeros(31) + "01" }],
      ["a time", { timestamp: "0x1" }],
      ["a miner", { miner: zeros(19) + "01" }],
      ["a root", { receiptsRoot: zeros(32) }],
      ["a bloom", { logsBloom: `0x01${"00".repeat(255)}` }],
      ["a field of a later fork", { baseFeePerGas: "0x7" }],
    ])("of: changes with %s", (_, more) => {
      expect(hashOf(more)).not.toBe(genesis.hash)
    })

    it("of: covers the fields of later forks up to the last one present", () => {
      const upTo = [
        { baseFeePerGas: "0x7" },
        { withdrawalsRoot: emptyRoot },
        { blobGasUsed: "0x0" },
        { excessBlobGas: "0x0" },
        { parentBeaconBlockRoot: zeros(32) },
        { requestsHash: emptyRoot },
      ].map((_, index, all) => hashOf(Object.assign({}, ...all.slice(0, index + 1))))

      expect(new Set(upTo).size).toBe(6)
      expect(hashOf({ baseFeePerGas: null, withdrawalsRoot: null })).toBe(genesis.hash)
    })
  })
})
