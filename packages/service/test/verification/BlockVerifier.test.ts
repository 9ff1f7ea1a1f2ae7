import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as fixture from "../indexer/fixture.ts"

const { blockWire, creationReceiptWire, creationWire, hash, logWire, transferReceiptWire, transferWire } = fixture

const faultOf = (block: object, ...receipts: Parameters<typeof fixture.receipts>) => {
  const outcome = BlockVerifier.check(fixture.block({ ...block }), fixture.receipts(...receipts))
  return Result.isFailure(outcome) ? [outcome.failure._tag, outcome.failure.what] : "none"
}

const firstReceipt = (more: object) => [{ ...transferReceiptWire, ...more }, creationReceiptWire]
const firstLog = (more: object) => firstReceipt({ logs: [logWire(0, 0, { ...more })] })

describe("Check", () => {
  it("passes a block whose parts belong together", () => {
    expect(faultOf({})).toBe("none")
  })

  it("passes logs and transactions that leave their place out", () => {
    const { blockHash: _, blockNumber: __, ...log } = logWire(0, 0)
    const transactions = [{ ...transferWire, blockHash: null, blockNumber: null, transactionIndex: null }, creationWire]
    expect(faultOf({ transactions }, firstReceipt({ logs: [log] }))).toBe("none")
  })

  const other = hash("7")
  const cases: ReadonlyArray<
    readonly [name: string, block: object, receipts: Parameters<typeof fixture.receipts>, what: string]
  > = [
    ["a pending block", { number: null, hash: null }, [], "it is pending"],
    ["a receipt too few", {}, [[transferReceiptWire]], "1 receipts came for 2 transactions"],
    ["no receipts", {}, [[]], "0 receipts came for 2 transactions"],
    [
      "receipts in another order",
      {},
      [[creationReceiptWire, transferReceiptWire]],
      `the transaction of receipt 0 is ${hash("2")}, expected ${hash("1")}`,
    ],
    [
      "a receipt at another index",
      {},
      [firstReceipt({ transactionIndex: "0x4" })],
      "the index of receipt 0 is 4, expected 0",
    ],
    [
      "a receipt of another block",
      {},
      [firstReceipt({ blockHash: other })],
      `the block hash of receipt 0 is ${other}, expected ${hash("b")}`,
    ],
    [
      "a receipt of another number",
      {},
      [firstReceipt({ blockNumber: "0x65" })],
      "the block number of receipt 0 is 101, expected 100",
    ],
    [
      "a transaction of another block",
      { transactions: [transferWire, { ...creationWire, blockHash: other }] },
      [],
      `the block hash of transaction 1 is ${other}, expected ${hash("b")}`,
    ],
    [
      "transactions in another order",
      { transactions: [creationWire, transferWire] },
      [],
      "the index of transaction 0 is 1, expected 0",
    ],
    [
      "a log of another block",
      {},
      [firstLog({ blockHash: other })],
      `the block hash of log 0 of transaction 0 is ${other}, expected ${hash("b")}`,
    ],
    [
      "a log of another transaction",
      {},
      [firstLog({ transactionHash: other })],
      `the transaction of log 0 of transaction 0 is ${other}, expected ${hash("1")}`,
    ],
    [
      "a log at another transaction's index",
      {},
      [firstLog({ transactionIndex: "0x1" })],
      "the transaction index of log 0 of transaction 0 is 1, expected 0",
    ],
    [
      "a log that was taken back",
      {},
      [firstLog({ removed: true })],
      "log 0 of transaction 0 was taken back by a reorganisation",
    ],
    [
      "logs that do not begin at 0",
      {},
      [firstLog({ logIndex: "0x1" })],
      "the index of log 0 of transaction 0 is 1, expected 0",
    ],
    [
      "a lost log",
      {},
      [[{ ...transferReceiptWire, logs: [] }, creationReceiptWire]],
      "the index of log 0 of transaction 1 is 1, expected 0",
    ],
    ["lost transactions", { transactions: [] }, [[]], "no transactions came with 110000 gas used"],
    [
      "a time beyond the calendar",
      { timestamp: "0xffffffffffff" },
      [],
      "its time, 281474976710655, is after the year 9999",
    ],
  ]

  it.each(cases)("refuses %s", (_, block, receipts, what) => {
    expect(faultOf(block, ...receipts)).toEqual(["InvalidBlock", what])
  })

  it("passes a block without transactions that used no gas, or whose root says that there are none", () => {
    expect(faultOf({ transactions: [], gasUsed: "0x0" }, [])).toBe("none")
    expect(faultOf({ transactions: [], transactionsRoot: TrieRoot.empty }, [])).toBe("none")
  })

  it("names block and hash in its message", () => {
    const outcome = BlockVerifier.check(fixture.block(blockWire), [])
    expect(Result.isFailure(outcome) && outcome.failure.message).toBe(
      `Block 100 (${hash("b")}) is not stored: 0 receipts came for 2 transactions. The node is asked again.`,
    )
  })
})
