import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as CommonAncestor from "../../src/indexer/CommonAncestor.ts"

/** Runs a search against a chain that shares the stored blocks up to `fork`; `null` if it shares none. */
const search = (first: number, head: number, fork: number | null) => {
  const asked: Array<number> = []
  let state = CommonAncestor.start(first, head)
  for (let number = CommonAncestor.next(state); number !== null; number = CommonAncestor.next(state)) {
    asked.push(number)
    state = CommonAncestor.compared(state, number, fork !== null && number <= fork)
  }
  return { asked, ancestor: state.shared >= first ? state.shared : null }
}

describe("CommonAncestor", () => {
  it("next: compares the head, then blocks in doubling steps below it, then bisects", () => {
    expect(search(0, 100, 80)).toEqual({ asked: [100, 98, 94, 86, 70, 78, 82, 80, 81], ancestor: 80 })
  })

  it("next: compares one block if the head is shared", () => {
    expect(search(5, 9, 9)).toEqual({ asked: [9], ancestor: 9 })
  })

  it("compared: returns no ancestor if not even the first block is shared", () => {
    expect(search(5, 9, null)).toEqual({ asked: [9, 7, 5], ancestor: null })
  })

  it("compared: finds the fork of every small chain, within the range and without comparing a block twice", () => {
    for (const first of [0, 1, 7]) {
      for (let length = 1; length <= 40; length++) {
        const head = first + length - 1
        for (let fork = first - 1; fork <= head; fork++) {
          const expected = fork < first ? null : fork
          const { ancestor, asked } = search(first, head, expected)
          expect(ancestor).toBe(expected)
          expect(asked.every((number) => number >= first && number <= head)).toBe(true)
          expect(new Set(asked).size).toBe(asked.length)
        }
      }
    }
  })

  it("next: compares few blocks of a long chain", () => {
    for (const fork of [0, 1, 123_456, 999_990, 999_999]) {
      const { ancestor, asked } = search(0, 1_000_000, fork)
      expect(ancestor).toBe(fork)
      expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(1_000_001 - fork)) + 2)
    }
  })

  it.prop(
    "compared: finds the block that a linear scan of two chains finds",
    {
      local: Schema.Array(Schema.Boolean).check(Schema.isMinLength(1), Schema.isMaxLength(60)),
      remote: Schema.Array(Schema.Boolean),
      first: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })),
    },
    ({ first, local, remote }) => {
      const differs = local.findIndex((branch, index) => branch !== remote[index])
      const shared = (differs === -1 ? local.length : differs) - 1
      const expected = shared < 0 ? null : first + shared
      const { ancestor, asked } = search(first, first + local.length - 1, expected)

      expect(ancestor).toBe(expected)
      expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(local.length + 1)) + 2)
    },
  )
})
