import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as TimeSearch from "../../../src/store/rows/TimeSearch.ts"

const Times = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(6),
)
const Instant = Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 10 }))

describe("TimeSearch", () => {
  it.prop(
    "isFirst, isLast: select one block of a chain with ascending times",
    { times: Times, instant: Instant },
    ({ instant, times }) => {
      const blocks = times.toSorted((one, other) => one - other).map((timestamp) => ({ timestamp }))
      const first = blocks.findIndex(({ timestamp }) => timestamp >= instant)
      const last = blocks.findLastIndex(({ timestamp }) => timestamp <= instant)

      for (const [at, block] of blocks.entries()) {
        const isFirst = TimeSearch.isFirst(block, blocks[at - 1] ?? null, instant)
        const isLast = TimeSearch.isLast(block, blocks[at + 1] ?? null, instant)
        expect([isFirst, isLast]).toEqual([at === first, at === last])
      }
      expect([TimeSearch.isFirst(null, null, instant), TimeSearch.isLast(null, null, instant)]).toEqual([false, false])
    },
  )
})
