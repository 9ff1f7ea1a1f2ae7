import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as WalletQuery from "../src/WalletQuery.ts"
import { address } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

describe("WalletQuery", () => {
  it("reads and writes every parameter as text", () => {
    const wire = {
      chain: "0x1",
      from_block: "5",
      to_block: "9",
      from_date: "2024-01-01",
      to_date: "Feb 1, 2024",
      cursor: "abc",
      include: "internal_transactions",
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

  it("reads an order in any case", () => {
    expect(Schema.decodeUnknownSync(WalletQuery.WalletQuery)({ order: "desc" }).order).toBe("DESC")
  })

  it("refuses what is not of the interface", () => {
    expect(refusal(WalletQuery.WalletQuery, { order: "up" })).toContain("ASC or DESC")
    expect(refusal(WalletQuery.WalletQuery, { limit: "many" })).toContain('["limit"]')
    expect(refusal(WalletQuery.WalletQuery, { from_block: "-1" })).toContain('["from_block"]')
    expect(refusal(WalletQuery.WalletQuery, { include: "logs" })).toContain('["include"]')
  })

  it("decodes what it encoded", async () => {
    await encodesAndDecodes(WalletQuery.WalletQuery)
  })

  describe("Path", () => {
    it("reads the address in any case", () => {
      expect(Schema.decodeUnknownSync(WalletQuery.Path)({ address: address("A") })).toEqual({ address: address("a") })
      expect(refusal(WalletQuery.Path, { address: "0x12" })).toContain("an address of 20 bytes in hex")
    })
  })

  describe("bounds", () => {
    it("takes a date where there is no block", () => {
      expect(WalletQuery.bounds({ from_date: "a", to_date: "b" })).toEqual({
        from: { _tag: "Date", date: "a" },
        to: { _tag: "Date", date: "b" },
      })
    })

    it("takes the block where both are given, at each end by itself", () => {
      expect(WalletQuery.bounds({ from_block: 1n, from_date: "a", to_date: "b" })).toEqual({
        from: { _tag: "Block", block: 1n },
        to: { _tag: "Date", date: "b" },
      })
      expect(WalletQuery.bounds({ from_date: "a", to_block: 0n, to_date: "b" })).toEqual({
        from: { _tag: "Date", date: "a" },
        to: { _tag: "Block", block: 0n },
      })
    })

    it("is open where neither is given", () => {
      expect(WalletQuery.bounds({})).toEqual({ from: { _tag: "Open" }, to: { _tag: "Open" } })
    })
  })
})
