import { describe, expect, it } from "@effect/vitest"
import { RestFault, WalletHistory } from "@daybook/hostile"
import { Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Seed = between(0, 2 ** 32 - 1)

const blocks = (rows: ReadonlyArray<WalletHistory.Row>) => rows.map(({ block_number }) => Number(block_number))
const times = (rows: ReadonlyArray<WalletHistory.Row>) => rows.map((row) => Date.parse(row.block_timestamp))
const isSorted = (values: ReadonlyArray<number>) =>
  values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0))

/** Follows the cursors of correct pages to the last one. */
const readPages = (rows: ReadonlyArray<WalletHistory.Row>, pageSize: number) => {
  const read: Array<WalletHistory.Row> = []
  let cursor: string | null = null
  for (let number = 1; number === 1 || cursor !== null; number++) {
    const position: number = cursor === null ? 0 : (RestFault.positionOf(cursor) ?? 0)
    const context = { number, rows, position, pageSize, cursor, waitMillis: 0, acceptsGzip: false }
    const page: RestFault.Page = RestFault.correctPage(context)
    read.push(...page.served.flatMap((index) => rows.slice(index, index + 1)))
    cursor = page.cursor
  }
  return read
}

describe("WalletHistory", () => {
  it.prop(
    "make: returns the requested number of rows, with unique hashes, and the same rows for the same seed",
    [Seed, between(0, 120)],
    ([seed, count]) => {
      const rows = WalletHistory.make(seed, { rows: count })

      expect(rows).toHaveLength(count)
      expect(new Set(rows.map(({ hash }) => hash)).size).toBe(count)
      expect(rows.every(({ hash }) => /^0x[0-9a-f]{64}$/.test(hash))).toBe(true)
      expect(WalletHistory.make(seed, { rows: count })).toEqual(rows)
    },
  )

  it.prop("make: rows are in block order, and every block has one timestamp", [Seed], ([seed]) => {
    const rows = WalletHistory.make(seed, { rows: 60 })

    expect([isSorted(blocks(rows)), isSorted(times(rows))]).toEqual([true, true])
    expect(new Set(times(rows)).size).toBe(new Set(blocks(rows)).size)
  })

  it("make: interleaves only blocks of one timestamp when asked to", () => {
    const rows = WalletHistory.make(2, { rows: 100, interleaved: true })

    expect([isSorted(blocks(rows)), isSorted(times(rows))]).toEqual([false, true])
  })

  it.prop(
    "correct pages: following the cursors returns the ordered history, for every page size and order",
    [Seed, between(0, 60), between(1, 25), Schema.Literals(["ASC", "DESC"])],
    ([seed, count, pageSize, order]) => {
      const rows = WalletHistory.ordered(WalletHistory.make(seed, { rows: count }), order)

      expect(readPages(rows, pageSize)).toEqual(rows)
    },
  )

  it("ordered: is newest first unless the order is ASC in any case", () => {
    const rows = WalletHistory.make(3, { rows: 5 })

    expect(WalletHistory.ordered(rows, "asc")).toEqual(rows)
    expect(WalletHistory.ordered(rows, undefined)).toEqual(rows.toReversed())
  })
})
