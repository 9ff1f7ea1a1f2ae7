import { describe, expect, it } from "@effect/vitest"
import * as FeeRules from "@daybook/schema/FeeRules"
import { fee } from "@daybook/schema/Fee"
import * as Receipt from "@daybook/schema/Receipt"
import * as Schema from "effect/Schema"
import * as Fees from "../../src/ledger/Fees.ts"
import { alice, transaction, zero } from "./sources.ts"

const [ethereum] = FeeRules.all.ethereum
const [unknown] = FeeRules.all.unknown
const [base] = FeeRules.all.base

const none = { base: 0n, priority: 0n, blob: 0n, l1: 0n, operator: 0n }

describe("Fees", () => {
  it("of: splits the fee into base fee and remainder", () => {
    expect(Fees.fromTransaction(transaction(), 7n, ethereum)).toEqual({ ...none, base: 147_000n, priority: 63_000n })
    expect(Fees.fromTransaction(transaction(), null, ethereum)).toEqual({ ...none, priority: 210_000n })
  })

  it("of: charges no priority fee if the price is below the base fee", () => {
    expect(Fees.fromTransaction(transaction({ gasPrice: 5n }), 7n, ethereum)).toEqual({ ...none, base: 105_000n })
  })

  it("of: charges nothing for a deposit or a state-sync transaction, whatever its price", () => {
    const deposit = transaction({ facts: { index: 0, type: 0x7e, l1Fee: 5n } })
    const sync = transaction({ from: zero, to: zero })

    expect(Fees.fromTransaction(deposit, 7n, base)).toEqual(none)
    expect(Fees.fromTransaction(sync, 7n, ethereum)).toEqual(none)
    expect(Fees.fromTransaction(transaction({ facts: { index: 0, type: 0x7f } }), 7n, ethereum)).toEqual(none)
  })

  it("isStateSync: is true for the type, or for a transaction from and to the zero address", () => {
    expect(Fees.isStateSync(transaction({ facts: { index: 0, type: 0x7f } }))).toBe(true)
    expect(Fees.isStateSync(transaction({ from: zero, to: zero }))).toBe(true)
    expect(Fees.isStateSync(transaction({ from: zero, to: alice }))).toBe(false)
    expect(Fees.isStateSync(transaction({ from: alice, to: zero }))).toBe(false)
  })

  it("isStated: requires the L1 fee on an OP Stack chain, except for a deposit", () => {
    const facts = { index: 0, type: 2 }

    const isStated = (more: object | null, rules: FeeRules.FeeRules, isRollup = false) =>
      Fees.isStated(transaction({ facts: more && { ...facts, ...more } }), rules, isRollup)

    expect(isStated({}, base)).toBe(false)
    expect(isStated({ l1Fee: 0n }, base)).toBe(true)
    expect(isStated({ type: 0x7e }, base)).toBe(true)
    expect(isStated({}, ethereum)).toBe(true)
    expect([isStated({}, unknown, true), isStated({ l1Fee: 0n }, unknown, true)]).toEqual([false, true])
    expect(isStated({ l1Fee: 0n, operatorFeeScalar: 100n }, unknown, true)).toBe(false)
    expect(isStated({ l1Fee: 0n, operatorFeeScalar: 0n, operatorFeeConstant: 3n }, unknown, true)).toBe(true)
    expect(isStated({ l1Fee: 0n, operatorFeeScalar: 100n }, base, true)).toBe(true)
  })

  it("isStated: requires the payer of a transaction of type 0 where receipts may omit it", () => {
    const isStated = (facts: object) =>
      Fees.isStated(
        transaction({ facts: { index: 0, type: 0, ...facts } }),
        { ...ethereum, unstatedPayers: true },
        false,
      )

    expect([{}, { feePayer: alice as never }, { type: 2 }].map(isStated)).toEqual([false, true, true])
  })

  it("isOfRollup: is true for a block with a deposit, or with a receipt that has a rollup fee, even of 0", () => {
    const facts = { index: 0, type: 2 }
    const isOfRollup = (more: object | null) =>
      Fees.isOfRollup([transaction(), transaction({ facts: more && { ...facts, ...more } })])

    expect([{ type: 0x7e }, { l1Fee: 0n }, { operatorFeeScalar: 0n }].map(isOfRollup)).toEqual([true, true, true])
    expect([null, {}, { type: 3, blobGasUsed: 1n }].map(isOfRollup)).toEqual([false, false, false])
    expect(Fees.isOfRollup([])).toBe(false)
  })

  it("isStated: requires blob gas and its price for a transaction with blobs", () => {
    const facts = { index: 0, type: 3 }

    for (const [more, expected] of [
      [{}, false],
      [{ blobGasUsed: 1n }, false],
      [{ blobGasPrice: 1n }, false],
      [{ blobGasUsed: 1n, blobGasPrice: 1n }, true],
    ] as const) {
      expect(Fees.isStated(transaction({ facts: { ...facts, ...more } }), ethereum, false)).toBe(expected)
    }
  })

  it("of: charges blob gas only for a transaction with blobs, as the fee function of the clients does", () => {
    const blob = { blobGasUsed: 131_072n, blobGasPrice: 5n }
    const ofType = (type: number) =>
      Fees.fromTransaction(transaction({ facts: { index: 0, type, ...blob } }), 7n, ethereum).blob
    const hash = `0x${"ab".repeat(32)}`
    const clientFee = (type: number) =>
      fee(
        Schema.decodeUnknownSync(Receipt.Receipt)({
          transactionHash: hash,
          transactionIndex: "0x0",
          blockHash: hash,
          blockNumber: "0x1406f40",
          from: alice,
          to: alice,
          cumulativeGasUsed: "0x5208",
          gasUsed: "0x5208",
          effectiveGasPrice: "0xa",
          contractAddress: null,
          logs: [],
          logsBloom: `0x${"00".repeat(256)}`,
          type: `0x${type.toString(16)}`,
          blobGasUsed: "0x20000",
          blobGasPrice: "0x5",
        }),
        { chain: "eth" },
      ).blob

    for (const type of [0, 1, 2, 3, 4]) expect([type, clientFee(type)]).toEqual([type, ofType(type)])
    expect([ofType(2), ofType(3)]).toEqual([0n, 655_360n])
  })

  it("isPrepaid: is true for ZKsync transactions that were paid for on L1, which pay nothing", () => {
    for (const type of [0xfe, 0xff]) {
      const prepaid = transaction({ facts: { index: 0, type } })
      expect([Fees.isPrepaid(prepaid), Fees.fromTransaction(prepaid, 7n, ethereum)]).toEqual([true, none])
    }
    expect(Fees.isPrepaid(transaction())).toBe(false)
  })
})
