import { describe, expect, it } from "@effect/vitest"
import * as FeeRules from "@daybook/schema/FeeRules"
import * as Fees from "../../src/ledger/Fees.ts"
import { alice, transaction, zero } from "./sources.ts"

const [ethereum] = FeeRules.all.ethereum
const [base] = FeeRules.all.base

const none = { base: 0n, priority: 0n, blob: 0n, l1: 0n, operator: 0n }

describe("Fees", () => {
  it("of: splits the fee into base fee and the rest", () => {
    expect(Fees.of(transaction(), 7n, ethereum)).toEqual({ ...none, base: 147_000n, priority: 63_000n })
    expect(Fees.of(transaction(), null, ethereum)).toEqual({ ...none, priority: 210_000n })
  })

  it("of: takes no priority fee where the price is below the base fee", () => {
    expect(Fees.of(transaction({ gasPrice: 5n }), 7n, ethereum)).toEqual({ ...none, base: 105_000n })
  })

  it("of: takes nothing of a deposit or a state-sync transaction, whatever its price", () => {
    const deposit = transaction({ facts: { index: 0, type: 0x7e, l1Fee: 5n } })
    const sync = transaction({ from: zero, to: zero })

    expect(Fees.of(deposit, 7n, base)).toEqual(none)
    expect(Fees.of(sync, 7n, ethereum)).toEqual(none)
    expect(Fees.of(transaction({ facts: { index: 0, type: 0x7f } }), 7n, ethereum)).toEqual(none)
  })

  it("isStateSync: holds for the type, or from and to the zero address", () => {
    expect(Fees.isStateSync(transaction({ facts: { index: 0, type: 0x7f } }))).toBe(true)
    expect(Fees.isStateSync(transaction({ from: zero, to: zero }))).toBe(true)
    expect(Fees.isStateSync(transaction({ from: zero, to: alice }))).toBe(false)
    expect(Fees.isStateSync(transaction({ from: alice, to: zero }))).toBe(false)
  })

  it("isStated: asks of an OP Stack for the fee of L1, but not of a deposit", () => {
    const facts = { index: 0, type: 2 }

    expect(Fees.isStated(transaction({ facts }), base)).toBe(false)
    expect(Fees.isStated(transaction({ facts: null }), base)).toBe(false)
    expect(Fees.isStated(transaction({ facts: { ...facts, l1Fee: 0n } }), base)).toBe(true)
    expect(Fees.isStated(transaction({ facts: { ...facts, type: 0x7e } }), base)).toBe(true)
    expect(Fees.isStated(transaction({ facts }), ethereum)).toBe(true)
  })
})
