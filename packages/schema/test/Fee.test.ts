import { describe, expect, it } from "@effect/vitest"
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as Recordings from "@daybook/harness/Recordings"
import * as Schema from "effect/Schema"
import { fee } from "../src/Fee.ts"
import * as Receipt from "../src/Receipt.ts"
import * as WalletPage from "../src/WalletPage.ts"
import * as WalletTransaction from "../src/WalletTransaction.ts"

const decode = Schema.decodeUnknownSync(Receipt.Receipt)
const recorded = RecordedReceipts.all().map(({ chain, receipt }) => ({ chain, receipt: decode(receipt) }))
const hash = `0x${"ab".repeat(32)}`
const receipt = (fields: Readonly<Record<string, unknown>> = {}) =>
  decode({
    transactionHash: hash,
    transactionIndex: "0x0",
    blockHash: hash,
    blockNumber: "0x2625a00",
    cumulativeGasUsed: "0x5208",
    gasUsed: "0x5208",
    effectiveGasPrice: "0xa",
    contractAddress: null,
    logs: [],
    logsBloom: `0x${"00".repeat(256)}`,
    type: "0x2",
    ...fields,
  })
const row = (fields: Readonly<Record<string, unknown>> = {}) =>
  Schema.decodeUnknownSync(WalletTransaction.WalletTransaction)({
    hash,
    nonce: "0",
    transaction_index: "0",
    from_address: `0x${"1".repeat(40)}`,
    to_address: `0x${"2".repeat(40)}`,
    value: "0",
    gas: "30000",
    gas_price: "10",
    input: "0x",
    receipt_cumulative_gas_used: "21000",
    receipt_gas_used: "21000",
    block_timestamp: "2024-05-01T00:00:00.000Z",
    block_number: "7",
    block_hash: hash,
    logs: [],
    ...fields,
  })
const jovian = 1_770_000_000n
const isthmus = 1_750_000_000n

