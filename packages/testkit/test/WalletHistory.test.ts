import { describe, expect, it } from "vitest"
import { WalletHistory } from "@daybook/testkit"

const blocks = (rows: ReadonlyArray<WalletHistory.Row>) => rows.map(({ block_number }) => Number(block_number))
const times = (rows: ReadonlyArray<WalletHistory.Row>) => rows.map((row) => Date.parse(row.block_timestamp))
const isSorted = (values: ReadonlyArray<number>) =>
  values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0))

describe("WalletHistory", () => {
  describe("make", () => {
    it("makes as many rows as asked, each with a hash of its own, and the same ones again", () => {
      const rows = WalletHistory.make(1, { rows: 300 })

      expect(rows.length).toBe(300)
      expect(new Set(rows.map(({ hash }) => hash)).size).toBe(300)
      expect(rows.every(({ hash }) => /^0x[0-9a-f]{64}$/.test(hash))).toBe(true)
      expect(WalletHistory.make(1, { rows: 300 })).toEqual(rows)
    })

    it("is in order of blocks, and a block has one time", () => {
      const rows = WalletHistory.make(2, { rows: 100 })

      expect([isSorted(blocks(rows)), isSorted(times(rows))]).toEqual([true, true])
      expect(new Set(times(rows)).size).toBe(new Set(blocks(rows)).size)
    })

    it("interleaves blocks of one time only, on request", () => {
      const rows = WalletHistory.make(2, { rows: 100, interleaved: true })

      expect([isSorted(blocks(rows)), isSorted(times(rows))]).toEqual([false, true])
    })
  })

  describe("ordered", () => {
    it("is newest first unless the order is ASC", () => {
      const rows = WalletHistory.make(3, { rows: 5 })

      expect(WalletHistory.ordered(rows, "asc")).toEqual(rows)
      expect(WalletHistory.ordered(rows, undefined)).toEqual(rows.toReversed())
    })
  })
})
