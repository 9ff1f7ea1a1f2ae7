import { describe, expect, it } from "vitest"
import { NodeScript, VirtualChain } from "@daybook/testkit"

const resultOf = (method: string, ...params: ReadonlyArray<unknown>) => {
  const reply = VirtualChain.answer({ method, params })
  return ("result" in reply ? reply.result : reply.error) as Record<string, unknown>
}

const calls = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].flatMap((seed) => NodeScript.make(seed, { mostCalls: 40 }).calls)

describe("VirtualChain", () => {
  describe("answer", () => {
    it("gives two different calls two different answers, and one call always the same", () => {
      const answers = new Map(
        calls.map((call) => [VirtualChain.keyOf(call), JSON.stringify(VirtualChain.answer(call))]),
      )
      const again = calls.map((call) => JSON.stringify(VirtualChain.answer(call)))

      const byHash = calls.filter(({ method }) => method === "eth_getBlockByHash").length
      expect(answers.size).toBeGreaterThan(100)
      expect(byHash).toBeGreaterThan(0)
      expect(new Set(answers.values()).size).toBe(answers.size)
      expect(calls.map((call) => answers.get(VirtualChain.keyOf(call)))).toEqual(again)
    })

    it("links blocks and leads hashes back to them", () => {
      const block = resultOf("eth_getBlockByNumber", "0xa7", true)
      const hashes = resultOf("eth_getBlockByHash", block["hash"], false)["transactions"] as ReadonlyArray<string>

      expect(resultOf("eth_getBlockByNumber", "0xa8", false)["parentHash"]).toBe(block["hash"])
      expect(hashes).toEqual((block["transactions"] as ReadonlyArray<{ hash: string }>).map(({ hash }) => hash))
      expect(hashes.length).toBe(3)
      expect(resultOf("eth_getTransactionByHash", hashes[2])).toEqual(
        resultOf("eth_getTransactionByBlockHashAndIndex", block["hash"], "0x2"),
      )
    })

    it("has null for a block, a hash or an index that there is not", () => {
      expect(resultOf("eth_getBlockByNumber", "0xffffffff", false)).toBe(null)
      expect(resultOf("eth_getBlockByHash", `0x${"ab".repeat(32)}`, false)).toBe(null)
      expect(resultOf("eth_getTransactionByHash", `0x${"ab".repeat(32)}`)).toBe(null)
      expect(resultOf("eth_getTransactionByBlockHashAndIndex", VirtualChain.blockHash(5), "0x1")).toBe(null)
    })

    it("refuses a method that it does not have", () => {
      expect(resultOf("eth_sendRawTransaction", "0x")).toMatchObject({ code: -32601 })
    })
  })
})
