import { describe, expect, it } from "vitest"
import * as Chain from "../src/Chain.ts"

const names = (chains: ReadonlyArray<Chain.Chain>) => chains.map((chain) => chain.name)

describe("Chain", () => {
  describe("all", () => {
    it("has each row of the interface with its identifier", () => {
      expect(Object.fromEntries(Chain.all.map((chain) => [chain.name, chain.identifier]))).toEqual({
        eth: "0x1",
        sepolia: "0xaa36a7",
        holesky: "0x4268",
        polygon: "0x89",
        "polygon amoy": "0x13882",
        bsc: "0x38",
        "bsc testnet": "0x61",
        avalanche: "0xa86a",
        fantom: "0xfa",
        palm: "0x2a15c308d",
        cronos: "0x19",
        arbitrum: "0xa4b1",
        gnosis: "0x64",
        "gnosis testnet": "0x27d8",
        chiliz: "0x15b38",
        "chiliz testnet": "0x15b32",
        base: "0x2105",
        "base sepolia": "0x14a34",
        optimism: "0xa",
        "optimism sepolia": "0xaa37dc",
        linea: "0xe705",
        "linea sepolia": "0xe705",
        moonbeam: "0x504",
        moonriver: "0x505",
        moonbase: "0x507",
        "arbitrum sepolia": null,
      })
    })

    it("has each name of the RPC operations", () => {
      expect(Chain.all.flatMap((chain) => chain.rpcName ?? []).toSorted()).toEqual([
        "amoy",
        "arbitrum",
        "arbitrum sepolia",
        "base",
        "base sepolia",
        "bsc",
        "bsc testnet",
        "eth",
        "holesky",
        "optimism",
        "optimism testnet",
        "polygon",
      ])
    })

    it("has true ids that never clash, and differ from the listed one only for linea", () => {
      expect(new Set(Chain.all.map((chain) => chain.id)).size).toBe(Chain.all.length)
      expect(names(Chain.all.filter((chain) => chain.identifier !== Chain.toHexId(chain)))).toEqual([
        "linea",
        "arbitrum sepolia",
      ])
    })
  })

  describe("fromName", () => {
    it.each([
      ["eth", "eth"],
      ["ETH", "eth"],
      ["polygon amoy", "polygon amoy"],
      ["polygon-amoy", "polygon amoy"],
      ["amoy", "polygon amoy"],
      ["Optimism Testnet", "optimism sepolia"],
      [" base_sepolia ", "base sepolia"],
      ["bsc  testnet", "bsc testnet"],
    ])("finds %j", (text, name) => {
      expect(Chain.fromName(text)?.name).toBe(name)
    })

    it("finds nothing else", () => {
      expect(Chain.fromName("mainnet")).toBe(undefined)
      expect(Chain.fromName("0x1")).toBe(undefined)
      expect(Chain.fromName("")).toBe(undefined)
      expect(Chain.fromName("__proto__")).toBe(undefined)
    })
  })

  describe("fromId", () => {
    it("takes numbers, bigints, hex, decimal and CAIP-2", () => {
      for (const id of [137, 137n, "0x89", "137", "0X89", "eip155:137", "0x0089"]) {
        expect(names(Chain.fromId(id))).toEqual(["polygon"])
      }
    })

    it("gives both chains of a clash, and one for a true id", () => {
      expect(names(Chain.fromId("0xe705"))).toEqual(["linea", "linea sepolia"])
      expect(names(Chain.fromId("0xe708"))).toEqual(["linea"])
      expect(names(Chain.fromId(421614))).toEqual(["arbitrum sepolia"])
    })

    it.each(["", "0x", "eth", "-1", "1.0", 1.5, NaN, "0xzz", "eip155:", "solana:1"])("finds nothing for %j", (id) => {
      expect(Chain.fromId(id)).toEqual([])
    })
  })

  describe("fromText", () => {
    it("takes a name or an identifier", () => {
      expect(names(Chain.fromText("Base"))).toEqual(["base"])
      expect(names(Chain.fromText("0x2105"))).toEqual(["base"])
      expect(Chain.fromText("nope")).toEqual([])
    })
  })

  describe("toCaip2, toHexId", () => {
    it("write the true id", () => {
      const linea = Chain.fromName("linea")
      expect(linea && Chain.toCaip2(linea)).toBe("eip155:59144")
      expect(linea && Chain.toHexId(linea)).toBe("0xe708")
    })
  })

  describe("hashRulesAt", () => {
    it("all: the hash rules of every chain begin at block 0 and their ranges ascend", () => {
      for (const { hashRules } of Chain.all) {
        const blocks = hashRules.map(({ fromBlock }) => fromBlock)
        expect(blocks[0]).toBe(0n)
        expect(blocks).toEqual([...new Set(blocks)].toSorted((a, b) => (a < b ? -1 : 1)))
      }
    })

    it("all: gives every chain a positive block time and a positive finality", () => {
      expect(
        Chain.all.filter(({ blockTimeMillis, finalityBlocks }) => blockTimeMillis < 1 || finalityBlocks < 1),
      ).toEqual([])
    })

    it("hashRulesAt: a fork changes the rules from its own block on", () => {
      const rules = { headerHash: true, blooms: true }
      const before = { ...rules, roots: false, fromBlock: 0n }
      const after = { ...rules, roots: true, fromBlock: 100n }
      const at = (block: bigint) => Chain.hashRulesAt({ hashRules: [before, after] }, block)
      expect([at(0n), at(99n), at(100n), at(2n ** 64n)]).toEqual([before, before, after, after])
    })
  })
})
