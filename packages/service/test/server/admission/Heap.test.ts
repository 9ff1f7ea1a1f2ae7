import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Heap from "../../../src/server/admission/Heap.ts"

const removeAll = (heap: Heap.Heap<number>): ReadonlyArray<number> => {
  const removed: Array<number> = []
  for (let first = heap.first(); first !== undefined; first = heap.first()) {
    removed.push(first)
    heap.removeFirst()
  }
  return removed
}

describe("Heap", () => {
  it.prop("law: returns what was added in order", { items: Schema.Array(Schema.Int) }, ({ items }) => {
    const heap = Heap.make<number>((one, other) => one < other)
    for (const item of items) heap.add(item)
    const [lowest] = items.toSorted((one, other) => one - other)
    expect(heap.first()).toBe(lowest)
    heap.removeFirst()
    for (const item of items) heap.add(item)

    expect(removeAll(heap)).toEqual([...items, ...items].toSorted((one, other) => one - other).slice(1))
  })

  it("removeFirst: does nothing to an empty heap", () => {
    const heap = Heap.make<number>((one, other) => one < other)
    heap.removeFirst()

    expect(heap.first()).toBeUndefined()
  })
})
