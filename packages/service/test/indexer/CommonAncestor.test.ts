import { describe, expect, it } from "vitest"
import * as CommonAncestor from "../../src/indexer/CommonAncestor.ts"

/** Runs a search against a chain that shares our blocks up to `fork`; `null` where it shares none. */
const search = (first: number, head: number, fork: number | null) => {
  const asked: Array<number> = []
  let state = CommonAncestor.start(first, head)
  for (let number = CommonAncestor.next(state); number !== null; number = CommonAncestor.next(state)) {
    asked.push(number)
    state = CommonAncestor.compared(state, number, fork !== null && number <= fork)
  }
  return { asked, ancestor: CommonAncestor.ancestor(state) }
}

describe("Ancestor", () => {
  it("asks about the head, then gallops down in doubling steps, then halves", () => {
    expect(search(0, 100, 80)).toEqual({ asked: [100, 98, 94, 86, 70, 78, 82, 80, 81], ancestor: 80 })
  })

  it("asks about one block when the head is shared", () => {
    expect(search(5, 9, 9)).toEqual({ asked: [9], ancestor: 9 })
  })

  it("finds none when not even the first block is shared", () => {
    expect(search(5, 9, null)).toEqual({ asked: [9, 7, 5], ancestor: null })
  })

  it("finds the fork of every small chain, within the range and without asking twice", () => {
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

  it("asks about few blocks of a long chain", () => {
    for (const fork of [0, 1, 123_456, 999_990, 999_999]) {
      const { ancestor, asked } = search(0, 1_000_000, fork)
      expect(ancestor).toBe(fork)
      expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(1_000_001 - fork)) + 2)
    }
  })
})
