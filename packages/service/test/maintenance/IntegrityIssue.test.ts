import { describe, expect, it } from "vitest"
import * as IntegrityIssue from "../../src/maintenance/IntegrityIssue.ts"
import * as Rows from "../server/rows.ts"
import type { StoredBlock } from "../../src/store/Audit.ts"

const [rows] = Rows.chain(3, 3)

const factsOf = (more: object = {}) =>
  JSON.stringify({
    feeRecipient: null,
    baseFeePerGas: null,
    gasUsed: "0",
    gasFees: null,
    difficulty: "0",
    uncles: [],
    withdrawals: [],
    transactions: rows!.transactions.map(({ index }) => ({ index, type: 2 })),
    ...more,
  })

const block = (more: Partial<StoredBlock> = {}): StoredBlock => ({
  ...rows!,
  count: rows!.transactions.length,
  isDamaged: false,
  facts: factsOf(),
  hasDamagedFacts: false,
  ledgerIssues: [],
  damagedTransactions: [],
  transactions: rows!.transactions.map((row) => ({ ...row, decoderRevision: 1, missingAppearances: [] })),
  ...more,
})

const whatOf = (more: Partial<StoredBlock>, watch: ReadonlySet<string> | null = null) =>
  IntegrityIssue.ofBlock(block(more), undefined, watch).map(({ what }) => what)

const fees = rows!.transactions.reduce((sum, { body }) => {
  const { gas_price, receipt_gas_used } = JSON.parse(body) as Readonly<Record<string, string>>
  return sum + BigInt(gas_price!) * BigInt(receipt_gas_used!)
}, 0n)

describe("IntegrityIssue", () => {
  it("ofBlock: finds no issue in a block with facts, nor in one that was stored without", () => {
    expect(fees).toBeGreaterThan(0n)
    expect(whatOf({})).toEqual([])
    expect(whatOf({ facts: null })).toEqual([])
    expect(whatOf({ facts: factsOf({ gasFees: fees.toString() }) })).toEqual([])
  })

  it("ofBlock: names facts that are damaged, unreadable or from other transactions", () => {
    expect(whatOf({ ledgerIssues: ["the list of its ledgers is missing"] })).toEqual([
      "the list of its ledgers is missing",
    ])
    expect(whatOf({ facts: null, hasDamagedFacts: true })).toEqual(["its facts do not match their checksum"])
    expect(whatOf({ facts: "{}" })).toEqual(["its facts cannot be read"])
    expect(whatOf({ facts: factsOf({ transactions: [] }) })[0]).toMatch(
      /^its facts belong to transactions none, but the stored ones are 0/,
    )
  })

  it("ofBlock: compares gas fees with those of the documents, unless only some wallets are indexed", () => {
    const facts = factsOf({ gasFees: "1" })
    const watch = new Set(rows!.transactions.flatMap(({ addresses }) => addresses))

    expect(whatOf({ facts })).toEqual([`its facts have gas fees of 1, but its documents have ${fees}`])
    expect(whatOf({ facts }, watch)).toEqual([])
  })
})
