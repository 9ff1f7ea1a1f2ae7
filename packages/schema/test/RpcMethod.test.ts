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
        ["eth_chainId", "eth_chainId", "public"],
        ["eth_blockNumber", "eth_blockNumber", "public"],
        ["eth_getBlockReceipts", "eth_getBlockReceipts", "public"],
        ["trace_block", "trace_block", "operator"],
        ["debug_traceBlockByNumber", "debug_traceBlockByNumber", "operator"],
        ["debug_traceBlockByHash", "debug_traceBlockByHash", "operator"],
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
