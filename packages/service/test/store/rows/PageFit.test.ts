import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as PageFit from "../../../src/store/rows/PageFit.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))).check(Schema.isMaxLength(8))
const Bound = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))

describe("PageFit", () => {
  it.prop(
    "fit: returns the longest prefix of the rows within both limits, at least one, and whether more follow",
    { all: Bytes, limit: Bound, maxBytes: Bound },
    ({ all, limit, maxBytes }) => {
      const query = { key: "0x", from: 0, to: 9, order: "ASC", after: null, limit, maxBytes } as const
      const texts = { body: "", internal: null, revision: 1 }
      const candidates = all.map((bytes, id) => ({ id, bytes, read: () => (bytes === 9 ? null : texts) }))
      const { hasMore, rows, searched } = PageFit.fit(candidates, query)
      const own = candidates.filter(({ bytes }) => bytes !== 9)
      const sizeOf = (count: number) => own.slice(0, count).reduce((sum, { bytes }) => sum + bytes, 0)

      expect(rows.map(({ index }) => index)).toEqual(own.slice(0, rows.length).map(({ id }) => id))
      expect(rows.length <= 1 || sizeOf(rows.length) <= maxBytes).toBe(true)
      expect(rows.length).toBeLessThanOrEqual(limit)
      const others = candidates.filter(({ bytes, id }) => bytes === 9 && id <= (searched?.index ?? -1))
      if (!hasMore) expect(rows).toHaveLength(own.length)
      else if (searched !== undefined) expect(others.length * 9).toBeGreaterThan(maxBytes)
      else expect(rows.length === limit || sizeOf(rows.length) + 9 > maxBytes).toBe(true)
    },
  )

  it("fit: ends a page after a number of rows of other wallets, with the position of the last one", () => {
    const query = { key: "0x", from: 0, to: 9, order: "ASC", after: null, limit: 9 } as const
    const own = { body: "", internal: null, revision: 1 }
    const pageOf = (others: number) => {
      const ids = Array.from({ length: others + 2 }, (_, id) => id)
      const texts = (id: number) => (id === 0 || id === others + 1 ? own : null)
      const { hasMore, rows, searched } = PageFit.fit(
        ids.map((id) => ({ id, bytes: 1, read: () => texts(id) })),
        query,
      )
      return { hasMore, rows: rows.map(({ index }) => index), searched: searched?.index }
    }
    const { maxOthers } = PageFit

    expect(pageOf(maxOthers - 1)).toEqual({ hasMore: false, rows: [0, maxOthers], searched: undefined })
    expect(pageOf(maxOthers)).toEqual({ hasMore: true, rows: [0], searched: maxOthers })
  })

  it("fit: ends a page once rows of other wallets have more bytes than a page", () => {
    const searchedOf = (maxBytes: number) => {
      const query = { key: "0x", from: 0, to: 9, order: "ASC", after: null, limit: 9, maxBytes } as const
      const candidates = [0, 1, 2, 3, 4].map((id) => ({ id, bytes: 10, read: () => null }))
      return PageFit.fit(candidates, query).searched?.index
    }

    expect([19, 20, 29, 30, 50].map(searchedOf)).toEqual([1, 2, 2, 3, undefined])
  })

  describe("blocksOf", () => {
    const query = { from: 3, to: 9, after: null, limit: 2 } as const
    const ids = (...blocks: ReadonlyArray<number>) => blocks.map((block) => RowId.make(block, 1))

    it.each([
      ["ascending, all blocks if no more rows are left", "ASC", ids(4, 5), [3, 9]],
      ["ascending, the blocks up to the last row that was read", "ASC", ids(4, 5, 6), [3, 6]],
      ["descending, all blocks if no more rows are left", "DESC", ids(8, 7), [3, 9]],
      ["descending, the blocks down to the last row that was read", "DESC", ids(8, 7, 6), [6, 9]],
    ] as const)("blocksOf: %s", (_, order, stored, expected) => {
      expect(PageFit.blocksOf({ ...query, order }, stored)).toEqual(expected)
    })
  })

  it("lackingBlock: is the first block that has fewer rows than were stored with it, or is damaged", () => {
    const ids = [
      [3, 0],
      [3, 1],
      [5, 0],
    ].map(([block, index]) => RowId.make(block!, index!))
    const blockOf = (number: number, count: number, isDamaged = false) => ({ number, count, isDamaged })
    const whole = [blockOf(3, 2), blockOf(4, 0), blockOf(5, 1)]

    expect(PageFit.lackingBlock(whole, ids)).toBeUndefined()
    expect(PageFit.lackingBlock([...whole, blockOf(6, 1), blockOf(7, 1)], ids)).toBe(6)
    expect(PageFit.lackingBlock([blockOf(3, 3), ...whole], ids)).toBe(3)
    expect(PageFit.lackingBlock([...whole, blockOf(6, 0, true)], ids)).toBe(6)
  })
})
