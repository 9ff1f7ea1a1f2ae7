import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Transaction from "../src/Transaction.ts"
import { address, feeMarket, hash, legacy } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Transaction.Transaction)

describe("Transaction", () => {
  it("Transaction: decodes amounts to bigint, indexes to number and hashes to lower case", () => {
    const transaction = decode(legacy)
    expect(transaction).toMatchObject({
      type: 0,
      value: 10n ** 18n,
      gas: 21000n,
      gasPrice: 10n ** 9n,
      nonce: 7,
      transactionIndex: 0,
      blockNumber: 16n,
      chainId: 1n,
      v: 37n,
      r: "0x0abc",
      s: "0x1",
      from: address("1"),
    })
  })

  it("Transaction: narrows by type", () => {
    const transaction = decode(feeMarket)
    if (transaction.type !== 2) throw new Error("expected type 2")
    const narrowed: Transaction.FeeMarket = transaction
    expect(narrowed.type).toBe(2)
    expect(transaction.maxFeePerGas).toBe(2000000000n)
    expect(transaction.accessList).toEqual([{ address: address("3"), storageKeys: [hash("4")] }])
  })

  it("Transaction: an unknown type excludes the known ones, and a misspelt field does not compile", () => {
    const transaction: Transaction.Transaction = decode(legacy)
    if (transaction.type === 3) expectTypeOf(transaction.blobVersionedHashes).toExtend<ReadonlyArray<string>>()
    if (transaction.type === 0x76) expectTypeOf(transaction).toExtend<Transaction.Unknown>()
    // @ts-expect-error a closed type has no such field
    expect(transaction.gasprice).toBe(undefined)
  })

  const creation = { ...legacy, to: null, input: "0x6080" }
  const pending = { ...feeMarket, blockHash: null, blockNumber: null, transactionIndex: null, blockTimestamp: null }
  const { chainId: _, type: __, ...old } = legacy
  const {
    gasPrice: ___,
    maxFeePerGas: ____,
    maxPriorityFeePerGas: _____,
    accessList: ______,
    yParity: _______,
    ...bare
  } = feeMarket
  it.each<[string, object]>([
    ["legacy", legacy],
    ["legacy without chainId and type", old],
    ["creation", creation],
    ["fee market", feeMarket],
    ["fee market without an access list, of Filecoin", { ...feeMarket, accessList: null }],
    ["pending", pending],
    ["access list", { ...legacy, type: "0x1", accessList: [], yParity: "0x0" }],
    ["blob", { ...feeMarket, type: "0x3", maxFeePerBlobGas: "0x1", blobVersionedHashes: [hash("6")] }],
    [
      "set code",
      {
        ...feeMarket,
        type: "0x4",
        authorizationList: [
          { chainId: "0x1", address: address("6"), nonce: "0x0", yParity: "0x0", r: "0x1", s: "0x2" },
        ],
      },
    ],
    [
      "Optimism deposit",
      { ...bare, type: "0x7e", sourceHash: hash("7"), mint: "0x1", isSystemTx: false, depositReceiptVersion: "0x1" },
    ],
    ["Tron", { ...legacy, nonce: null }],
    ["Optimism deposit without its source hash", { ...bare, type: "0x7e", mint: "0x1" }],
    ["Scroll L1 message", { ...bare, type: "0x7e", queueIndex: "0x7", sender: address("8") }],
    ["Arbitrum internal", { ...bare, type: "0x6a", gasPrice: "0x0", r: "0x0", s: "0x0" }],
    ["Arbitrum retry", { ...bare, type: "0x68", ticketId: hash("8"), maxRefund: "0x1", refundTo: address("9") }],
    ["Polygon state sync", { ...bare, type: "0x7f", gasPrice: "0x0", v: "0x0", r: "0x0", s: "0x0" }],
    [
      "unknown type",
      {
        blockHash: null,
        blockNumber: null,
        transactionIndex: null,
        hash: hash("a"),
        from: address("1"),
        type: "0x76",
        calls: [{ to: address("2") }],
        feeToken: null,
      },
    ],
  ])("Transaction: decodes and encodes without loss (%s)", (_name, wire) => {
    decodesAndEncodes(Transaction.Transaction, wire)
  })

  it("extras: lists unknown keys, which are preserved when encoded", () => {
    const wire = { ...legacy, creates: null, l1Fee: "0x1", ["__proto__x"]: { a: [1] } }
    expect(Transaction.extras(decode(wire))).toEqual({ creates: null, l1Fee: "0x1", __proto__x: { a: [1] } })
    decodesAndEncodes(Transaction.Transaction, wire)
  })

  it("Transaction: keeps an unknown key named __proto__", () => {
    const wire = JSON.parse(JSON.stringify(legacy).replace("{", '{"__proto__":{"polluted":true},'))
    const transaction = decode(wire)
    expect(Object.getPrototypeOf(transaction)).toBe(Object.prototype)
    expect(Object.keys(Transaction.extras(transaction))).toEqual(["__proto__"])
    expect(JSON.stringify(Schema.encodeSync(Transaction.Transaction)(transaction))).toContain(
      '"__proto__":{"polluted":true}',
    )
  })

  it("Unknown: keeps every field of an unknown type", () => {
    const transaction = decode({ hash: hash("a"), from: address("1"), type: "0x3f", nonceKey: "0x1", value: "0x5" })
    expect(transaction).toMatchObject({ type: 0x3f, value: 5n, blockHash: null })
    expect(Transaction.extras(transaction)).toEqual({ nonceKey: "0x1" })
  })

  it("Transaction: decodes a type with leading zeros or as a number and encodes the canonical form", () => {
    for (const type of ["0x02", "0x2", 2]) {
      expect(Schema.encodeSync(Transaction.Transaction)(decode({ ...feeMarket, type }))).toMatchObject({ type: "0x2" })
    }
  })

  it("Transaction: refuses an invalid transaction of a known type instead of decoding it as unknown", () => {
    const { maxFeePerGas: _maxFeePerGas, ...broken } = feeMarket
    expect(refusal(Transaction.Transaction, broken)).toContain('["maxFeePerGas"]')
    expect(refusal(Transaction.Transaction, { ...legacy, value: "zz" })).toContain('["value"]')
    expect(refusal(Transaction.Transaction, { ...legacy, hash: null })).toContain('["hash"]')
    expect(refusal(Transaction.Transaction, { ...legacy, type: "legacy" })).toContain("an unknown transaction type")
    expect(refusal(Transaction.Transaction, { ...legacy, type: null })).toContain("an unknown transaction type")
  })

  it.each([null, undefined, 1, "0x", [], () => 0])("Transaction: refuses %j", (input) => {
    expect(refusal(Transaction.Transaction, input)).toContain("Expected")
  })

  it("Transaction: decodes absent block fields to null, as for a pending transaction", () => {
    const { blockHash: _h, blockNumber: _n, transactionIndex: _i, ...nowhere } = legacy
    expect(decode(nowhere)).toMatchObject({ blockHash: null, blockNumber: null, transactionIndex: null })
  })

  it("Authorization: decodes Moonbeam's form without loss", () => {
    const entry = {
      address: address("0"),
      chain_id: 945,
      nonce: "0x6",
      signature: { odd_y_parity: false, r: "0x0", s: "0x0" },
    }
    decodesAndEncodes(Transaction.Transaction, { ...feeMarket, type: "0x4", authorizationList: [entry] })
  })

  it.prop(
    "Transaction: decodes what it encodes",
    [Transaction.Transaction],
    ([value]) => {
      encodesAndDecodes(Transaction.Transaction, value)
    },
    { arbitrary: { runs: 200 } },
  )

  describe("type", () => {
    const typeOf = (type: unknown) => Schema.decodeUnknownSync(Transaction.Transaction)({ ...legacy, type }).type

    it("type: decodes every form of a quantity", () => {
      expect(["0x0", "0x00", "0x", "0X0", "0", 0].map(typeOf)).toEqual([0, 0, 0, 0, 0, 0])
    })

    it.each(["", " ", " 0x0", "0x0 ", "0b0", "0e0", "+0", "-0", "0.0", null, true, [], 0.5, -1, NaN])(
      "type: refuses %j",
      (type) => {
        expect(refusal(Transaction.Transaction, { ...legacy, type })).toContain('at ["type"]')
      },
    )
  })
})
