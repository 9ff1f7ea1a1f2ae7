import { describe, expect, it } from "vitest"
import { parse } from "../../../src/pages/address/AddressSearch.ts"

describe("AddressSearch.parse", () => {
  it("reads the tab and its filters", () => {
    const search = { tab: "movements", asset: "native", kind: "fee,erc20", direction: "in", from: "2026-01-31" }

    expect(parse(search)).toMatchObject(search)
  })

  it("omits what is not valid", () => {
    const search = { tab: "<script>", asset: "gold", kind: "FEE;", direction: "up", from: "31.1.2026", order: "random" }

    expect(Object.values(parse(search)).filter((value) => value !== undefined)).toEqual([])
  })
})
