import { describe, expect, it } from "@effect/vitest"
import * as GasPrice from "../../src/ledger/GasPrice.ts"
import * as fixture from "../indexer/fixture.ts"

const [withPrice] = fixture.receipts()
const { effectiveGasPrice: _, ...receipt } = withPrice!

const of = (fees: GasPrice.Fees, baseFeePerGas: bigint | null, effectiveGasPrice?: bigint): bigint => {
  const stated = effectiveGasPrice === undefined ? receipt : { ...receipt, effectiveGasPrice }
  // Sound: a price depends on the fees alone.
  return GasPrice.effective(fees as Parameters<typeof GasPrice.effective>[0], stated, baseFeePerGas)
}

describe("GasPrice", () => {
  it("effective: prefers the receipt's price, then the transaction's", () => {
    expect(of({ gasPrice: 6n, maxFeePerGas: 9n }, 1n, 5n)).toBe(5n)
    expect(of({ gasPrice: 6n, maxFeePerGas: 9n }, 1n)).toBe(6n)
  })

  it("effective: adds the priority fee to the base fee, up to the maximum", () => {
    expect(of({ maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }, 3n)).toBe(5n)
    expect(of({ maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }, 8n)).toBe(9n)
    expect(of({ gasPrice: null, maxFeePerGas: 9n }, 3n)).toBe(3n)
    expect(of({ maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }, null)).toBe(2n)
  })

  it("effective: is 0 if nothing states a price", () => {
    expect(of({ maxPriorityFeePerGas: 2n }, 3n)).toBe(0n)
  })
})
