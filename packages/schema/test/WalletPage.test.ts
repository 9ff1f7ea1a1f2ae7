import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as DecodedItem from "../src/DecodedItem.ts"
import * as InternalTransaction from "../src/InternalTransaction.ts"
import * as Log from "../src/Log.ts"
import * as WalletPage from "../src/WalletPage.ts"
import * as WalletTransaction from "../src/WalletTransaction.ts"
import { decodedEvent, hash, internalTransaction, walletLog, walletPage, walletTransaction } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, overWire, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(WalletTransaction.WalletTransaction)
const encode = Schema.encodeSync(WalletTransaction.WalletTransaction)

describe("WalletTransaction", () => {
  it("WalletTransaction: decodes amounts to bigint, indexes to number and timestamps to Date", () => {
    const transaction = decode(walletTransaction)
    expect(transaction).toMatchObject({
      value: 10n ** 18n,
      nonce: 7,
      transaction_index: 0,
      receipt_status: 1,
      receipt_contract_address: null,
      block_number: 16n,
      block_timestamp: new Date("2023-02-15T14:51:23.000Z"),
      from_address_label: null,
      to_address_label: "Exchange",
      decoded_call: null,
    })
    expectTypeOf(transaction.to_address_label).toEqualTypeOf<string | null>()
    expectTypeOf(transaction.receipt_status).toEqualTypeOf<number | null>()
  })

  it("WalletTransaction: decodes and encodes canonical values without loss", () => {
    decodesAndEncodes(WalletTransaction.WalletTransaction, walletTransaction)
  })

  it("WalletTransaction: decodes an empty string, null and an absent key to null, and encodes the form of the interface", () => {
    const keys = [
      "receipt_contract_address",
      "receipt_root",
      "receipt_status",
      "from_address_label",
      "to_address_label",
      "decoded_call",
      "to_address",
    ] as const
    const {
      receipt_contract_address: _a,
      receipt_root: _b,
      receipt_status: _c,
      from_address_label: _d,
      to_address_label: _e,
      decoded_call: _f,
      to_address: _g,
      ...missing
    } = walletTransaction
    const variants = [
      decode({ ...walletTransaction, ...Object.fromEntries(keys.map((key) => [key, ""])) }),
      decode({ ...walletTransaction, ...Object.fromEntries(keys.map((key) => [key, null])) }),
      decode(missing),
    ]
    for (const transaction of variants) {
      for (const key of keys) expect(transaction[key]).toBe(null)
      expect(encode(transaction)).toMatchObject({
        receipt_contract_address: "",
        receipt_root: "",
        receipt_status: "",
        from_address_label: null,
        to_address_label: null,
        decoded_call: null,
        to_address: null,
      })
    }
  })

  it("WalletTransaction: decodes a single object for logs and internal transactions, and encodes arrays", () => {
    const single = decode({ ...walletTransaction, logs: walletLog, internal_transactions: internalTransaction })
    expect(single).toEqual(decode(walletTransaction))
    expect(overWire(encode(single))).toEqual(walletTransaction)
  })

  it("WalletTransaction: decodes numbers for decimal strings", () => {
    expect(decode({ ...walletTransaction, nonce: 7, gas: 21000, block_number: 16 })).toEqual(decode(walletTransaction))
  })

  it("WalletTransaction: has no internal transactions if the wire has none", () => {
    const { internal_transactions: _, ...without } = walletTransaction
    expect(Object.hasOwn(decode(without), "internal_transactions")).toBe(false)
    decodesAndEncodes(WalletTransaction.WalletTransaction, without)
  })

  it("WalletTransaction: decodes null for internal transactions that the server could not trace", () => {
    const untraced = { ...walletTransaction, internal_transactions: null }
    expect(decode(untraced).internal_transactions).toBe(null)
    decodesAndEncodes(WalletTransaction.WalletTransaction, untraced)
  })

  it("WalletTransaction: keeps and lists unknown keys of hosted providers", () => {
    const extra = { transfer_index: [16, 0], transaction_fee: "0.000604293424740884", from_address_entity: null }
    const wire = { ...walletTransaction, ...extra, logs: [{ ...walletLog, transaction_value: "0" }] }
    const transaction = decode(wire)
    expect(WalletTransaction.extras(transaction)).toEqual(extra)
    expect(transaction.logs[0] && Log.extras(transaction.logs[0])).toEqual({ transaction_value: "0" })
    decodesAndEncodes(WalletTransaction.WalletTransaction, wire)
  })

  it.each([
    "hash",
    "nonce",
    "from_address",
    "value",
    "gas",
    "gas_price",
    "input",
    "block_timestamp",
    "block_number",
    "block_hash",
    "logs",
  ])("WalletTransaction: requires %s", (key) => {
    const { [key]: _removed, ...without } = walletTransaction as Record<string, unknown>
    expect(refusal(WalletTransaction.WalletTransaction, without)).toContain(`["${key}"]`)
  })
})

