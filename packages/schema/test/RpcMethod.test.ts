import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "vitest"
import type * as Block from "../src/Block.ts"
import * as RpcMethod from "../src/RpcMethod.ts"
import { block, hash, legacy } from "./fixture.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

describe("RpcMethod", () => {
  describe("all", () => {
    it("names each entry as its key, and says who may call it", () => {
      expect(Object.entries(RpcMethod.all).map(([key, method]) => [key, method.name, method.exposure])).toEqual([
        ["eth_getBlockByNumber", "eth_getBlockByNumber", "public"],
        ["eth_getBlockByHash", "eth_getBlockByHash", "public"],
        ["eth_getTransactionByBlockHashAndIndex", "eth_getTransactionByBlockHashAndIndex", "public"],
        ...[
          "eth_getTransactionByBlockNumberAndIndex",
          "eth_getTransactionByHash",
          "eth_getTransactionReceipt",
          "eth_getTransactionCount",
          "eth_getBalance",
          "eth_getCode",
          "eth_getStorageAt",
          "eth_call",
          "eth_estimateGas",
          "eth_getLogs",
          "eth_feeHistory",
          "eth_gasPrice",
          "eth_maxPriorityFeePerGas",
        ].map((name) => [name, name, "public"]),
        ["eth_getProof", "eth_getProof", "operator"],
        ["eth_syncing", "eth_syncing", "public"],
        ["net_version", "net_version", "public"],
        ["web3_clientVersion", "web3_clientVersion", "public"],
        ["eth_chainId", "eth_chainId", "public"],
        ["eth_blockNumber", "eth_blockNumber", "public"],
        ["eth_getBlockReceipts", "eth_getBlockReceipts", "public"],
        ["trace_block", "trace_block", "operator"],
        ["debug_traceBlockByNumber", "debug_traceBlockByNumber", "operator"],
        ["debug_traceBlockByHash", "debug_traceBlockByHash", "operator"],
        ["debug_traceTransaction", "debug_traceTransaction", "operator"],
      ])
    })

    it("encodes parameters for the wire", () => {
      const { params } = RpcMethod.all.eth_getBlockByNumber
      expect(Schema.encodeSync(params)([436n, true])).toEqual(["0x1b4", true])
      expect(Schema.encodeSync(params)([436, false])).toEqual(["0x1b4", false])
      expect(Schema.encodeSync(params)(["finalized", true])).toEqual(["finalized", true])
    })

    it("refuses parameters that do not fit, by position", () => {
      const { params } = RpcMethod.all.eth_getBlockByNumber
      expect(refusal(params, ["0xzz", true])).toContain("one of latest, earliest, pending, safe, finalized")
      expect(refusal(params, ["latest"])).toContain("[1]")
      expect(refusal(params, ["latest", "true"])).toContain("[1]")
      expect(refusal(params, [1, true])).toContain("[0]")
      expect(refusal(RpcMethod.all.eth_getTransactionByBlockHashAndIndex.params, ["0x1", "0x0"])).toContain(
        "a hash of 32 bytes",
      )
    })

    it("takes state by number, tag, hash or as EIP-1898 has it", () => {
      const { params } = RpcMethod.all.eth_getBalance
      const account = `0x${"1".repeat(40)}`
      const decode = Schema.decodeUnknownSync(params)
      expect(decode([account, "0x10"])[1]).toBe(16n)
      expect(decode([account, hash("a")])[1]).toBe(hash("a"))
      expect(decode([account, { blockHash: hash("a"), requireCanonical: true }])[1]).toEqual({
        blockHash: hash("a"),
        requireCanonical: true,
      })
    })

    it("lets the block of a call be left out, and writes its amounts as quantities", () => {
      const { params } = RpcMethod.all.eth_call
      const to = Schema.decodeUnknownSync(RpcMethod.all.eth_getBalance.params)([`0x${"2".repeat(40)}`, "latest"])[0]
      expect(Schema.encodeSync(params)([{ to, value: 10n }])).toEqual([{ to, value: "0xa" }])
    })

    it("reads fees, proofs and the state of syncing, and keeps keys it does not know", () => {
      const { eth_feeHistory, eth_getProof, eth_syncing } = RpcMethod.all
      const fees = { oldestBlock: "0x1", baseFeePerGas: ["0x7", "0x8"], gasUsedRatio: [0.5], reward: [["0x1"]] }
      const proof = {
        address: `0x${"3".repeat(40)}`,
        accountProof: ["0xf8"],
        balance: "0x0",
        codeHash: hash("c"),
        nonce: "0x1",
        storageHash: hash("d"),
        storageProof: [{ key: "0x0", value: "0x2a", proof: [] }],
      }
      expect(Schema.decodeUnknownSync(eth_feeHistory.result)(fees)).toMatchObject({
        oldestBlock: 1n,
        baseFeePerGas: [7n, 8n],
        reward: [[1n]],
      })
      expect(Schema.decodeUnknownSync(eth_getProof.result)(proof)).toMatchObject({
        nonce: 1,
        storageProof: [{ key: "0x0", value: 42n }],
      })
      expect(Schema.decodeUnknownSync(eth_syncing.result)(false)).toBe(false)
      expect(Schema.decodeUnknownSync(eth_syncing.result)({ currentBlock: "0x5", stages: [1] })).toEqual({
        currentBlock: 5n,
        stages: [1],
      })
    })

    it("takes a hash, a number or a tag for receipts", () => {
      const decode = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.params)
      expect(decode([hash("a")])).toEqual([hash("a")])
      expect(decode(["0x10"])).toEqual([16n])
      expect(decode(["latest"])).toEqual(["latest"])
    })
  })

  describe("resultOf", () => {
    it("gives whole transactions for a true flag and hashes for a false one", () => {
      const whole = RpcMethod.resultOf("eth_getBlockByNumber", ["latest", true])
      const hashes = RpcMethod.resultOf("eth_getBlockByNumber", ["latest", false])
      expect(Schema.is(Schema.toType(hashes))(Schema.decodeUnknownSync(hashes)(block))).toBe(true)
      expect(Schema.decodeUnknownSync(whole)({ ...block, transactions: [legacy] })).toMatchObject({
        transactions: [{ nonce: 7 }],
      })
      expect(refusal(whole, block)).toContain('["transactions"]')
      expect(Schema.decodeUnknownSync(whole)(null)).toBe(null)
    })
  })

  describe("ResultOf", () => {
    it("refuses percentiles of fees that are none", () => {
      const params = RpcMethod.all.eth_feeHistory.params
      expect(Schema.decodeUnknownSync(params)(["0x4", "latest", [0, 50, 100]])).toEqual([4, "latest", [0, 50, 100]])
      expect(() => Schema.decodeUnknownSync(params)(["0x4", "latest", [500, -50]])).toThrow(
        "a percentile from 0 to 100",
      )
    })

    it("follows the flag in the types", () => {
      expectTypeOf<
        RpcMethod.ResultOf<"eth_getBlockByNumber", [RpcMethod.BlockId, true]>
      >().toEqualTypeOf<Block.HydratedBlock | null>()
      expectTypeOf<
        RpcMethod.ResultOf<"eth_getBlockByNumber", readonly [RpcMethod.BlockId, false]>
      >().toEqualTypeOf<Block.Block | null>()
      expectTypeOf<RpcMethod.ResultOf<"eth_chainId">>().toEqualTypeOf<bigint>()
    })
  })

  describe("isName", () => {
    it("knows the methods and nothing inherited", () => {
      expect(RpcMethod.isName("eth_chainId")).toBe(true)
      expect(RpcMethod.isName("toString")).toBe(false)
      expect(RpcMethod.isName("eth_sendRawTransaction")).toBe(false)
    })
  })

  describe("BlockId", () => {
    it("decodes what it encoded", async () => {
      await encodesAndDecodes(RpcMethod.BlockId)
    })

    it("refuses a negative number and an unknown tag", () => {
      expect(() => Schema.encodeSync(RpcMethod.BlockId)(-1n)).toThrow("a block number")
      expect(refusal(RpcMethod.BlockId, "newest")).toContain("latest")
    })
  })
})
