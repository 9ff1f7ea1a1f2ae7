/** Which holdings are compared, by the bounds of their number. */
import { describe, expect, it } from "@effect/vitest"
import { RpcError } from "@daybook/rpc/RpcError"
import { Effect, Result } from "effect"
import * as Holding from "../../src/ledger/Holding.ts"
import type * as Calls from "../../src/node/Calls.ts"
import * as ComparedHoldings from "../../src/proof/ComparedHoldings.ts"

const assetOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`
const held = (standard: Holding.Standard, asset: number, tokenId: number | null = null): Holding.Holding => {
  return { standard, asset: assetOf(asset), tokenId: tokenId === null ? null : String(tokenId) }
}
/** Ids of one contract. */
const idsOf = (asset: number, count: number) => Array.from({ length: count }, (_, id) => held("erc1155", asset, id))
const endless = Number.POSITIVE_INFINITY

describe("ComparedHoldings.select", () => {
  it("compares holdings without ids first, by standard and asset, and then ids", () => {
    const ordered = [
      Holding.native,
      Holding.nonce,
      held("erc20", 1),
      held("erc20", 2),
      held("erc721", 1),
      held("erc721", 2),
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
    expect(bounded.unchecked).toEqual([`Only 1000 ids of each of these contracts are compared: ${assetOf(1)}.`])
  })

  it("names ten contracts, and the number of the others", () => {
    const several = (count: number) =>
      ComparedHoldings.select(Array.from({ length: count }, (_, at) => idsOf(at + 1, 1_001)).flat(), endless)
        .unchecked[0]

    expect(several(10)).toMatch(new RegExp(`${assetOf(9)}, ${assetOf(10)}\\.$`))
    expect(several(12)).toMatch(new RegExp(`${assetOf(9)}, ${assetOf(10)} and 2 more\\.$`))
  })

  it("compares as many as a quarter of the calls permits, at least one and at most 20,000", () => {
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

describe("ComparedHoldings.read", () => {
  const reverted = new RpcError({
    method: "eth_call",
    host: "node",
    code: 3,
    message: "execution reverted",
    kind: "reverted",
    requestId: undefined,
  })

  /**
   * A node that returns 5 for each holding, except for contracts that return no balance, and the number of calls in its
   * requests.
   */
  const nodeOf = (isWithout: (asset: string, id: number) => boolean) => {
    const requests: Array<number> = []
    const batch: Calls.Budgeted["node"]["batch"] = (calls) => {
      requests.push(calls.length)
      return Effect.succeed(
        calls.map(({ params }) => {
          // Sound: all calls are calls of contracts.
          const [{ data, to }] = params as readonly [{ readonly data: string; readonly to: string }]
          const id = data.length === 138 ? Number(`0x${data.slice(-64)}`) : -1
          return isWithout(to, id) ? Result.fail(reverted) : Result.succeed(`0x${"5".padStart(64, "0")}`)
        }),
      )
    }
    const usage = () => ({ requests: 0, calls: 0, byMethod: [] })
    // Sound: nothing else is read of the node.
    return { requests, budgeted: { node: { batch }, usage, maxCalls: 1_000 } as unknown as Calls.Budgeted }
  }

  const wallet = assetOf(99)

  it.effect("omits the other ids of contracts that return no balance for the first 16, and names these contracts", () =>
    Effect.gen(function* () {
      const tokens = [held("erc20", 1), held("erc20", 2)]
      const [few, without, late] = [idsOf(1, 16), idsOf(2, 17), idsOf(3, 17)]
      const { budgeted, requests } = nodeOf((asset, id) => id !== -1 && (asset !== assetOf(3) || id < 15))
      const selection = { holdings: [...tokens, ...few, ...without, ...late], unchecked: ["Before."] }
      const found = yield* ComparedHoldings.read(budgeted, wallet, selection, 7)

      expect(found).toEqual({
        holdings: [...tokens, ...few, ...without.slice(0, 16), ...late],
        // A balance without an id is no balance of one.
        amounts: [5n, 5n, ...Array.from({ length: 16 + 16 + 15 }, () => null), 5n, 5n],
        withoutBalances: new Set([assetOf(2)]),
        unchecked: [
          "Before.",
          `Only 16 ids of each of these contracts are compared, because the contract returns no balance for any of them: ${assetOf(2)}.`,
        ],
      })
      expect(requests).toEqual([50, 1])
    }),
  )

  it.effect("reads holdings without ids at once, and names nothing if every contract returns a balance", () =>
    Effect.gen(function* () {
      const { budgeted, requests } = nodeOf(() => false)
      const holdings = [held("erc20", 1), ...idsOf(2, 17)]
      const found = yield* ComparedHoldings.read(budgeted, wallet, { holdings, unchecked: [] }, 7)

      expect(found).toEqual({ holdings, amounts: holdings.map(() => 5n), withoutBalances: new Set(), unchecked: [] })
      expect(requests).toEqual([17, 1])
    }),
  )
})
