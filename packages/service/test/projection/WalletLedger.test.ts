import * as FeeRules from "@daybook/schema/FeeRules"
import { describe, expect, it } from "vitest"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"

describe("WalletLedger", () => {
  it("make: has another revision for each name of fee rules, so that all rows are derived again", () => {
    const names = Object.keys(FeeRules.all) as ReadonlyArray<FeeRules.Name>
    const revisions = [undefined, ...names].map((name) => WalletLedger.make(130, name).revision)

    expect(new Set(revisions).size).toBe(names.length + 1)
    expect(revisions[0]).toBe(WalletLedger.revision)
  })

  it("nextOf: is where the rows of this derivation end, whichever rules apply, and null for others", () => {
    const { revision } = WalletLedger.make(130, "base")

    expect(WalletLedger.nextOf({ revision, next: 7 })).toBe(7)
    expect(WalletLedger.nextOf({ revision: WalletLedger.revision, next: null })).toBe(null)
    expect(WalletLedger.nextOf({ revision: WalletLedger.revision - 1, next: 7 })).toBe(null)
    expect(WalletLedger.nextOf(null)).toBe(null)
  })
})
