import { describe, expect, it } from "@effect/vitest"
import { NodeScript, VirtualChain } from "@daybook/harness"
import { Schema } from "effect"

const Height = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: VirtualChain.head }))

const resultOf = (method: string, ...params: ReadonlyArray<unknown>) => {
  const reply = VirtualChain.answer({ method, params })
  return ("result" in reply ? reply.result : reply.error) as Record<string, unknown>
}

const calls = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].flatMap((seed) => NodeScript.make(seed, { maxCalls: 40 }).calls)

describe("VirtualChain", () => {
  it("answer: gives different results to different calls, and the same result to the same call", () => {
    const results = new Map(calls.map((call) => [VirtualChain.keyOf(call), JSON.stringify(VirtualChain.answer(call))]))
    const again = calls.map((call) => JSON.stringify(VirtualChain.answer(call)))

    expect(results.size).toBeGreaterThan(100)
    expect(calls.filter(({ method }) => method === "eth_getBlockByHash").length).toBeGreaterThan(0)
    expect(new Set(results.values()).size).toBe(results.size)
    expect(calls.map((call) => results.get(VirtualChain.keyOf(call)))).toEqual(again)
  })

  it.prop("answer: a block is found by number and by hash, and links to its parent", [Height], ([number]) => {
    const id = `0x${number.toString(16)}`
    const block = resultOf("eth_getBlockByNumber", id, true)

    expect(resultOf("eth_getBlockByHash", block["hash"], true)).toEqual(block)
    expect(block["parentHash"]).toBe(VirtualChain.blockHash(number - 1))
  })

  it.prop("answer: a transaction is found by hash and by its position in the block", [Height], ([number]) => {
    const block = resultOf("eth_getBlockByHash", VirtualChain.blockHash(number), true)
    const transactions = block["transactions"] as ReadonlyArray<{ readonly hash: string }>

    expect(transactions).toHaveLength(VirtualChain.transactionsIn(number))
    for (const [index, transaction] of transactions.entries()) {
      expect(resultOf("eth_getTransactionByHash", transaction.hash)).toEqual(transaction)
      expect(resultOf("eth_getTransactionByBlockHashAndIndex", block["hash"], `0x${index}`)).toEqual(transaction)
    }
  })

  it("answer: is null for a block, a hash or an index that does not exist", () => {
    expect(resultOf("eth_getBlockByNumber", "0xffffffff", false)).toBe(null)
    expect(resultOf("eth_getBlockByHash", `0x${"ab".repeat(32)}`, false)).toBe(null)
    expect(resultOf("eth_getTransactionByHash", `0x${"ab".repeat(32)}`)).toBe(null)
    expect(resultOf("eth_getTransactionByBlockHashAndIndex", VirtualChain.blockHash(5), "0x1")).toBe(null)
  })

  it("answer: rejects an unsupported method with -32601", () => {
    expect(resultOf("eth_sendRawTransaction", "0x")).toMatchObject({ code: -32601 })
  })
})
