import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as OxHash from "ox/Hash"
import * as Rlp from "ox/Rlp"
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

/** Block 10000000 of Gnosis, recorded from Erigon. */
const gnosis = {
  auraSeal:
    "0x47625be95bdbe96c4de67ac908fadc2e450c4d082b81ec85a0925aebbeb5252d16be5b31d8520b889e919102da6bce1178d617fafbe6142cf4ef82e83fbabcc200",
  auraStep: "0x12f4263f",
  difficulty: "0xfffffffffffffffffffffffffffffffe",
  extraData: "0xde830207028f5061726974792d457468657265756d86312e34312e30826c69",
  gasLimit: "0x989680",
  gasUsed: "0x0",
  hash: "0xcc1b69d2c643a429bf1874f735b30b8ce60c2d37c37e9bff947c2ce838d380ef",
  logsBloom: zeros(256),
  miner: "0xa13d45301207711b7c0328c6b2b64862abfe9b7a",
  mixHash: "0x0000000000000000000000000000000000000000000000000000000000000000",
  nonce: "0x0000000000000000",
  number: "0x989680",
  parentHash: "0x79270d50b0b4134ef8cb73314bdceef3daf5e048601f149d831d9344f1778b81",
  receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  size: "0x24c",
  stateRoot: "0x0b272061871fe3b4a855380c6d79645682ae6e30206004e2dad48f8039dc4425",
  timestamp: "0x5ec4bf3b",
  transactions: [],
  transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  uncles: [],
}

const hashOf = (more: Readonly<Record<string, unknown>> = {}) =>
  HeaderHash.fromBlock(Schema.decodeUnknownSync(Block.HydratedBlock)({ ...genesis, ...more }))

describe("HeaderHash", () => {
  describe("of", () => {
    it("of: returns the hash of Ethereum's genesis block", () => {
      expect(hashOf()).toBe(genesis.hash)
    })

    it("of: seals a pre-merge block of Gnosis with the step and seal of Erigon or OpenEthereum", () => {
      const { auraSeal, auraStep, ...unsealed } = gnosis
      const openEthereum = { ...unsealed, step: String(Number(auraStep)), signature: auraSeal.slice(2) }

      expect([hashOf(gnosis), hashOf(openEthereum)]).toEqual([gnosis.hash, gnosis.hash])
      expect(hashOf({ ...gnosis, auraStep: "0x12f42640" })).not.toBe(gnosis.hash)
      for (const seal of [
        { auraStep, auraSeal: "0x" },
        { auraStep, auraSeal: 1234 },
        { auraStep: "none", auraSeal },
      ])
        expect(hashOf({ ...unsealed, ...seal })).toBe(hashOf(unsealed))
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
        { blockAccessListHash: emptyRoot },
        { slotNumber: "0x1" },
      ].map((_, index, all) => hashOf(Object.assign({}, ...all.slice(0, index + 1))))

      expect(new Set(upTo).size).toBe(8)
      expect(hashOf({ baseFeePerGas: null, withdrawalsRoot: null })).toBe(genesis.hash)
    })

    it("of: appends the block access list hash and then the slot of Amsterdam (synthetic)", () => {
      const prague = {
        baseFeePerGas: "0x7",
        withdrawalsRoot: emptyRoot,
        blobGasUsed: "0x0",
        excessBlobGas: "0x0",
        parentBeaconBlockRoot: zeros(32),
        requestsHash: emptyRoot,
      }
      const accessListHash = `0x${"a1".repeat(32)}`
      const header = (later: ReadonlyArray<`0x${string}`>) =>
        OxHash.keccak256(
          Rlp.fromHex([
            genesis.parentHash,
            genesis.sha3Uncles,
            genesis.miner,
            genesis.stateRoot,
            emptyRoot,
            emptyRoot,
            genesis.logsBloom,
            genesis.difficulty.replace("0x4", "0x04"),
            "0x",
            "0x1388",
            "0x",
            "0x",
            genesis.extraData,
            genesis.mixHash,
            genesis.nonce,
            "0x07",
            emptyRoot,
            "0x",
            "0x",
            zeros(32),
            emptyRoot,
            ...later,
          ] as ReadonlyArray<`0x${string}`>),
        )

      expect(hashOf({ ...prague, blockAccessListHash: accessListHash, slotNumber: "0x1f4" })).toBe(
        header([accessListHash as `0x${string}`, "0x01f4"]),
      )
      expect(hashOf({ ...prague, blockAccessListHash: null, slotNumber: null })).toBe(header([]))
    })
  })

  it("isHashed: is true for the fields that the hash covers", () => {
    const fields = ["extraData", "author", "slotNumber", "size", "totalDifficulty", "transactions"]

    expect(fields.map(HeaderHash.isHashed)).toEqual([true, true, true, false, false, false])
  })
})
