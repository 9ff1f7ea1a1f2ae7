import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const block = { transactions: ["0x1", "0x2"], uncles: ["0x3"] }

const provide = Effect.fnUntraced(function* (reply: (call: Node.Call) => Node.Reply) {
  const node = yield* Node.start(reply)
  const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
  const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(service.call({ jsonrpc: "2.0", id: 1, method, params }), ({ json }) => json)
  return { ask, node }
})

describe("ClientMethods", () => {
  it.live("a program that connects finds no accounts and a node that listens, without a call to a node", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* provide(() => Node.result("null"))

      expect((yield* ask("eth_accounts")).result).toEqual([])
      expect((yield* ask("net_listening")).result).toBe(true)
      expect((yield* ask("eth_accounts", 1)).error.code).toBe(-32602)
      expect(node.calls).toEqual([])
    }),
  )

  it.live("transactions and uncles of a block are counted in the block", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* provide(({ params }) =>
        Node.result(JSON.stringify(params?.[0] === "latest" ? { transactions: [] } : block)),
      )
      const hash = Rows.hashOf("block")

      expect((yield* ask("eth_getBlockTransactionCountByHash", hash)).result).toBe("0x2")
      expect((yield* ask("eth_getUncleCountByBlockHash", hash)).result).toBe("0x1")
      expect((yield* ask("eth_getUncleCountByBlockNumber", "0x7")).result).toBe("0x1")
      expect((yield* ask("eth_getUncleCountByBlockNumber", "latest")).result).toBe("0x0")
      expect(node.calls).toContainEqual({ method: "eth_getBlockByHash", params: [hash, false] })
      expect(node.calls).toContainEqual({ method: "eth_getBlockByNumber", params: ["0x7", false] })
    }),
  )

  it.live("an uncle is read by the number of its block, and must be the one that the block states", () =>
    Effect.gen(function* () {
      const [hash, other, unknown] = [Rows.hashOf("block"), Rows.hashOf("other"), Rows.hashOf("unknown")]
      const [uncle, replaced] = [Rows.hashOf("uncle"), Rows.hashOf("replaced")]
      const { ask, node } = yield* provide(({ method, params }) => {
        if (method === "eth_getUncleByBlockNumberAndIndex")
          return Node.result(JSON.stringify({ hash: uncle, nonce: 1 }))
        const uncles = params?.[0] === hash ? [uncle] : [replaced]
        return Node.result(params?.[0] === unknown ? "null" : JSON.stringify({ number: "0x7", uncles }))
      })
      const uncleAt = (block: string, index: string) => ask("eth_getUncleByBlockHashAndIndex", block, index)

      expect((yield* uncleAt(hash, "0x0")).result).toEqual({ hash: uncle, nonce: 1 })
      expect(node.calls).toContainEqual({ method: "eth_getUncleByBlockNumberAndIndex", params: ["0x7", "0x0"] })
      expect(yield* uncleAt(hash, "0x1")).toMatchObject({ result: null })
      expect(yield* uncleAt(unknown, "0x0")).toMatchObject({ result: null })
      expect((yield* uncleAt(other, "0x0")).error).toEqual({
        code: -32000,
        message: "The node returned another uncle. Retry later.",
      })
    }),
  )

  it.live("the counts of an unknown block are null, and those of another value an error", () =>
    Effect.gen(function* () {
      const { ask } = yield* provide(({ params }) =>
        Node.result(params?.[0] === "0x8" ? JSON.stringify({ transactions: 1 }) : "null"),
      )

      expect(yield* ask("eth_getBlockTransactionCountByHash", Rows.hashOf("block"))).toMatchObject({ result: null })
      expect(yield* ask("eth_getUncleCountByBlockNumber", "0x7")).toMatchObject({ result: null })
      expect((yield* ask("eth_getUncleCountByBlockNumber", "0x8")).error).toEqual({
        code: -32000,
        message: "Invalid response of the node: expected a block.",
      })
    }),
  )
})
