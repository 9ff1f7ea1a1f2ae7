import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as WalletQuery from "../src/WalletQuery.ts"
import { address } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

describe("WalletQuery", () => {
  it("WalletQuery: decodes and encodes every parameter as a string", () => {
    const wire = {
      chain: "0x1",
      from_block: "5",
      to_block: "9",
      from_date: "2024-01-01",
      to_date: "Feb 1, 2024",
      cursor: "abc",
      include: "internal_transactions",
      scope: "all",
      limit: "25",
      order: "ASC",
    }
    expect(Schema.decodeUnknownSync(WalletQuery.WalletQuery)(wire)).toMatchObject({
      from_block: 5n,
      limit: 25,
      order: "ASC",
    })
    decodesAndEncodes(WalletQuery.WalletQuery, wire)
    decodesAndEncodes(WalletQuery.WalletQuery, {})
  })

  it("WalletQuery: decodes an order in any case", () => {
    expect(Schema.decodeUnknownSync(WalletQuery.WalletQuery)({ order: "desc" }).order).toBe("DESC")
  })

  it("WalletQuery: refuses values outside the interface", () => {
    expect(refusal(WalletQuery.WalletQuery, { order: "up" })).toContain("ASC or DESC")
    expect(refusal(WalletQuery.WalletQuery, { limit: "many" })).toContain('["limit"]')
    expect(refusal(WalletQuery.WalletQuery, { limit: "0" })).toContain("a whole number of at least 1")
    expect(refusal(WalletQuery.WalletQuery, { from_block: "-1" })).toContain('["from_block"]')
    expect(refusal(WalletQuery.WalletQuery, { include: "logs" })).toContain('["include"]')
    expect(refusal(WalletQuery.WalletQuery, { scope: "some" })).toContain('["scope"]')
  })

  it.prop("WalletQuery: decodes what it encodes", [WalletQuery.WalletQuery], ([value]) => {
    encodesAndDecodes(WalletQuery.WalletQuery, value)
  })

  describe("Path", () => {
    it("Path: decodes an address in any case", () => {
      expect(Schema.decodeUnknownSync(WalletQuery.Path)({ address: address("A") })).toEqual({ address: address("a") })
      expect(refusal(WalletQuery.Path, { address: "0x12" })).toContain("an address of 20 bytes in hex")
    })
  })

  describe("bounds", () => {
    it("bounds: uses a date if there is no block", () => {
      expect(WalletQuery.bounds({ from_date: "a", to_date: "b" })).toEqual({
        from: { _tag: "Date", date: "a" },
        to: { _tag: "Date", date: "b" },
      })
    })

    it("bounds: a block takes precedence over a date, at each end separately", () => {
      expect(WalletQuery.bounds({ from_block: 1n, from_date: "a", to_date: "b" })).toEqual({
        from: { _tag: "Block", block: 1n },
        to: { _tag: "Date", date: "b" },
      })
      expect(WalletQuery.bounds({ from_date: "a", to_block: 0n, to_date: "b" })).toEqual({
        from: { _tag: "Date", date: "a" },
        to: { _tag: "Block", block: 0n },
      })
    })

    it("bounds: is open if neither is given", () => {
      expect(WalletQuery.bounds({})).toEqual({ from: { _tag: "Open" }, to: { _tag: "Open" } })
    })
  })
})
