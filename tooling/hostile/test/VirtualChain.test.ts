import { describe, expect, it } from "@effect/vitest"
import { NodeScript, VirtualChain } from "@daybook/hostile"

const resultOf = (method: string, ...params: ReadonlyArray<unknown>) => {
  const reply = VirtualChain.answer({ method, params })
  return "result" in reply ? reply.result : reply.error
}

const scripts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((seed) => NodeScript.make(seed, { maxCalls: 40 }).calls)

describe("VirtualChain", () => {
  it.each(scripts.map((calls) => ({ calls })))(
    "answer: returns different results for the calls of a script, and the same result for the same call",
    ({ calls }) => {
      const results = calls.map((call) => JSON.stringify(VirtualChain.answer(call)))

      expect(new Set(results).size).toBe(calls.length)
      expect(calls.map((call) => JSON.stringify(VirtualChain.answer(call)))).toEqual(results)
    },
  )

  it("answer: is null for traces of a block that does not exist", () => {
    expect(resultOf("trace_block", "0xffffffff")).toBe(null)
    expect(resultOf("debug_traceBlockByNumber", "0xffffffff", { tracer: "callTracer" })).toBe(null)
  })

  it("answer: rejects an unsupported method with -32601", () => {
    expect(resultOf("eth_mining")).toMatchObject({ code: -32601 })
  })
})
