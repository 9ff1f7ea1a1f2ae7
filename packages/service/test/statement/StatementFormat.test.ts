import { describe, expect, it } from "@effect/vitest"
import type * as Statement from "../../src/statement/Statement.ts"
import * as StatementFormat from "../../src/statement/StatementFormat.ts"
import * as Holding from "../../src/ledger/Holding.ts"

const hash = `0x${"ab".repeat(32)}`
const balance = { holding: Holding.native, amount: 5n * 10n ** 18n }

const statement: Statement.Statement = {
  address: `0x${"12".repeat(20)}`,
  chainId: 1,
  fromBlock: 0,
  openingBlock: 0,
  block: { number: 7, hash },
  isProved: true,
  transactions: 0,
  sent: { found: 0, expected: 0, counts: { opening: 0, closing: 0 } },
  opening: [balance],
  totals: [],
  closing: [balance],
  differences: [],
  rows: { count: 0, sha256: hash },
  byStateRoot: [],
  unproved: [],
}

const provedLine = (change: Partial<Statement.Statement>) =>
  StatementFormat.toText({ ...statement, ...change }, new Map()).find((line) => /proved:/i.test(line))

describe("StatementFormat.toText", () => {
  it("toText: counts one balance and one difference in the singular", () => {
    const differences = [{ holding: Holding.native, expected: 5n, found: 6n, firstBlock: 3 }]

    expect(provedLine({})).toBe("proved: 0 of 0 sent transactions, 1 balance compared, 0 differences")
    expect(provedLine({ isProved: false, closing: [], differences })).toBe(
      "NOT PROVED: 0 of 0 sent transactions, 0 balances compared, 1 difference",
    )
  })
})
