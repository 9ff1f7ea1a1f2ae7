import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

describe("range", () => {
  it.live("range: one block, or one instant, is a range", () =>
    Effect.gen(function* () {
      const blocks = Rows.chain(2, 20)
      const service = yield* start({ chains: { eth: { blocks } } })
      const at = Rows.timeOf(7)

      for (const query of ["from_block=7&to_block=7", `from_date=${at}&to_date=${at}`]) {
        const { json, status } = yield* service.wallet(Rows.bob, query)
        const numbers = json.result.map((row: { readonly block_number: string }) => row.block_number)
        expect([query, status, ...new Set(numbers)]).toEqual([query, 200, "7"])
      }
    }),
  )
})