describe("Log", () => {
  it("Log: decodes and encodes without loss", () => {
    decodesAndEncodes(Log.Log, walletLog)
  })

  it("Log: decodes unused topics to null", () => {
    const { topic2: _, ...missing } = walletLog
    expect(Schema.decodeUnknownSync(Log.Log)({ ...missing, topic3: null })).toMatchObject({
      topic2: null,
      topic3: null,
    })
  })
})

describe("DecodedItem", () => {
  it("DecodedItem: decodes and encodes without loss", () => {
    decodesAndEncodes(DecodedItem.DecodedItem, decodedEvent)
  })

  it("Param: decodes an absent name to an empty string and a number to its text", () => {
    const item = Schema.decodeUnknownSync(DecodedItem.DecodedItem)({
      ...decodedEvent,
      params: [{ value: 5, type: "uint8" }],
    })
    expect(item.params).toEqual([{ name: "", value: "5", type: "uint8" }])
  })
})

describe("InternalTransaction", () => {
  it("InternalTransaction: encodes its block number as a JSON number", () => {
    decodesAndEncodes(InternalTransaction.InternalTransaction, internalTransaction)
    expect(Schema.decodeUnknownSync(InternalTransaction.InternalTransaction)(internalTransaction).block_number).toBe(
      16n,
    )
    expect(
      Schema.decodeUnknownSync(InternalTransaction.InternalTransaction)({ ...internalTransaction, block_number: "16" })
        .block_number,
    ).toBe(16n)
  })

  it("InternalTransaction: decodes absent bytes to 0x and an absent recipient to null", () => {
    const { to: _to, output: _output, ...wire } = internalTransaction
    const value = Schema.decodeUnknownSync(InternalTransaction.InternalTransaction)({
      ...wire,
      input: "",
      error: "reverted",
    })
    expect(value).toMatchObject({ to: null, input: "0x", output: "0x", error: "reverted" })
  })

  it("InternalTransaction: decodes null for bytes that the server omitted, with their length and hash", () => {
    const left = { input: null, input_length: "100000", input_hash: `0x${"ab".repeat(32)}` }
    const wire = { ...internalTransaction, ...left }

    expect(Schema.decodeUnknownSync(InternalTransaction.InternalTransaction)(wire)).toMatchObject({
      input: null,
      input_length: 100_000n,
      input_hash: left.input_hash,
    })
    decodesAndEncodes(InternalTransaction.InternalTransaction, wire)
  })

  it("extras: lists unknown keys", () => {
    const value = Schema.decodeUnknownSync(InternalTransaction.InternalTransaction)({
      ...internalTransaction,
      depth: 1,
    })
    expect(InternalTransaction.extras(value)).toEqual({ depth: 1 })
  })
})

describe("WalletPage", () => {
  it("WalletPage: decodes and encodes without loss", () => {
    decodesAndEncodes(WalletPage.WalletPage, walletPage)
    decodesAndEncodes(WalletPage.WalletPage, { ...walletPage, cursor: null, result: [] })
    decodesAndEncodes(WalletPage.WalletPage, { ...walletPage, total: 5 })
  })

  it("WalletPage: decodes JSON numbers for page and page_size, and a single object for result", () => {
    const page = Schema.decodeUnknownSync(WalletPage.WalletPage)({ page: 2, page_size: 100, result: walletTransaction })
    expect(page).toMatchObject({ page: 2, page_size: 100, cursor: null, result: [{ hash: hash("a") }] })
  })

  it("WalletPage: decodes an empty cursor to null", () => {
    expect(Schema.decodeUnknownSync(WalletPage.WalletPage)({ ...walletPage, cursor: "" }).cursor).toBe(null)
  })

  it("extras: lists unknown keys", () => {
    expect(WalletPage.extras(Schema.decodeUnknownSync(WalletPage.WalletPage)({ ...walletPage, total: 5 }))).toEqual({
      total: 5,
    })
  })

  it("WalletPage: a short message has the path of one invalid field in a large page", () => {
    const result = Array.from({ length: 200 }, () => walletTransaction as Record<string, unknown>)
    result[77] = { ...walletTransaction, logs: [walletLog, { ...walletLog, data: `0x${"zz".repeat(10_000)}` }] }
    const message = refusal(WalletPage.WalletPage, { ...walletPage, result })
    expect(message).toContain('["result"][77]["logs"][1]["data"]')
    expect(message.length).toBeLessThan(300)
  })

  it.prop(
    "WalletPage: decodes what it encodes",
    [WalletPage.WalletPage],
    ([value]) => {
      encodesAndDecodes(WalletPage.WalletPage, value)
    },
    { arbitrary: { runs: 50 } },
  )
})
