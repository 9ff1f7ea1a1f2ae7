import { describe, expect, it } from "vitest"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"

const rules = (fromBlock: bigint, unstatedChanges: boolean, unstatedPayers: boolean) => ({
  fromBlock,
  unstatedChanges,
  unstatedPayers,
})

/** The last block of a range whose changes the rules do not describe. */
const unstatedTo = (feeRules: ReadonlyArray<ReturnType<typeof rules>>, from: number, to: number) =>
  // Sound: nothing else is read of the rules.
  LedgerRules.unstatedTo({ feeRules: feeRules as unknown as LedgerRules.LedgerRules["feeRules"] }, { from, to })

describe("LedgerRules", () => {
  const changing = [rules(0n, false, false), rules(10n, true, false), rules(20n, false, true), rules(30n, false, false)]

  it.each([
    ["below the first unstated change", 0, 9, undefined],
    ["that ends with the first block of such rules", 0, 10, 10],
    ["within such rules", 12, 15, 15],
    ["that ends within other such rules", 0, 25, 25],
    ["that goes beyond them", 0, 100, 29],
    ["above them", 30, 40, undefined],
  ] as const)("unstatedTo: of a range %s", (_, from, to, expected) => {
    expect(unstatedTo(changing, from, to)).toBe(expected)
  })

  it("unstatedTo: rules without a successor apply up to the end of a range", () => {
    expect(unstatedTo([rules(0n, true, false)], 5, 7)).toBe(7)
  })
})
