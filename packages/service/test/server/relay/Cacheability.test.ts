import * as RpcMethod from "@daybook/schema/RpcMethod"
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as Cacheability from "../../../src/server/relay/Cacheability.ts"

const hash = `0x${"aB".repeat(32)}`
const lower = hash.toLowerCase()
const wallet = `0x${"Cd".repeat(20)}`

describe("Cacheability", () => {
  describe("requested", () => {
    it("identifies a block by its hash in any case", () => {
      const [one, other] = [hash, lower].map((given) => Cacheability.requested("eth_getBlockByHash", [given, true]))
      expect(one).toEqual({ _tag: "BlockHash", hash: lower, key: `eth_getBlockByHash ${lower} true` })
      expect(other).toEqual(one)
      expect(Cacheability.requested("eth_getBlockByHash", [hash, false])).not.toEqual(one)
      expect(Cacheability.requested("eth_getBlockReceipts", [hash])).toMatchObject({ _tag: "BlockHash", hash: lower })
    })

    it("identifies immutable results by method and parameters", () => {
      expect(Cacheability.requested("eth_chainId", [])).toEqual({ _tag: "Constant", key: "eth_chainId" })
    })

    it("does not match a list of hashes, or a filter for no logs", () => {
      expect(Cacheability.requested("eth_getBlockByHash", [[hash], true])).toBeNull()
      expect(Cacheability.requested("eth_getTransactionByHash", [[hash]])).toBeNull()
      for (const filter of [undefined, null, "x", []]) {
        expect(Cacheability.requested("eth_getLogs", [filter])).toBeNull()
      }
    })

    it("identifies a transaction by its hash in any case", () => {
      const [one, other] = [hash, lower].map((given) => Cacheability.requested("eth_getTransactionByHash", [given]))
      expect(one).toEqual({ _tag: "Transaction", key: `eth_getTransactionByHash ${lower}` })
      expect(other).toEqual(one)
    })

    it("accepts a number in any spelling, and distinguishes indexes and parameters", () => {
      const at = (number: string, second: unknown) => Cacheability.requested("eth_getBlockByNumber", [number, second])
      expect(at("0x0A", true)).toEqual({ _tag: "BlockNumber", number: 10, key: "eth_getBlockByNumber 10 true" })
      expect(at("0xa", true)).toEqual(at("0x0A", true))
      expect(at("0xa", false)).not.toEqual(at("0xa", true))
      const index = (text: string) => Cacheability.requested("eth_getTransactionByBlockNumberAndIndex", ["0x1", text])
      expect(index("0x01")).toEqual(index("0x1"))
      expect(index("0x1")).not.toEqual(index("0x2"))
    })

    it("treats no tag and no inexact number as an immutable block", () => {
      for (const block of [...RpcMethod.blockTags, "0x20000000000001", undefined]) {
        expect(Cacheability.requested("eth_getBlockByNumber", [block, true])).toBeNull()
        expect(Cacheability.requested("eth_getBlockReceipts", [block])).toBeNull()
        expect(Cacheability.requested("trace_block", [block])).toBeNull()
      }
    })

    it("accepts only a hex quantity, not a hash, in place of a block number", () => {
      for (const block of [hash, `0x${"5".padStart(64, "0")}`, "5", "", 5, true, null, ["0x5"]]) {
        expect(Cacheability.requested("eth_getBlockByNumber", [block, true])).toBeNull()
        expect(Cacheability.requested("trace_block", [block])).toBeNull()
      }
    })

    it("identifies the logs of one block, whatever the order and case of the filter", () => {
      const one = Cacheability.requested("eth_getLogs", [{ blockHash: hash, address: wallet, topics: [[hash], null] }])
      const other = Cacheability.requested("eth_getLogs", [
        { topics: [[lower], null], address: wallet.toLowerCase(), blockHash: lower },
      ])
      expect(one).toMatchObject({ _tag: "BlockHash", hash: lower })
      expect(other).toEqual(one)
      expect(Cacheability.requested("eth_getLogs", [{ blockHash: hash, topics: [[hash]] }])).not.toEqual(one)
      expect(Cacheability.requested("eth_getLogs", [{ fromBlock: "0x5", toBlock: "0x05" }])).toEqual({
        _tag: "BlockNumber",
        number: 5,
        key: "eth_getLogs 5 ",
      })
      expect(Cacheability.requested("eth_getLogs", [{ topics: null, blockHash: hash, address: wallet }])?.key).toBe(
        `eth_getLogs ${lower} "address":"${wallet.toLowerCase()}"`,
      )
    })

    it("distinguishes filters by every member, including unknown ones", () => {
      const filters = [
        {},
        { limit: 1 },
        { limit: 2 },
        { limit: "A" },
        { limit: "a" },
        JSON.parse('{"__proto__":{"limit":1}}'),
      ]
      const keys = filters.map(
        (more: object) => Cacheability.requested("eth_getLogs", [{ blockHash: hash, ...more }])?.key,
      )
      expect(new Set(keys).size).toBe(filters.length)
    })

    it("does not match logs of several blocks, which a lagging node may truncate", () => {
      for (const filter of [{ fromBlock: "0x5", toBlock: "0x6" }, { fromBlock: "0x5" }, { toBlock: "latest" }, {}]) {
        expect(Cacheability.requested("eth_getLogs", [filter])).toBeNull()
      }
    })

    it("does not match a result about the state, the newest block or a node", () => {
      const changing = Object.values(RpcMethod.all).flatMap(({ name }) =>
        Cacheability.requested(name, [hash, "0x1", "0x1"]) === null &&
        Cacheability.requested(name, ["0x1", "0x1"]) === null
          ? [name]
          : [],
      )
      const never = Object.values(RpcMethod.all).filter(({ cacheability }) => cacheability === "never")
      // A filter of several blocks is not cached either.
      expect(changing.toSorted()).toEqual([...never.map(({ name }) => name), "eth_getLogs"].toSorted())
    })

    it("asked: distinguishes calls by every parameter, and numbers by their spelling unless they are an index", () => {
      const receipts = (...rest: ReadonlyArray<unknown>) =>
        Cacheability.requested("eth_getBlockReceipts", [hash, ...rest])
      const receipt = (...rest: ReadonlyArray<unknown>) =>
        Cacheability.requested("eth_getTransactionReceipt", [hash, ...rest])
      const traces = (...rest: ReadonlyArray<unknown>) => Cacheability.requested("trace_block", ["0x1", ...rest])
      for (const ask of [receipts, receipt, traces]) {
        const keys = [ask(), ask("0x1"), ask("0x01"), ask("0x1", true), ask("0x1", false)].map((bound) => bound?.key)
        expect(new Set(keys).size).toBe(5)
      }
    })
  })

  describe("blockOf", () => {
    it("reads the block of a block, of a transaction, and of the first item of a list", () => {
      const place = { blockHash: hash, blockNumber: "0x10" }
      const block = { number: 16, hash: lower }
      expect(Cacheability.blockOf("eth_getBlockByNumber", { hash, number: "0x10" })).toEqual(block)
      expect(Cacheability.blockOf("eth_getTransactionByHash", { hash: "0x", ...place })).toEqual(block)
      expect(Cacheability.blockOf("eth_getBlockReceipts", [place, {}])).toEqual(block)
      expect(Cacheability.blockOf("trace_block", [{ blockHash: hash, blockNumber: 16 }])).toEqual(block)
    })

    it("returns none for null, a pending transaction, and a value that is not an object", () => {
      for (const result of [
        null,
        [],
        "0x10",
        {},
        [null],
        { blockHash: null, blockNumber: null },
        { blockHash: hash },
        { blockNumber: "0x10" },
        { blockHash: [hash], blockNumber: "0x10" },
      ]) {
        expect(Cacheability.blockOf("eth_getTransactionByHash", result)).toBeNull()
      }
    })
  })

  describe("laws", () => {
    const names = Object.values(RpcMethod.all).map(({ name }) => name)

    it.prop(
      "requested and blockOf: never throw, whatever the parameters and the result",
      { name: Schema.Literals(names), params: Schema.Array(Schema.Json), result: Schema.Json },
      ({ name, params, result }) => {
        const found = Cacheability.requested(name, params)
        expect(found === null || found.key.startsWith(name)).toBe(true)
        expect(Cacheability.blockOf(name, result)).not.toBeUndefined()
      },
    )

    it.prop(
      "requested: a block has one key in every spelling of its number, and different blocks have different keys",
      {
        one: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        other: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      },
      ({ one, other }) => {
        const key = (text: string) => Cacheability.requested("eth_getBlockByNumber", [text, true])?.key
        const hex = one.toString(16)
        expect(key(`0x0${hex.toUpperCase()}`)).toBe(key(`0x${hex}`))
        expect(key(`0x${hex}`) === key(`0x${other.toString(16)}`)).toBe(one === other)
      },
    )
  })
})
