import { describe, expect, it } from "@effect/vitest"
import * as Role from "../../src/ledger/Role.ts"
import { WalletRows } from "../../src/ledger/WalletRows.ts"
import { alice, bob, carol, token } from "./sources.ts"

const marked = (rows: WalletRows) =>
  rows
    .toRows()
    .filter(({ roles }) => Role.isIncomplete(roles))
    .map(({ wallet }) => wallet)

const transfer = { asset: "native", kind: "internal", from: alice, to: bob, amount: 5n } as const

describe("WalletRows", () => {
  it("role: has at most as many wallets as the limit, and marks all of them beyond it", () => {
    const rows = new WalletRows(3, 2)
    rows.role(alice, "sender")
    rows.role(bob, "recipient")
    rows.role(alice, "creator")

    expect(marked(rows)).toEqual([])
    rows.role(carol, "created")
    expect(rows.toRows().map(({ wallet }) => wallet)).toEqual([alice, bob])
    expect(marked(rows)).toEqual([alice, bob])
  })

  it("transfer: omits a wallet beyond the limit, and keeps the other side", () => {
    const rows = new WalletRows(3, 2)
    rows.role(alice, "sender")
    rows.role(bob, "recipient")
    rows.transfer({ ...transfer, from: carol })

    expect(rows.toRows()).toMatchObject([
      { index: 3, wallet: alice, movements: [] },
      { index: 3, wallet: bob, movements: [{ wallet: bob, counterparty: carol, amount: 5n, isFailed: false }] },
    ])
    expect(marked(rows)).toEqual([alice, bob])
  })

  it("transfer: has one side if an amount is minted or burned, and none for an amount of 0", () => {
    const rows = new WalletRows(0, 8)
    rows.transfer({ ...transfer, from: null })
    rows.transfer({ ...transfer, to: null })
    rows.transfer({ ...transfer, from: carol, amount: 0n })

    expect(rows.toRows().map(({ movements, wallet }) => [wallet, movements.map(({ amount }) => amount)])).toEqual([
      [bob, [5n]],
      [alice, [-5n]],
    ])
  })

  it("change: is not marked as failed unless stated", () => {
    const rows = new WalletRows(0, 8)
    rows.change({ wallet: alice, kind: "fee", amount: -1n })
    rows.change({ wallet: alice, kind: "fee", amount: -2n, isFailed: true })

    expect(rows.toRows()[0]!.movements.map(({ isFailed }) => isFailed)).toEqual([false, true])
  })

  it("takeNative: finds signed amounts of native currency that a wallet moved, each movement once", () => {
    const rows = new WalletRows(0, 8)
    rows.transfer(transfer)
    rows.transfer({ ...transfer, asset: token, kind: "erc20", amount: 6n })

    expect(rows.takeNative(bob, 5n)).toBe(true)
    expect(rows.takeNative(alice, -5n)).toBe(true)
    expect(rows.takeNative(alice, 5n)).toBe(false)
    expect(rows.takeNative(bob, 6n)).toBe(false)
    expect(rows.takeNative(carol, 5n)).toBe(false)
    expect(rows.takeNative(bob, 5n)).toBe(false)
    rows.transfer(transfer)
    rows.transfer(transfer)
    expect([rows.takeNative(bob, 5n), rows.takeNative(bob, 5n), rows.takeNative(bob, 5n)]).toEqual([true, true, false])
  })

  it("nativeSums: adds up native movements of the given kinds, without sums of 0", () => {
    const rows = new WalletRows(0, 20)
    rows.transfer(transfer)
    rows.transfer({ ...transfer, from: bob, to: carol })
    rows.transfer({ ...transfer, kind: "value", amount: 7n })
    rows.transfer({ ...transfer, asset: token })

    expect(rows.nativeSums(new Set(["internal"]))).toEqual(
      new Map([
        [alice, -5n],
        [carol, 5n],
      ]),
    )
  })
})
