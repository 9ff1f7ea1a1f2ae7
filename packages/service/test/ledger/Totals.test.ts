import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import type * as Movement from "../../src/ledger/Movement.ts"
import * as Totals from "../../src/ledger/Totals.ts"

const address = (at: number) => `0x${at.toString(16).padStart(40, "0")}`

const movement = (asset: string, tokenId: string | null, amount: bigint): Movement.Movement => ({
  wallet: address(1),
  counterparty: address(2),
  asset,
  tokenId,
  kind: tokenId === null ? "erc20" : "erc1155",
  logIndex: null,
  isFailed: false,
  amount,
})

const ids = (asset: string, count: number, amount = 1n) =>
  Array.from({ length: count }, (_, id) => movement(asset, String(id), amount))

/** Totals of movements, one entry per group. */
const totalsOf = (...places: ReadonlyArray<ReadonlyArray<Movement.Movement>>) => {
  const totals = Totals.make()
  for (const [block, movements] of places.entries()) Totals.add(totals, block, { movements, roles: 0 }, undefined)
  return totals
}

const summed = (movements: ReadonlyArray<Movement.Movement>, asset: string) =>
  movements.filter((one) => one.asset === asset).reduce((sum, { amount }) => sum + amount, 0n)

const [spam, nft, coin, late] = [address(10), address(11), address(12), address(13)]

describe("Totals", () => {
  it("add: sums each id separately up to the limit", () => {
    const totals = totalsOf(ids(spam, Totals.maxSums))

    expect([totals.sums.size, Totals.isWhole(totals)]).toEqual([Totals.maxSums, true])
  })

  it("between: orders sums by asset, native first, then by numeric id and by kind, whatever the order of movements", () => {
    const native = (kind: Movement.Kind) => ({ ...movement("native", null, 1n), kind })
    const movements = [
      movement(coin, null, 1n),
      movement(nft, "10", 1n),
      native("value"),
      movement(nft, "9", 1n),
      { ...movement(nft, "9", 1n), kind: "genesis" as const },
      movement(nft, "11", 1n),
      native("fee"),
      native("internal"),
      { ...movement(coin, null, 1n), kind: "genesis" as const },
      movement(spam, null, 1n),
    ]
    const listed = [movements, movements.toReversed()].map((each) =>
      Totals.between(Totals.make(), totalsOf(each)).map(({ asset, kind, tokenId }) => [asset, tokenId, kind]),
    )
    const expected = [
      ["native", null, "fee"],
      ["native", null, "internal"],
      ["native", null, "value"],
      [spam, null, "erc20"],
      [nft, "9", "erc1155"],
      [nft, "9", "genesis"],
      [nft, "10", "erc1155"],
      [nft, "11", "erc1155"],
      [coin, null, "erc20"],
      [coin, null, "genesis"],
    ]

    expect(listed).toEqual([expected, expected])
  })

  it("balances: counts an id once if its contract logs both ERC-721 and ERC-1155 events", () => {
    const both = [movement(nft, "5", 1n), { ...movement(nft, "5", 1n), kind: "erc721" as const }]
    const one = { ...movement(nft, "6", 1n), kind: "erc721" as const }

    expect(Totals.balances(totalsOf([...both, one]))).toEqual([
      { asset: nft, tokenId: "5", amount: 1n },
      { asset: nft, tokenId: "6", amount: 1n },
    ])
  })

  it("add: beyond the limit, merges the ids of the contract with the most ids, and keeps all others separate", () => {
    const own = [movement(coin, null, 7n), ...ids(nft, 100, 3n)]
    const places = [own, ids(spam, 20_001), [movement(late, null, 5n)], ids(nft, 100, -1n), ids(spam, 30_000)]
    const totals = totalsOf(...places)
    const all = places.flat()

    expect([[...totals.merged], totals.omitted]).toEqual([[spam], 0])
    const rows = Totals.balances(totals)
    expect(rows.length).toBe(103)
    for (const asset of [spam, nft, coin, late]) {
      const found = rows.filter((row) => row.asset === asset).reduce((sum, { amount }) => sum + amount, 0n)
      expect(found).toBe(summed(all, asset))
    }
    expect(rows.find((row) => row.asset === spam)?.tokenId).toBeNull()
    expect(rows.filter((row) => row.asset === nft)).toHaveLength(100)
  })

  it("add: omits and counts contracts without ids beyond the limit, and continues those before them", () => {
    const first = Array.from({ length: Totals.maxSums }, (_, at) => movement(address(100 + at), null, 1n))
    const totals = totalsOf(first, [
      movement(late, null, 5n),
      movement(late, null, 6n),
      movement(address(100), null, 2n),
    ])
    const alone = Totals.make()
    const movements = [movement(late, null, 5n), movement(late, null, 6n)]
    Totals.add(alone, 1, { movements, roles: 0 }, new Set([late]))

    expect([totals.sums.size, totals.omitted, totals.merged.size]).toEqual([Totals.maxSums, 2, 0])
    expect(Totals.balances(totals).find(({ asset }) => asset === address(100))?.amount).toBe(3n)
    expect(Totals.balances(alone)).toEqual([{ asset: late, tokenId: null, amount: 11n }])
  })

  it("add: beyond the limit, adds another kind of an earlier contract, but no id of one", () => {
    const first = Array.from({ length: Totals.maxSums }, (_, at) => movement(address(100 + at), null, 1n))
    const wrapped = { ...movement(address(100), null, 2n), kind: "mint" } as const
    const totals = totalsOf(first, [wrapped, movement(address(101), "7", 3n)])

    expect([totals.sums.size, totals.omitted]).toEqual([Totals.maxSums + 1, 1])
    expect(Totals.balances(totals).find(({ asset }) => asset === address(100))?.amount).toBe(3n)
    expect(Totals.balances(totals).filter(({ asset }) => asset === address(101))).toHaveLength(1)
  })

  it("mergeAs: the sums between two positions are those of the movements between them, even if ids were merged later", () => {
    const before = [movement(coin, null, 7n), ...ids(spam, 50, 2n)]
    const after = [...ids(spam, 30_000), movement(coin, null, 1n)]
    const earlier = totalsOf(before)
    const later = Totals.copy(earlier)
    Totals.add(later, 1, { movements: after, roles: 0 }, undefined)
    const between = Totals.between(Totals.mergeAs(earlier, later), later)

    expect(between.map(({ asset, count, in: received }) => [asset, count, received])).toEqual([
      [spam, 30_000, 30_000n],
      [coin, 1, 1n],
    ])
    expect(earlier.sums.size).toBe(51)
  })

  it("add: returns the same sums in one pass as when continued from a copy", () => {
    const places = Array.from({ length: 60 }, (_, at) => ids(address(20 + (at % 7)), 400 + 97 * (at % 11)))
    const whole = totalsOf(...places)
    let steps = Totals.make()
    for (const [block, movements] of places.entries()) {
      steps = Totals.copy(steps)
      Totals.add(steps, block, { movements, roles: 0 }, undefined)
    }

    expect(steps).toEqual(whole)
    expect(whole.sums.size).toBeLessThanOrEqual(Totals.maxSums)
  })
})
