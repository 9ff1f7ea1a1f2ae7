import { describe, expect, it } from "@effect/vitest"
import * as FeeRules from "@daybook/schema/FeeRules"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import {
  account,
  alice,
  bob,
  carol,
  ethereum,
  facts,
  markedIn,
  miner,
  movementsOf,
  rowsOf,
  source,
  transaction,
} from "./sources.ts"

const [optimism, gnosis] = [10, 100].map((id) => LedgerRules.fromChainId(id)) as [
  LedgerRules.LedgerRules,
  LedgerRules.LedgerRules,
]
const collector = "0x6bbe78ee9e474842dbd4ab4987b3cefe88426a92"

/** A block that used 42,000 gas; the index has one of its transactions. */
const partial = facts({ gasUsed: 42_000n, gasFees: 500_000n })
const stated = transaction({ facts: { index: 0, type: 2, l1Fee: 3n } })

describe("Rewards", () => {
  it("add: pays the priority fees of all transactions from the header if the index lacks some of them", () => {
    expect(movementsOf(miner, source({ facts: partial }))).toEqual(["reward 206000"])
    expect(markedIn(source({ facts: partial }))).toEqual([])
    expect(movementsOf(miner, source({ facts: facts({ ...partial, gasFees: null }) }))).toEqual([])
    expect(movementsOf(miner, source({ facts: facts({ ...partial, baseFeePerGas: null }) }))).toEqual(["reward 500000"])
  })

  it("add: pays nothing else for a block with missing transactions, and marks the fee recipient", () => {
    const block = source({ number: 2e8, facts: partial, transactions: [stated] })

    expect(rowsOf(block, optimism).filter(({ index }) => index !== 0)).toMatchObject([
      { wallet: miner, movements: [], isIncomplete: true },
    ])
  })

  it("add: pays no blob fees to an account if transactions are missing, although the base fee is burned", () => {
    const [rules] = FeeRules.all.ethereum
    const custom = { ...ethereum, feeRules: [{ ...rules, blobFee: { account: carol } }] as const }
    const blob = transaction({ facts: { index: 0, type: 3, blobGasUsed: 2n, blobGasPrice: 3n } })

    expect(movementsOf(carol, source({ transactions: [blob] }), custom)).toEqual(["reward 6"])
    expect(movementsOf(carol, source({ facts: partial, transactions: [blob] }), custom)).toEqual([])
    expect(markedIn(source({ facts: partial, transactions: [blob] }), custom)).toEqual([miner])
  })

  it("add: pays base fees and blob fees to one account as one reward", () => {
    const blob = transaction({ facts: { index: 0, type: 3, blobGasUsed: 131_072n, blobGasPrice: 2n } })

    expect(movementsOf(collector, source({ transactions: [blob] }), gnosis)).toEqual([`reward ${147_000 + 262_144}`])
  })

  it("add: marks rewards if a fee is due to an account that the rules do not know", () => {
    expect(markedIn(source({ transactions: [stated] }))).toEqual([miner])
    expect(markedIn(source())).toEqual([])
  })

  it("add: does not pay a fee that was paid in a token, and marks the accounts that receive fees", () => {
    const inToken = transaction({ facts: { index: 0, type: 0x7b, feeCurrency: carol as never } })

    expect(movementsOf(miner, source({ transactions: [inToken] }))).toEqual([])
    expect(markedIn(source({ transactions: [inToken] }))).toEqual([alice, miner])
  })

  it("add: pays no fees if their sum is unknown, and names no wallet without a fee recipient", () => {
    expect(movementsOf(miner, source({ facts: facts({ gasFees: null }) }))).toEqual([])
    expect(rowsOf(source({ facts: facts({ feeRecipient: null }) })).map(({ wallet }) => wallet)).toEqual([alice, bob])
  })

  it("add: names recipients of withdrawals, even if a withdrawal is a token", () => {
    const withdrawals = [{ index: 1n, validator: 2n, address: carol, amount: 3n }]
    const block = source({ facts: facts({ withdrawals }) })

    for (const rules of [ethereum, gnosis]) {
      expect(rowsOf(block, rules).find(({ wallet }) => wallet === carol)?.roles).toEqual(["withdrawal_recipient"])
    }
  })

  it("add: marks blocks with atomic transactions", () => {
    const avalanche = LedgerRules.fromChainId(43_114)
    const block = (more: object) => source({ facts: facts(more) })

    expect(markedIn(block({ blockExtraData: "0x01" }), avalanche)).toEqual([miner])
    expect(markedIn(block({}), avalanche)).toEqual([])
    expect(movementsOf(account("9"), block({}), avalanche)).toEqual([])
  })
})
