import { describe, expect, it } from "@effect/vitest"
import * as Totals from "../../src/ledger/Totals.ts"
import * as TotalsCache from "../../src/query/TotalsCache.ts"

const basis = { first: 3, openings: 1 }
const minutes = 60_000

/** Totals with a number of sums, and of blocks in which movements may be missing. */
const totalsOf = (sums: number, incomplete = 0): Totals.Totals => {
  const sum = { asset: "native", tokenId: null, kind: "value", count: 1, in: 1n, out: 0n } as const
  return {
    ...Totals.make(),
    sums: new Map(Array.from({ length: sums }, (_, at) => [String(at), sum])),
    incompleteBlocks: Array.from({ length: incomplete }, () => 1),
  }
}

const entryAt = (block: number, more: Partial<TotalsCache.Entry> = {}): TotalsCache.Entry => ({
  through: { block, index: 0 },
  hash: `0x${block}`,
  ...basis,
  totals: totalsOf(0),
  at: 0,
  ...more,
})

const places = (cache: TotalsCache.TotalsCache, key: string, block = 1_000) =>
  cache.upTo(key, block, basis, 0).map(({ through }) => through.block)

describe("TotalsCache", () => {
  it("upTo: returns the entries of a wallet up to a block, latest first, whatever the order of addition", () => {
    const cache = TotalsCache.make()
    for (const block of [20, 10, 40, 30]) cache.add("one", entryAt(block))
    cache.add("other", entryAt(5))

    expect([9, 10, 30, 39, 99].map((block) => places(cache, "one", block))).toEqual([
      [],
      [10],
      [30, 20, 10],
      [30, 20, 10],
      [40, 30, 20, 10],
    ])
    expect(places(cache, "none")).toEqual([])
  })

  it("add: orders entries by block, whatever their indexes", () => {
    const cache = TotalsCache.make()
    for (const [block, index] of [
      [20, 0],
      [10, 5],
      [30, 3],
      [25, 9],
    ] as const) {
      cache.add("one", entryAt(block, { through: { block, index } }))
    }

    expect(places(cache, "one")).toEqual([30, 25, 20, 10])
  })

  it("add: replaces the entry at a position, and orders entries of one block by index", () => {
    const cache = TotalsCache.make()
    for (const [index, hash] of [
      [1, "0xa"],
      [0, "0xb"],
      [2, "0xc"],
      [1, "0xd"],
    ] as const) {
      cache.add("one", entryAt(7, { through: { block: 7, index }, hash }))
    }

    expect(cache.upTo("one", 7, basis, 0).map(({ hash, through }) => [through.index, hash])).toEqual([
      [2, "0xc"],
      [1, "0xd"],
      [0, "0xb"],
    ])
  })

  it.each([
    ["the same index, within ten minutes", basis, 10 * minutes - 1, [8]],
    ["ten minutes later", basis, 10 * minutes, []],
    ["another first block", { ...basis, first: 2 }, 0, []],
    ["other openings", { ...basis, openings: 2 }, 0, []],
  ])("upTo: %s", (_, now, millis, expected) => {
    const cache = TotalsCache.make()
    cache.add("one", entryAt(8))

    expect(cache.upTo("one", 8, now, millis).map(({ through }) => through.block)).toEqual(expected)
    // Entries that no longer hold are dropped.
    expect(places(cache, "one")).toEqual(expected)
  })

  it.each([
    ["all that have 25,000 sums with one for each entry", [12_499, 12_499], 0, [2, 1]],
    ["the last of two that have one more", [12_499, 12_500], 0, [2]],
    ["every second one of four, and the last", [6_250, 6_250, 6_250, 6_250], 0, [4, 2]],
    ["every second one of five, and the last", [5_000, 5_000, 5_000, 5_000, 5_000], 0, [5, 3, 1]],
    ["every fourth one where those are too many, and the last", [1, 1, 12_500, 1, 12_500], 0, [5, 1]],
    ["a single one of any size", [30_000], 0, [1]],
    ["all whose blocks with missing movements count as an eighth of a sum", [12_399, 12_399], 800, [2, 1]],
    ["the last where those are one more", [12_399, 12_400], 800, [2]],
  ])("add: keeps for a wallet %s", (_, sums, incomplete, expected) => {
    const cache = TotalsCache.make()
    for (const [at, count] of sums.entries()) cache.add("one", entryAt(at + 1, { totals: totalsOf(count, incomplete) }))

    expect(places(cache, "one")).toEqual(expected)
  })

  it("add: drops the least recently used wallets beyond 100,000 sums in total", () => {
    const cache = TotalsCache.make()
    const quarter = entryAt(1, { totals: totalsOf(24_999) })
    for (const key of ["one", "two", "three", "four"]) cache.add(key, quarter)
    const all = ["one", "two", "three", "four", "five"]
    const kept = () => all.filter((key) => places(cache, key).length > 0)
    const before = kept()
    // Replaced sums count once.
    cache.add("four", quarter)
    const replaced = kept()
    places(cache, "one")
    cache.add("five", entryAt(1))

    expect([before, replaced]).toEqual([all.slice(0, 4), all.slice(0, 4)])
    expect(kept()).toEqual(["one", "three", "four", "five"])
  })

  it("upTo: frees the space of entries that no longer hold for other wallets", () => {
    const cache = TotalsCache.make()
    const quarter = entryAt(1, { totals: totalsOf(24_999) })
    for (const key of ["one", "two", "three", "four"]) cache.add(key, quarter)
    cache.upTo("four", 1, basis, 10 * minutes)
    cache.add("five", quarter)

    expect(["one", "two", "three", "four", "five"].map((key) => places(cache, key).length)).toEqual([1, 1, 1, 0, 1])
  })
})