describe("Fee", () => {
  it("fee: adds up the fees in recorded receipts of six chains, and marks those that omit a part", () => {
    const sums: Record<number, readonly [total: bigint, incomplete: number]> = {}
    for (const one of recorded) {
      const { isComplete, total } = fee(one.receipt, { chain: one.chain })
      const [sum, incomplete] = sums[one.chain] ?? [0n, 0]
      sums[one.chain] = [sum + total, incomplete + (isComplete ? 0 : 1)]
    }

    expect(sums).toEqual({
      1: [128_892_082_139_027_356n, 0],
      10: [3_587_325_483_501_119n, 10],
      100: [7_006_066_113_690_085n, 0],
      137: [512_430_925_157_286_110n, 0],
      8453: [2_675_663_593_406_894n, 5],
      42161: [6_706_389_141_873_958n, 1],
    })
  })

  it("fee: marks every receipt without an L1 fee if the chain is not given", () => {
    const unstated = recorded.filter(({ receipt: { l1Fee, type } }) => l1Fee == null && type !== 0x7e)

    expect(unstated.length).toBeGreaterThan(70)
    expect(recorded.filter((one) => fee(one.receipt).l1 === null)).toEqual(unstated)
    expect(unstated.filter((one) => fee(one.receipt).isComplete)).toEqual([])
  })

  it("fee: multiplies gas with its effective price", () => {
    expect(fee(receipt(), { chain: "eth" })).toEqual({
      total: 210000n,
      isComplete: true,
      gas: 210000n,
      blob: 0n,
      l1: 0n,
      operator: 0n,
    })
    expect(fee(receipt({ type: null }), { chain: "eth" }).total).toBe(210_000n)
  })

  it("fee: adds blob gas of a transaction with blobs, at its own price", () => {
    const blobs = { type: "0x3", blobGasUsed: "0x40000", blobGasPrice: "0x3" }

    expect(fee(receipt(blobs), { chain: "eth" })).toMatchObject({ blob: 786_432n, total: 996_432n, isComplete: true })
    expect(fee(receipt({ ...blobs, blobGasPrice: null }), { chain: "eth" })).toMatchObject({
      blob: null,
      total: 210000n,
      isComplete: false,
    })
  })

  it("fee: does not charge blob gas on an OP Stack chain", () => {
    const stated = receipt({ l1Fee: "0x64", blobGasUsed: "0x9c40", blobGasPrice: "0x1" })

    expect(fee(stated, { chain: "optimism" })).toMatchObject({ blob: 0n, l1: 100n, total: 210_100n, isComplete: true })
  })

  it("fee: computes the operator fee by the rules of its time", () => {
    const stated = { l1Fee: "0x64", operatorFeeScalar: "0x1e8480", operatorFeeConstant: "0x7" }
    const operatorAt = (timestamp?: bigint) => fee(receipt(stated), { chain: "base", timestamp }).operator

    expect(operatorAt(isthmus)).toBe(42_007n)
    expect(operatorAt(jovian)).toBe(4_200_000_000_007n)
    expect(operatorAt()).toBeNull()
    expect(fee(receipt(stated), { timestamp: jovian }).operator).toBeNull()
    expect(fee(receipt({ ...stated, blockTimestamp: "0x684ee180" }), { chain: "base" }).operator).toBe(42_007n)
    expect(fee(receipt({ ...stated, operatorFeeScalar: "0x0" }), { chain: "base" }).operator).toBe(7n)
  })

  it("fee: marks a rollup receipt whose provider omits the L1 fee", () => {
    expect(fee(receipt(), { chain: "base" })).toEqual({
      total: 210000n,
      isComplete: false,
      gas: 210000n,
      blob: 0n,
      l1: null,
      operator: null,
    })
    expect(fee(receipt(), { chain: 123_456_789 })).toMatchObject({ l1: null, operator: null, isComplete: false })
  })

  it("fee: is zero for deposits of an OP Stack chain and state-sync transactions", () => {
    for (const type of ["0x7e", "0x7f"])
      expect(fee(receipt({ type, l1Fee: "0x64" }))).toMatchObject({ total: 0n, isComplete: true })
  })

  it("fee: is unknown for a receipt without a price, one paid in a token, and a prepaid one", () => {
    const unknown = [
      receipt({ effectiveGasPrice: null }),
      receipt({ feeToken: `0x${"3".repeat(40)}` }),
      ...["0x66", "0x68", "0x69"].map((type) => receipt({ type })),
    ]

    for (const one of unknown)
      expect(fee(one, { chain: "arbitrum" })).toMatchObject({ gas: null, total: 0n, isComplete: false })
  })

  it("fee: of a wallet transaction, has no parts that its chain does not charge, and lacks unknown ones", () => {
    const parts = (chain?: string, fields?: Readonly<Record<string, unknown>>) => {
      const { blob, gas, isComplete, l1, operator } = fee(row(fields), { chain })
      return [gas, blob, l1, operator, isComplete]
    }

    expect(parts("eth")).toEqual([210_000n, null, 0n, 0n, false])
    expect(parts("polygon")).toEqual([210_000n, 0n, 0n, 0n, true])
    expect(parts("base")).toEqual([210_000n, 0n, null, null, false])
    expect(parts()).toEqual([210_000n, null, null, null, false])
    expect(parts("eth", { to_address: null })).toEqual([210_000n, 0n, 0n, 0n, true])
  })

  it("fee: of recorded wallet transactions, is their price times their gas", () => {
    const { result } = Schema.decodeUnknownSync(WalletPage.WalletPage)(Recordings.json("rest/verbose-wallet-2022.json"))

    expect(result.map((one) => fee(one, { chain: "eth" }).gas)).toEqual(
      result.map((one) => one.receipt_gas_used * one.gas_price),
    )
    expect(result.length).toBeGreaterThan(0)
  })
})
