import { describe, expect, it } from "@effect/vitest"
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as Schema from "effect/Schema"
import * as Log from "../src/Log.ts"
import * as Receipt from "../src/Receipt.ts"
import * as TokenTransfer from "../src/TokenTransfer.ts"

const decode = Schema.decodeUnknownSync(Receipt.Receipt)
const decodeLog = Schema.decodeUnknownSync(Log.Log)
const recorded = RecordedReceipts.all().map(({ chain, receipt }) => ({ chain, receipt: decode(receipt) }))

/** The log of a receipt as returned by the REST operations. */
const toRestLog = (log: Receipt.Log): Log.Log =>
  decodeLog({
    log_index: `${log.logIndex}`,
    transaction_hash: log.transactionHash,
    transaction_index: `${log.transactionIndex}`,
    address: log.address,
    data: log.data,
    ...Object.fromEntries([0, 1, 2, 3].map((at) => [`topic${at}`, log.topics[at] ?? ""])),
    block_timestamp: "2024-01-01T00:00:00.000Z",
    block_number: `${log.blockNumber}`,
    block_hash: log.blockHash,
    decoded_event: null,
  })

const word = (value: bigint | number) => value.toString(16).padStart(64, "0")
const words = (...values: ReadonlyArray<bigint | number>) => `0x${values.map(word).join("")}`
const { transfer, transferBatch, transferSingle } = TokenTransfer.topics
const [alice, bob, operator] = [0xa11cen, 0xb0bn, 0x0bn]
const addressOf = (value: bigint) => `0x${value.toString(16).padStart(40, "0")}`
const parties = { from: addressOf(alice), to: addressOf(bob) }

/** A log of JSON-RPC. */
const logOf = (topics: ReadonlyArray<string>, data: string, address: string = addressOf(7n)): Receipt.Log =>
  Schema.decodeUnknownSync(Receipt.Log)({
    address,
    topics,
    data,
    transactionHash: null,
    transactionIndex: null,
    logIndex: "0x5",
  })

const read = (data: string, ...topics: ReadonlyArray<string>) => {
  const found = TokenTransfer.fromLog({ data, topics })
  return found && { ...found, items: [...found.items] }
}

describe("TokenTransfer", () => {
  it("transfers: lists the transfers in the receipts of six chains", () => {
    const counts: Record<string, number> = {}
    for (const { chain, receipt } of recorded)
      for (const { standard } of TokenTransfer.transfers(receipt))
        counts[`${chain} ${standard}`] = (counts[`${chain} ${standard}`] ?? 0) + 1

    expect(counts).toEqual({
      "1 erc20": 27,
      "1 erc721": 8,
      "1 erc1155": 1,
      "10 erc20": 113,
      "10 erc721": 3,
      "100 erc20": 28,
      "137 erc20": 41,
      "137 erc721": 2,
      "8453 erc20": 72,
      "8453 erc721": 5,
      "42161 erc20": 25,
      "42161 erc721": 2,
    })
  })

  it("transfers: lists the transfers of a wallet transaction's receipt", () => {
    const logs = recorded.flatMap(({ receipt }) => receipt.logs).filter(({ topics }) => topics.length <= 4)
    const expected = TokenTransfer.transfers({ logs })

    expect(TokenTransfer.transfers({ logs: logs.map(toRestLog) })).toEqual(expected)
    expect(expected.length).toBe(327)
  })

  it("transfers: have token, holders, amount and position of a log", () => {
    const { receipt } = recorded.find(
      (one) => one.chain === 100 && one.receipt.logs.length === 1 && TokenTransfer.transfers(one.receipt).length === 1,
    )!
    const [log] = receipt.logs
    const [from, to] = [log!.topics[1]!, log!.topics[2]!].map((topic) => `0x${topic.slice(26)}`)

    expect(TokenTransfer.transfers(receipt)).toEqual([
      {
        standard: "erc20",
        token: log!.address,
        from,
        to,
        tokenId: null,
        amount: BigInt(log!.data),
        logIndex: log!.logIndex,
      },
    ])
  })

  it("transfers: list each id of a batch, in order", () => {
    const topics = [transferBatch, words(operator), words(alice), words(bob)]
    const logs = [logOf(topics, words(64, 160, 2, 7, 8, 2, 70, 80))]

    expect(
      TokenTransfer.transfers({ logs }).map(({ amount, logIndex, tokenId }) => [tokenId, amount, logIndex]),
    ).toEqual([
      [7n, 70n, 5],
      [8n, 80n, 5],
    ])
  })

  it("transfers: omit the log of an ether transfer", () => {
    const topics = [transfer, words(alice), words(bob)]
    const [token, ether] = [logOf(topics, words(1)), logOf(topics, words(1), TokenTransfer.etherLogger)]

    expect(TokenTransfer.transfers({ logs: [token, ether] }).map((one) => one.token)).toEqual([addressOf(7n)])
  })

  it("transfers: treats a JSON-RPC log with keys of the other interface as JSON-RPC", () => {
    const log = logOf([transfer, words(alice), words(bob)], words(3))
    const odd = { ...log, block_number: "7", log_index: "x", topic0: 5 }

    expect(TokenTransfer.transfers({ logs: [odd] })).toMatchObject([{ amount: 3n, logIndex: 5 }])
  })

  it("fromLog: distinguishes ERC-20, ERC-721 and ERC-1155 by topics and data", () => {
    const [from, to, by] = [words(alice), words(bob), words(operator)]

    expect(read(words(5), transfer, from, to)).toEqual({ ...parties, standard: "erc20", items: [[null, 5n]] })
    expect(read("0x", transfer, from, to, words(9))).toEqual({ ...parties, standard: "erc721", items: [[9n, 1n]] })
    expect(read(words(7, 70), transferSingle, by, from, to)).toEqual({
      ...parties,
      standard: "erc1155",
      items: [[7n, 70n]],
    })
  })

  it("fromLog: returns nothing for a log of another form", () => {
    const [from, to, by, huge] = [words(alice), words(bob), words(operator), words(2n ** 256n - 1n)]

    expect([
      read("0x"),
      read("0x", transfer),
      read("0x", transfer, from, to),
      read(words(1, 2), transfer, from, to),
      read(words(1), transfer, from, to, words(1)),
      read(words(1), transfer, huge, to),
      read(words(1), transfer, from, huge),
      read(words(1, 2, 3), transferSingle, by, from, to),
      read(words(1, 2), transferSingle, from, to),
      read(words(64, 160, 2, 7, 8, 3, 70, 80), transferBatch, by, from, to),
      read(words(2n ** 256n - 1n, 160, 0, 0), transferBatch, by, from, to),
      read(`${words(64, 96, 0, 0)}0`, transferBatch, by, from, to),
    ]).toEqual(Array.from({ length: 12 }, () => null))
  })
})
