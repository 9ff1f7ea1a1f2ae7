/** Which holdings are compared, by the bounds of their number. */
import { describe, expect, it } from "@effect/vitest"
import * as Holding from "../../src/ledger/Holding.ts"
import * as ComparedHoldings from "../../src/proof/ComparedHoldings.ts"

const assetOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`
const held = (standard: Holding.Standard, asset: number, tokenId: number | null = null): Holding.Holding => {
  return { standard, asset: assetOf(asset), tokenId: tokenId === null ? null : String(tokenId) }
}
/** Ids of one contract. */
const idsOf = (asset: number, count: number) => Array.from({ length: count }, (_, id) => held("erc1155", asset, id))
const endless = Number.POSITIVE_INFINITY

describe("ComparedHoldings.select", () => {
  it("compares what has no ids first, by standard and asset, and then ids", () => {
    const ordered = [
      Holding.native,
      Holding.nonce,
      held("erc20", 1),
      held("erc20", 2),
      held("erc721", 1),
      held("erc721", 1, 5),
      held("erc1155", 1, 4),
      held("erc1155", 2, 3),
    ]

    expect(ComparedHoldings.select(ordered.toReversed(), endless)).toEqual({ holdings: ordered, unchecked: [] })
  })

  it("compares 1,000 ids of a contract, and every holding without an id", () => {
    const tokens = [held("erc721", 1), held("erc20", 1)]
    const whole = ComparedHoldings.select([...tokens, ...idsOf(1, 1_000), ...idsOf(2, 2)], endless)
    const bounded = ComparedHoldings.select([...tokens, ...idsOf(1, 1_001), ...idsOf(2, 2)], endless)

    expect([whole.holdings.length, whole.unchecked]).toEqual([1_004, []])
    expect(bounded.holdings.length).toBe(1_004)
    expect(bounded.unchecked).toEqual([`Of the ids of each of these contracts, 1000 are compared: ${assetOf(1)}.`])
  })

  it("names ten contracts, and the number of the others", () => {
    const several = (count: number) =>
      ComparedHoldings.select(Array.from({ length: count }, (_, at) => idsOf(at + 1, 1_001)).flat(), endless)
        .unchecked[0]

    expect(several(10)).toMatch(new RegExp(`${assetOf(9)}, ${assetOf(10)}\\.$`))
    expect(several(12)).toMatch(new RegExp(`${assetOf(9)}, ${assetOf(10)} and 2 more\\.$`))
  })

  it("compares as many as a quarter of the calls allows, at least one and at most 20,000", () => {
    const tokens = Array.from({ length: 20_001 }, (_, at) => held("erc20", at))
    const counted = (count: number, maxCalls: number) => {
      const { holdings, unchecked } = ComparedHoldings.select(tokens.slice(0, count), maxCalls)
      return [holdings.length, unchecked.length]
    }

    expect([counted(3, 12), counted(3, 11), counted(3, 0)]).toEqual([
      [3, 0],
      [2, 1],
      [1, 1],
    ])
    expect(counted(20_001, endless)).toEqual([20_000, 1])
  })
})
