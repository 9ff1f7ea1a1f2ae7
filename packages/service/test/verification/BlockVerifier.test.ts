import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as fixture from "../indexer/fixture.ts"

const { blockWire, creationReceiptWire, creationWire, hash, logWire, transferReceiptWire, transferWire } = fixture

const issueOf = (block: object, ...receipts: Parameters<typeof fixture.receipts>) => {
  const outcome = BlockVerifier.verify(fixture.block({ ...block }), fixture.receipts(...receipts))
  return Result.isFailure(outcome) ? [outcome.failure._tag, outcome.failure.what] : "none"
}

const firstReceipt = (more: object) => [{ ...transferReceiptWire, ...more }, creationReceiptWire]
const firstLog = (more: object) => firstReceipt({ logs: [logWire(0, 0, { ...more })] })

describe("BlockVerifier", () => {
  it("verify: accepts a block whose parts belong together", () => {
    expect(issueOf({})).toBe("none")
  })

  it("verify: accepts logs and transactions without block and index", () => {
    const { blockHash: _, blockNumber: __, ...log } = logWire(0, 0)
    const transactions = [{ ...transferWire, blockHash: null, blockNumber: null, transactionIndex: null }, creationWire]
    expect(issueOf({ transactions }, firstReceipt({ logs: [log] }))).toBe("none")
  })

  const other = hash("7")
  const cases: ReadonlyArray<
    readonly [name: string, block: object, receipts: Parameters<typeof fixture.receipts>, what: string]
  > = [
    ["a pending block", { number: null, hash: null }, [], "the block is pending"],
    ["a block without a number", { number: null }, [], "the block is pending"],
    ["a block without a hash", { hash: null }, [], "the block is pending"],
    ["a missing receipt", {}, [[transferReceiptWire]], "receipts: expected 2, received 1"],
    ["no receipts", {}, [[]], "receipts: expected 2, received 0"],
    [
      "a receipt of another block",
      {},
      [firstReceipt({ blockHash: other })],
      `the block hash of receipt 0: expected ${hash("b")}, received ${other}`,
    ],
    [
      "a receipt of another number",
      {},
      [firstReceipt({ blockNumber: "0x65" })],
      "the block number of receipt 0: expected 100, received 101",
    ],
    [
      "a transaction of another block",
      { transactions: [transferWire, { ...creationWire, blockHash: other }] },
      [],
      `the block hash of transaction 1: expected ${hash("b")}, received ${other}`,
    ],
    [
      "transactions in another order",
      { transactions: [creationWire, transferWire] },
      [],
      "the index of transaction 0: expected 0, received 1",
    ],
    [
      "a log of another block",
      {},
      [firstLog({ blockHash: other })],
      `the block hash of log 0 of transaction 0: expected ${hash("b")}, received ${other}`,
    ],
    [
      "a log of another transaction",
      {},
      [firstLog({ transactionHash: other })],
      `the transaction of log 0 of transaction 0: expected ${hash("1")}, received ${other}`,
    ],
    ["a log that was removed", {}, [firstLog({ removed: true })], "log 0 of transaction 0 was removed by a reorg"],
    [
      "logs that do not begin at 0",
      {},
      [firstLog({ logIndex: "0x1" })],
      "the index of log 0 of transaction 0: expected 0, received 1",
    ],
    [
      "a lost log",
      {},
      [[{ ...transferReceiptWire, logs: [] }, creationReceiptWire]],
      "the index of log 0 of transaction 1: expected 0, received 1",
    ],
    ["lost transactions", { transactions: [] }, [[]], "transactions: expected some for 110000 gas used, received none"],
  ]

  it.each(cases)("verify: rejects %s", (_, block, receipts, what) => {
    expect(issueOf(block, ...receipts)).toEqual(["InvalidBlock", what])
  })

  it("verify: replaces a timestamp after the year 9999 by the last one of that year, with a mark", () => {
    const outcome = BlockVerifier.verify(fixture.block({ timestamp: "0xffffffffffff" }), fixture.receipts())
    const { block, unmet } = Result.getOrThrow(outcome)

    expect(new Date(Number(block.timestamp) * 1000).toISOString()).toBe("9999-12-31T23:59:59.000Z")
    expect(unmet).toEqual([{ kind: "timestamp", detail: "the timestamp 281474976710655 is after the year 9999" }])
  })

  it("verify: accepts a block without transactions that used no gas or has the empty root", () => {
    expect(issueOf({ transactions: [], gasUsed: "0x0" }, [])).toBe("none")
    expect(issueOf({ transactions: [], transactionsRoot: TrieRoot.empty }, [])).toBe("none")
  })

  it("verify: names block and hash in its message", () => {
    const outcome = BlockVerifier.verify(fixture.block(blockWire), [])
    expect(Result.isFailure(outcome) && outcome.failure.message).toBe(
      `Invalid block 100 (${hash("b")}): receipts: expected 2, received 0. It is not stored; fetching it again.`,
    )
  })
})
