/** Parsed tracer results within and beyond the limits, compared with the output of the text filter. */
import { describe, expect, it } from "@effect/vitest"
import * as BoundedFetch from "../../src/node/BoundedFetch.ts"
import type * as TraceBudget from "../../src/node/TraceBudget.ts"
import * as TraceBounds from "../../src/node/TraceBounds.ts"
import * as TraceFilter from "../../src/node/TraceFilter.ts"
import * as Model from "../store/model.ts"

const limits: TraceBudget.Limits = { transactionBytes: 800, blockBytes: 2_000, frames: 5, depth: 4 }

/** A reply as JSON, after the filter over its text. */
const filtered = (result: unknown, bounds = limits): unknown => {
  const text = Buffer.from(JSON.stringify({ id: 1, result }))
  return JSON.parse(Buffer.concat(TraceFilter.push(TraceFilter.make(bounds), text)).toString())
}

/** The same reply, bounded once it is parsed. */
const bounded = (result: unknown, bounds = limits): unknown => {
  const found = TraceBounds.bound(JSON.parse(JSON.stringify(result)), bounds)
  if (found._tag === "Result") return { id: 1, result: found.result }
  return { id: 1, error: { code: found.code, message: found.message } }
}

const hash = (index: number) => `0x${String(index).padStart(64, "0")}`
const nest = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((inner) => ({ type: "CALL", calls: [inner] }), { type: "CALL" })

describe("TraceBounds", () => {
  it.prop(
    "bound: returns the same as the filter, for any values under the keys of traces",
    { seed: Model.seed },
    ({ seed }) => {
      const numbers = Model.seeded(seed)
      const data = () => `0x${numbers.pick(["ab", "0f", "1"]).repeat(numbers.pick([0, 1, 30, 64, 65, 200, 450]))}`
      const container = (levels: number): unknown => {
        const items = () => Array.from({ length: numbers.below(4) }, () => value(levels - 1))
        if (levels <= 0) return numbers.pick<unknown>([[], {}, 1, null])
        if (numbers.below(2) === 0) return items()
        const keys = ["input", "output", "init", "code", "revertReason", "calls", "calls", "result", "action", "error"]
        const more = ["txHash", "transactionHash", "input_length", "output_hash", "type"]
        return Object.fromEntries(
          Array.from({ length: numbers.below(6) }, () => [numbers.pick([...keys, ...more]), value(levels - 1)]),
        )
      }
      const value = (levels: number): unknown => (numbers.below(3) === 0 ? data() : container(levels))
      const element = () => {
        const members: ReadonlyArray<readonly [string, unknown]> = [
          [numbers.pick(["txHash", "transactionHash"]), hash(numbers.below(3))],
          [numbers.pick(["action", "result"]), container(numbers.pick([1, 3, 12]))],
          ["result", { output: data(), calls: Array.from({ length: numbers.below(9) }, () => ({ input: data() })) }],
        ]
        return Object.fromEntries(numbers.below(2) === 0 ? members : members.toReversed())
      }
      const list = Array.from({ length: numbers.below(20) }, () =>
        numbers.below(8) === 0 ? { result: value(3) } : element(),
      )
      for (const result of [list, element(), { result: value(20) }]) expect(bounded(result)).toEqual(filtered(result))
    },
  )

  it("bound: leaves a result that is already bounded unchanged", () => {
    const big = { calls: Array.from({ length: 4 }, () => ({ input: `0x${"ab".repeat(300)}` })) }
    const entries = Array.from({ length: 12 }, () => ({ action: {}, transactionHash: hash(1) }))
    for (const result of [[{ result: big }, { result: nest(20) }], entries]) {
      expect(bounded((bounded(result) as { readonly result: unknown }).result)).toEqual(bounded(result))
    }
  })

  it("bound: returns the same as the filter on both sides of the size from which a response is filtered", () => {
    const frames = (count: number) => [
      { txHash: hash(1), result: { calls: Array.from({ length: count }, () => ({ type: "CALL", input: "0x" })) } },
      { txHash: hash(2), result: nest(1_022) },
      { txHash: hash(3), result: nest(1_100) },
    ]
    const bounds = { transactionBytes: 4 << 20, blockBytes: 8 << 20, frames: 10_000, depth: 1_024 }
    const sizes: Array<boolean> = []
    for (const count of [9_998, 10_000, 10_001, 120_000]) {
      const result = frames(count)
      sizes.push(JSON.stringify(result).length > BoundedFetch.smallBytes)
      expect(bounded(result, bounds)).toEqual(filtered(result, bounds))
    }

    expect(sizes).toEqual([false, false, false, true])
  })

  it("bound: reads a million levels no deeper than the limit", () => {
    const deep: unknown = JSON.parse(`{"calls":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`)

    expect(TraceBounds.bound([deep], limits)).toEqual({
      _tag: "Result",
      result: [{ error: "Trace beyond the limits: deeper than 4 calls." }],
    })
  })
})
