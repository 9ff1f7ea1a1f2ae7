import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as PageFit from "../../../src/store/rows/PageFit.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))).check(Schema.isMaxLength(8))
const Bound = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))

describe("PageFit", () => {
  it.prop(
    "fit: gives the longest start of the rows within both bounds, at least one, and whether more follow",
    { all: Bytes, limit: Bound, maxBytes: Bound },
    ({ all, limit, maxBytes }) => {
      const query = { key: "0x", from: 0, to: 9, order: "ASC", after: null, limit, maxBytes } as const
      const texts = { body: "", internal: null, revision: 1 }
      const candidates = all.map((bytes, id) => ({ id, bytes, read: () => (bytes === 9 ? null : texts) }))
      const { hasMore, rows } = PageFit.fit(candidates, query)
      const own = candidates.filter(({ bytes }) => bytes !== 9)
      const sizeOf = (count: number) => own.slice(0, count).reduce((sum, { bytes }) => sum + bytes, 0)

      expect(rows.map(({ index }) => index)).toEqual(own.slice(0, rows.length).map(({ id }) => id))
      expect(rows.length <= 1 || sizeOf(rows.length) <= maxBytes).toBe(true)
      expect(rows.length).toBeLessThanOrEqual(limit)
      if (!hasMore) expect(rows).toHaveLength(own.length)
      else expect(rows.length === limit || sizeOf(rows.length) + 9 > maxBytes).toBe(true)
    },
  )
})
