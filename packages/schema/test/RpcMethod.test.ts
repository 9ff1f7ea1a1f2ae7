import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import type * as Block from "../src/Block.ts"
import * as RpcMethod from "../src/RpcMethod.ts"
import { block, hash, legacy } from "./fixture.ts"
import { overWire, refusal } from "./law.ts"

const AnyMethod = Schema.Literals(Object.values(RpcMethod.all).map(({ name }) => name))

describe("RpcMethod", () => {
  describe("all", () => {
    it("all: names each entry by its key", () => {
      expect(Object.values(RpcMethod.all).map(({ name }) => name)).toEqual(Object.keys(RpcMethod.all))
    })

    it("all: names each parameter once", () => {
      for (const { name, paramNames, params } of Object.values(RpcMethod.all)) {
        expect([name, paramNames.length]).toEqual([name, params.elements.length])
        expect([name, new Set<string>(paramNames).size]).toEqual([name, paramNames.length])
      }
    })

    it("all: grants heavy methods to operators only", () => {
      const operators = Object.values(RpcMethod.all).filter(({ exposure }) => exposure === "operator")
      expect(operators.map(({ name }) => name)).toMatchInlineSnapshot(`
        [
          "eth_getProof",
          "trace_block",
          "trace_transaction",
          "debug_traceBlockByNumber",
          "debug_traceBlockByHash",
          "debug_traceTransaction",
        ]
      `)
    })

    it("all: caches results that a block, a transaction or the chain determines, and no others", () => {
      const cacheable = Object.values(RpcMethod.all).filter(({ cacheability }) => cacheability !== "never")
      expect(Object.fromEntries(cacheable.map(({ cacheability, name }) => [name, cacheability])))
        .toMatchInlineSnapshot(`
        {
          "eth_chainId": "constant",
          "eth_getBlockByHash": "blockHash",
          "eth_getBlockByNumber": "blockNumber",
          "eth_getBlockReceipts": "block",
          "eth_getBlockTransactionCountByNumber": "blockNumber",
          "eth_getLogs": "logs",
          "eth_getTransactionByBlockHashAndIndex": "blockHash",
          "eth_getTransactionByBlockNumberAndIndex": "blockNumber",
          "eth_getTransactionByHash": "transaction",
          "eth_getTransactionReceipt": "transaction",
          "eth_getUncleByBlockNumberAndIndex": "blockNumber",
          "net_version": "constant",
          "trace_block": "blockNumber",
        }
      `)
    })

    it("Named: labels every parameter of a method and keeps its type", () => {
      type Same<N extends RpcMethod.Name> =
        RpcMethod.Named<N, RpcMethod.ParamsOf<N>> extends infer L
          ? Readonly<L> extends RpcMethod.ParamsOf<N>
            ? RpcMethod.ParamsOf<N> extends Readonly<L>
              ? true
              : never
            : never
          : never
      expectTypeOf<{ [N in RpcMethod.Name]: Same<N> }>().toEqualTypeOf<{ [N in RpcMethod.Name]: true }>()
      expectTypeOf<RpcMethod.Named<"eth_estimateGas", readonly [1, 2?]>>().toEqualTypeOf<[call: 1, block?: 2]>()
    })

    it("params: encode a block number, a tag and a flag", () => {
      const { params } = RpcMethod.all.eth_getBlockByNumber
      expect(Schema.encodeSync(params)([436n, true])).toEqual(["0x1b4", true])
      expect(Schema.encodeSync(params)([436, false])).toEqual(["0x1b4", false])
      expect(Schema.encodeSync(params)(["finalized", true])).toEqual(["finalized", true])
    })

    it("params: the error has the position of the invalid parameter", () => {
      const { params } = RpcMethod.all.eth_getBlockByNumber
      expect(refusal(params, ["0xzz", true])).toContain("one of latest, earliest, pending, safe, finalized")
      expect(refusal(params, ["latest"])).toContain("[1]")
      expect(refusal(params, ["latest", "true"])).toContain("[1]")
      expect(refusal(params, [1, true])).toContain("[0]")
      expect(refusal(RpcMethod.all.eth_getTransactionByBlockHashAndIndex.params, ["0x1", "0x0"])).toContain(
        "a hash of 32 bytes",
      )
    })

    it("StateBlock: decodes a number, a tag, a hash and an EIP-1898 object", () => {
      const { params } = RpcMethod.all.eth_getBalance
      const account = `0x${"1".repeat(40)}`
      const decode = Schema.decodeUnknownSync(params)
      expect(decode([account, "0x10"])[1]).toBe(16n)
      expect(decode([account, hash("a")])[1]).toBe(hash("a"))
      expect(decode([account, { blockHash: hash("a"), requireCanonical: true }])[1]).toEqual({
        blockHash: hash("a"),
        requireCanonical: true,
      })
      expect(decode([account, { blockNumber: "0x1" }])[1]).toEqual({ blockNumber: 1n })
    })

    it("LogFilter: null means any address, any topic and the default block, as nodes interpret it", () => {
      const filter = { fromBlock: null, toBlock: null, address: null, topics: null }
      expect(Schema.decodeUnknownSync(RpcMethod.LogFilter)(filter)).toEqual(filter)
    })

    it("StateOverride: moves a precompiled contract, as execution-apis specifies", () => {
      const target = "0x0000000000000000000000000000000000123456"
      const moved = { "0x0000000000000000000000000000000000000001": { movePrecompileToAddress: target } }

      expect(Schema.decodeUnknownSync(RpcMethod.StateOverride, { onExcessProperty: "error" })(moved)).toEqual(moved)
    })

    it("StateOverride: an account is an address", () => {
      const refused = Schema.decodeUnknownResult(RpcMethod.StateOverride, { onExcessProperty: "error" })
      expect(refused({ [`0x${"2".repeat(40)}`]: { balance: "0x1" } })._tag).toBe("Success")
      expect(refused({ nonsense: { balance: "0x1" } })._tag).toBe("Failure")
    })

    it("eth_getLogs: null means no logs, as Flow gateways return it", () => {
      expect(Schema.decodeUnknownSync(RpcMethod.all.eth_getLogs.result)(null)).toEqual([])
    })

    it("eth_getProof: a slot is a hash or a quantity", () => {
      const { params } = RpcMethod.all.eth_getProof
      const wire = [`0x${"2".repeat(40)}`, ["0x0", hash("a")], "latest"]
      expect(Schema.decodeUnknownSync(params)(wire)[1]).toEqual([0n, hash("a")])
    })

    it("eth_call: the block is optional, and amounts encode as quantities", () => {
      const { params } = RpcMethod.all.eth_call
      const to = Schema.decodeUnknownSync(RpcMethod.all.eth_getBalance.params)([`0x${"2".repeat(40)}`, "latest"])[0]
      expect(Schema.encodeSync(params)([{ to, value: 10n }])).toEqual([{ to, value: "0xa" }])
    })

    it("result: decodes fee history, proofs and sync status, with unknown keys", () => {
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

    it("result: decodes access lists, simulated blocks, and words of storage", () => {
      const { eth_blobBaseFee, eth_createAccessList, eth_getStorageValues, eth_simulateV1 } = RpcMethod.all
      const list = { accessList: [{ address: `0x${"3".repeat(40)}`, storageKeys: [hash("a")] }], gasUsed: "0x5208" }
      const failed = { code: -3200, message: "execution failed" }
      const simulated = {
        ...block,
        transactions: [hash("b"), { ...legacy, blockHash: null, blockNumber: null, transactionIndex: null }],
        calls: [{ returnData: "0x", logs: [], gasUsed: "0x520e", status: "0x0", error: failed }],
      }
      const decoded = Schema.decodeUnknownSync(eth_simulateV1.result)([simulated])

      expect(Schema.decodeUnknownSync(eth_blobBaseFee.result)("0x1")).toBe(1n)
      expect(Schema.decodeUnknownSync(eth_createAccessList.result)(list)).toEqual({ ...list, gasUsed: 21_000n })
      expect(decoded).toMatchObject([
        {
          transactions: [hash("b"), { nonce: 7, blockHash: null }],
          calls: [{ gasUsed: 21_006n, status: 0, error: failed }],
        },
      ])
      expect(overWire(Schema.encodeSync(eth_simulateV1.result)(decoded))).toEqual([simulated])
      expect(Schema.decodeUnknownSync(eth_getStorageValues.result)({ [`0x${"3".repeat(40)}`]: [hash("0")] })).toEqual({
        [`0x${"3".repeat(40)}`]: [hash("0")],
      })
    })

    it("params: at most 256 simulated blocks and 1,024 slots of all addresses are accepted", () => {
      const { eth_getStorageValues, eth_simulateV1 } = RpcMethod.all
      const blocks = (count: number) => [{ blockStateCalls: Array.from({ length: count }, () => ({})) }]
      const slots = (count: number) => {
        const list = (length: number) => Array.from({ length }, () => hash("a"))
        return [{ [`0x${"3".repeat(40)}`]: list(24), [`0x${"4".repeat(40)}`]: list(count - 24) }, "latest"]
      }

      expect(Schema.decodeUnknownSync(eth_simulateV1.params)(blocks(256))).toEqual(blocks(256))
      expect(refusal(eth_simulateV1.params, blocks(257))).toContain("256")
      expect(Schema.decodeUnknownSync(eth_getStorageValues.params)(slots(1_024))).toEqual(slots(1_024))
      expect(refusal(eth_getStorageValues.params, slots(1_025))).toContain("Expected at most 1024 slots")
    })

    it("eth_getBlockReceipts: the block is a hash, a number or a tag", () => {
      const decode = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.params)
      expect(decode([hash("a")])).toEqual([hash("a")])
      expect(decode(["0x10"])).toEqual([16n])
      expect(decode(["latest"])).toEqual(["latest"])
    })
  })

  describe("resultOf", () => {
    it("resultOf: returns transactions for a true flag and hashes for a false one", () => {
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
    it("eth_feeHistory: refuses percentiles outside 0 to 100", () => {
      const params = RpcMethod.all.eth_feeHistory.params
      expect(Schema.decodeUnknownSync(params)(["0x4", "latest", [0, 50, 100]])).toEqual([4, "latest", [0, 50, 100]])
      expect(() => Schema.decodeUnknownSync(params)(["0x4", "latest", [500, -50]])).toThrow(
        "a percentile from 0 to 100",
      )
    })

    it("ResultOf: follows the flag", () => {
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
    it("isName: is true for the methods only, not for inherited keys", () => {
      expect(RpcMethod.isName("eth_chainId")).toBe(true)
      expect(RpcMethod.isName("toString")).toBe(false)
      expect(RpcMethod.isName("eth_sendRawTransaction")).toBe(false)
    })
  })

  describe("BlockId", () => {
    it.prop("BlockId: decodes what it encodes, a number as a bigint", [RpcMethod.BlockId], ([block]) => {
      const decoded = typeof block === "number" ? BigInt(block) : block
      expect(Schema.decodeUnknownSync(RpcMethod.BlockId)(Schema.encodeSync(RpcMethod.BlockId)(block))).toBe(decoded)
    })

    it.prop("params: of every method, decode what they encode", [AnyMethod, Schema.Int], ([name, seed]) => {
      const { params } = RpcMethod.all[name]
      const codec: Schema.Codec<unknown, unknown> = params
      const [values] = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(codec), { count: 1, seed: `${seed}` }))
      const wire = overWire(Schema.encodeUnknownSync(codec)(values))
      expect(overWire(Schema.encodeUnknownSync(codec)(Schema.decodeUnknownSync(codec)(wire)))).toEqual(wire)
    })

    it("BlockId: refuses a negative number and an unknown tag", () => {
      expect(() => Schema.encodeSync(RpcMethod.BlockId)(-1n)).toThrow("a block number")
      expect(refusal(RpcMethod.BlockId, "newest")).toContain("latest")
    })
  })
})
