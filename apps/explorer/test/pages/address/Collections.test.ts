import type { Balance } from "@daybook/rest/promise"
import { describe, expect, it } from "vitest"
import { holdingsOf } from "../../../src/pages/address/Collections.ts"

const held = (asset: string, id: bigint | null): Balance =>
  // Sound: what is grouped reads these alone.
  ({ asset, token_id: id, balance: 1n }) as Balance

describe("holdingsOf", () => {
  it("lists each collection once with its items, in the order of the first, separately from divisible assets", () => {
    const rows = [held("native", null), held("0xb", 7n), held("0xa", null), held("0xc", 1n), held("0xb", 9n)]

    const { collections, fungible } = holdingsOf(rows)

    expect(fungible.map(({ asset }) => asset)).toEqual(["native", "0xa"])
    expect(collections.map(({ asset, items }) => [asset, items.map(({ token_id: id }) => id)])).toEqual([
      ["0xb", [7n, 9n]],
      ["0xc", [1n]],
    ])
  })
})
