import type { Movement } from "@daybook/rest/promise"
import { describe, expect, it } from "vitest"
import * as RunningBalance from "../../src/pages/address/RunningBalance.ts"

const movement = (block: number, amount: bigint): Movement =>
  ({
    asset: "native",
    token_id: null,
    amount,
    kind: "value",
    block_hash: `0x${block}`,
    block_number: BigInt(block),
    transaction_hash: `0x${block}`,
    movement_index: 0,
  }) as unknown as Movement

const held = [{ asset: "native" as const, token_id: null, balance: 100n }]

describe("RunningBalance", () => {
  it("returns the balance after each movement, in both directions from the boundary", () => {
    const balances = RunningBalance.make(held)
    const past = [movement(2, 30n), movement(1, 70n)]
    const live = [movement(3, -10n), movement(4, 5n)]

    balances.update({ past, live: live.map((row) => ({ row, isReverted: false })) })

    expect([...live.toReversed(), ...past].map((row) => balances.after(row))).toEqual([95n, 90n, 100n, 70n])
  })

  it("adds the holdings before the first indexed block to the sums of movements", () => {
    const openings = [
      { asset: "native" as const, token_id: null, balance: 1_000n },
      { asset: `0x${"cc".repeat(20)}` as never, token_id: null, balance: 7n },
    ]

    const all = RunningBalance.withOpenings([{ ...held[0]!, balance: -40n }], openings)

    expect(all.map(({ balance }) => balance)).toEqual([960n, 7n])
    expect(RunningBalance.withOpenings(held, [])).toEqual(held)
  })

  it("excludes reverted movements", () => {
    const balances = RunningBalance.make(held)
    const [lost, kept] = [movement(3, -10n), movement(4, 5n)]

    balances.update({
      past: [],
      live: [
        { row: lost, isReverted: true },
        { row: kept, isReverted: false },
      ],
    })

    expect([balances.after(lost), balances.after(kept)]).toEqual([undefined, 105n])
  })

  it("starts again when the past is read again", () => {
    const balances = RunningBalance.make(held)
    const past = [movement(2, 30n), movement(1, 70n)]
    balances.update({ past, live: [] })
    balances.update({ past: [], live: [] })
    const again = [movement(2, 40n), movement(1, 60n)]

    balances.update({ past: again, live: [] })

    expect(again.map((row) => balances.after(row))).toEqual([100n, 60n])
  })
})
