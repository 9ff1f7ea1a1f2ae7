import { describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { expect } from "vitest"
import * as RangeParameters from "../../../src/server/rest/RangeParameters.ts"
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

describe("RangeParameters", () => {
  const read = (parameters: RangeParameters.Parameters) =>
    Result.match(RangeParameters.read(parameters), {
      onFailure: ({ message, parameter }) => [parameter, message],
      onSuccess: ({ from, to }) => [from, to],
    })
  const [open, block] = [{ _tag: "Open" }, (number: number) => ({ _tag: "Block", block: number })]
  const [early, late] = ["2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z"]
  const date = (text: string) => ({ _tag: "Date", date: Date.parse(text) })
  const last = Number.MAX_SAFE_INTEGER

  it("read: is open at an end without a parameter, and a block takes precedence over a date", () => {
    expect(read({})).toEqual([open, open])
    expect(read({ from_block: 0n, to_block: 0n })).toEqual([block(0), block(0)])
    expect(read({ from_date: early, to_date: late })).toEqual([date(early), date(late)])
    expect(read({ from_block: 3n, from_date: late, to_date: early })).toEqual([block(3), date(early)])
    expect(read({ from_date: early, to_block: 0n })).toEqual([date(early), block(0)])
  })

  it("read: treats a number above every block as the last one", () => {
    for (const number of [BigInt(last), BigInt(last) + 1n, 2n ** 200n]) {
      expect(read({ from_block: number, to_block: number })).toEqual([block(last), block(last)])
    }
    expect(read({ to_block: BigInt(last) - 1n })).toEqual([open, block(last - 1)])
  })

  it("read: rejects a range that ends before it begins, and an invalid date", () => {
    expect(read({ from_block: 9n, to_block: 8n })).toEqual([
      "from_block",
      'Invalid query parameter "from_block": expected at most to_block (block 8), received block 9.',
    ])
    expect(read({ from_date: late, to_date: early })[0]).toBe("from_date")
    expect(read({ from_date: "soon" })[0]).toBe("from_date")
    expect(read({ from_date: "soon", from_block: 1n })[0]).toBe("from_date")
    expect(read({ to_date: "soon" })[0]).toBe("to_date")
  })
})
