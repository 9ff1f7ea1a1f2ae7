import * as Block from "@daybook/schema/Block"
import * as Receipt from "@daybook/schema/Receipt"
import * as Transaction from "@daybook/schema/Transaction"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as OxAuthorization from "ox/Authorization"
import * as Secp256k1 from "ox/Secp256k1"
import * as BlockFacts from "../../src/block/BlockFacts.ts"
import * as fixture from "../indexer/fixture.ts"
import type { MinedBlock } from "../../src/verification/MinedBlock.ts"

const { address, hash } = fixture
// Sound: blocks of the fixture have a number and a hash.
const mined = (more: object = {}) => fixture.block({ transactions: [], ...more }) as MinedBlock

const executed = (transaction: object = {}, receipt: object = {}): BlockFacts.Executed => ({
  transaction: Schema.decodeUnknownSync(Transaction.Transaction)({ ...fixture.transferWire, ...transaction }),
  receipt: fixture.receipts([{ ...fixture.transferReceiptWire, ...receipt }])[0]!,
})

const textOf = (source: BlockFacts.Source) => {
  const facts = BlockFacts.fromBlock(source)
  return facts === null ? null : BlockFacts.textOf(facts)
}

const factsOf = (source: Partial<BlockFacts.Source>) =>
  BlockFacts.fromText(textOf({ block: mined(), rows: [], gasFees: 0n, ...source })!)!

const transactionFacts = (transaction: object, receipt: object = {}) =>
  factsOf({ rows: [executed(transaction, receipt)] }).transactions[0]

const withdrawalWire = (index: number, of: string) => ({
  index: `0x${index.toString(16)}`,
  validatorIndex: "0x5",
  address: of,
  amount: "0x12c",
})

describe("BlockFacts", () => {
  it("textOf: writes what the header states of fees and rewards, and the withdrawals", () => {
    const block = mined({
      miner: address("c"),
      difficulty: "0x400000000",
      uncles: [hash("8")],
      withdrawals: [withdrawalWire(1, address("d")), withdrawalWire(2, address("e"))],
    })

    expect(factsOf({ block, gasFees: 77n })).toEqual({
      feeRecipient: address("c"),
      baseFeePerGas: 7n,
      gasUsed: 110_000n,
      gasFees: 77n,
      difficulty: 17_179_869_184n,
      uncles: [hash("8")],
      withdrawals: [
        { index: 1n, validator: 5n, address: address("d"), amount: 300n },
        { index: 2n, validator: 5n, address: address("e"), amount: 300n },
      ],
      transactions: [],
    })
    expect(factsOf({ block: mined({ blockExtraData: "0xab" }) })).toMatchObject({ blockExtraData: "0xab" })
    expect(factsOf({ block, watch: new Set([address("e")]) }).withdrawals).toMatchObject([{ index: 2n }])
    expect(factsOf({ block: mined({ baseFeePerGas: null }), gasFees: null })).toMatchObject({
      baseFeePerGas: null,
      gasFees: null,
    })
  })

  it("textOf: distinguishes a fee of zero from one that the node omits", () => {
    expect(transactionFacts({})).toEqual({ index: 0, type: 2 })
    expect(transactionFacts({}, { l1Fee: "0x0", blobGasPrice: null })).toEqual({ index: 0, type: 2, l1Fee: 0n })
    const { type: _, ...legacy } = fixture.transferWire
    const transaction = Schema.decodeUnknownSync(Transaction.Transaction)(legacy)
    expect(factsOf({ rows: [{ ...executed(), transaction }] }).transactions).toEqual([{ index: 0, type: 0 }])
  })

  it("textOf: keeps the fees of blobs, of the OP Stack, of Arbitrum, of Celo and of Tempo", () => {
    const { accessList: _, ...transfer } = fixture.transferWire
    const decode = Schema.decodeUnknownSync(Transaction.Transaction)
    const receipt = (more: object) => fixture.receipts([{ ...fixture.transferReceiptWire, ...more }])[0]!
    const of = (transaction: object, more: object = {}) =>
      factsOf({ rows: [{ transaction: decode({ ...transfer, ...transaction }), receipt: receipt(more) }] })
        .transactions[0]

    expect(of({}, { blobGasUsed: "0x20000", blobGasPrice: "0x3" })).toMatchObject({
      blobGasUsed: 131_072n,
      blobGasPrice: 3n,
    })
    expect(of({}, { l1Fee: "0x5", operatorFeeScalar: "0x6", operatorFeeConstant: "0x7" })).toMatchObject({
      l1Fee: 5n,
      operatorFeeScalar: 6n,
      operatorFeeConstant: 7n,
    })
    expect(of({ type: "0x7e", mint: "0x8" }, { depositNonce: "0x9" })).toEqual({
      index: 0,
      type: 126,
      mint: 8n,
      depositNonce: 9n,
    })
    expect(of({ type: "0x69", depositValue: "0x1", retryTo: address("7"), beneficiary: null })).toEqual({
      index: 0,
      type: 105,
      depositValue: 1n,
      retryTo: address("7"),
    })
    expect(of({}, { gasUsedForL1: "0x2" })).toMatchObject({ gasUsedForL1: 2n })
    expect(of({ type: "0x7b", feeCurrency: address("6") })).toMatchObject({ type: 123, feeCurrency: address("6") })
    expect(of({ type: "0x64", payer: address("4") })).toMatchObject({ type: 100, feePayer: address("4") })
    expect(of({ type: "0x76", payer: address("4") })).not.toHaveProperty("feePayer")
    expect(of({ type: "0x76" }, { feeToken: address("5"), feePayer: address("4") })).toMatchObject({
      feeToken: address("5"),
      feePayer: address("4"),
    })
  })

  it("textOf: keeps authorizations with signatures from which their accounts are recovered", () => {
    const privateKey = hash("1") as `0x${string}`
    const account = Secp256k1.getPublicKey({ privateKey })
    const authorization = { address: address("c") as `0x${string}`, chainId: 1, nonce: 9n }
    const payload = OxAuthorization.getSignPayload(authorization)
    const { r, s, yParity } = Secp256k1.sign({ payload, privateKey })
    const wire = { chainId: "0x1", address: authorization.address, nonce: "0x9", r }
    const signed = { ...wire, s, yParity: `0x${yParity.toString(16)}` }
    const { yParity: _, ...older } = { ...signed, v: `0x${(27 + yParity).toString(16)}` }
    const nested = { chain_id: 1, address: authorization.address, nonce: "0x9", signature: {} }
    const wide = { ...signed, r: `0x1${"0".repeat(64)}` }
    const facts = transactionFacts({ type: "0x4", authorizationList: [signed, older, nested, wide] })
    const [first, ...others] = facts!.authorizations!

    expect(first).toMatchObject({ chainId: 1n, address: address("c"), nonce: 9n })
    expect(others.map(({ chainId, signature }) => [chainId, signature])).toEqual([
      [1n, first!.signature],
      [null, null],
      [1n, null],
    ])
    const text = first!.signature!
    const signature = {
      r: text.slice(0, 66) as `0x${string}`,
      s: `0x${text.slice(66, 130)}` as const,
      yParity: Number(text.slice(130)),
    }
    expect(Secp256k1.recoverPublicKey({ payload, signature })).toEqual(account)
  })

  it("textOf: omits fields that the schema of the transaction's type does not have, whatever their values", () => {
    const unknown = {
      mint: ["0x1"],
      maxRefund: "0x2",
      retryTo: 5,
      refundTo: "0x3",
      ticketId: address("2"),
      authorizationList: ["text", null, {}],
    }

    expect(transactionFacts({ ...unknown, type: "0x2" })).toEqual({ index: 0, type: 2 })
    expect(transactionFacts({ ...unknown, type: "0x55" })).toEqual({ index: 0, type: 85 })
  })

  const word = (digits: string) => digits.padStart(64, "0")

  it.each([
    ["both halves and the parity", { r: "0x1", s: "0x02", yParity: "0x1" }, `0x${word("1")}${word("2")}01`],
    ["an even parity", { r: "0x1", s: "0x2", yParity: "0x0" }, `0x${word("1")}${word("2")}00`],
    ["a recovery id of 27", { r: "0x1", s: "0x2", v: "0x1b" }, `0x${word("1")}${word("2")}00`],
    ["a recovery id of 28", { r: "0x1", s: "0x2", v: "0x1c" }, `0x${word("1")}${word("2")}01`],
    ["a recovery id of 29", { r: "0x1", s: "0x2", v: "0x1d" }, null],
    ["a parity of 2", { r: "0x1", s: "0x2", yParity: "0x2" }, null],
    ["no parity", { r: "0x1", s: "0x2" }, null],
    ["no r", { s: "0x2", yParity: "0x1" }, null],
    ["no s", { r: "0x1", yParity: "0x1" }, null],
    ["an s of more than 32 bytes", { r: "0x1", s: `0x1${word("0")}`, yParity: "0x1" }, null],
  ])("textOf: the signature of an authorization with %s", (_name, signature, expected) => {
    const authorization = { chainId: "0x1", address: address("c"), nonce: "0x0", ...signature }

    expect(transactionFacts({ type: "0x4", authorizationList: [authorization] })!.authorizations).toMatchObject([
      { signature: expected },
    ])
  })

  it("textOf: counts uncles and authorizations with the withdrawals", () => {
    const half = BlockFacts.maxEntries / 2
    const authorization = { chainId: "0x1", address: address("c"), nonce: "0x0" }
    const set = executed({ type: "0x4", authorizationList: Array.from({ length: half }, () => authorization) })
    const uncles = (length: number) => mined({ uncles: Array.from({ length }, () => hash("8")) })
    const text = (block: MinedBlock, rows: ReadonlyArray<BlockFacts.Executed>) => textOf({ block, rows, gasFees: null })

    expect(text(uncles(half), [set])).not.toBeNull()
    expect(text(uncles(half + 1), [set])).toBeNull()
    expect(text(uncles(1), [set, set])).toBeNull()
  })

  it("isOfHeader: is true for the header fields that facts contain", () => {
    const ofHeader = Object.keys(fixture.block()).filter(BlockFacts.isOfHeader)

    expect(ofHeader.toSorted()).toEqual(["baseFeePerGas", "difficulty", "gasUsed", "miner", "uncles"])
    expect(BlockFacts.isOfHeader("withdrawals")).toBe(true)
  })

  it("textOf: omits the facts of a block with more entries than the limit", () => {
    const many = (count: number) => {
      const withdrawals = Array.from({ length: count }, (_, index) => withdrawalWire(index, address("d")))
      return textOf({ block: mined({ withdrawals }), rows: [], gasFees: null })
    }

    const extra = (length: number) =>
      textOf({ block: mined({ blockExtraData: `0x${"00".repeat(length)}` }), rows: [], gasFees: null })

    expect(extra(BlockFacts.maxExtraData / 2 - 1)).not.toBeNull()
    expect(extra(BlockFacts.maxExtraData / 2)).toBeNull()
    expect(many(BlockFacts.maxEntries)).not.toBeNull()
    expect(many(BlockFacts.maxEntries + 1)).toBeNull()
  })

  it("textOf: omits facts whose gas fees exceed 256 bits", () => {
    const { maxGasFees } = BlockFacts

    expect(factsOf({ gasFees: maxGasFees }).gasFees).toBe(maxGasFees)
    expect(textOf({ block: mined(), rows: [], gasFees: maxGasFees + 1n })).toBeNull()
  })

  it.prop(
    "fromText: returns every amount, account and type from which the text was made",
    {
      block: Block.HydratedBlock,
      transaction: Transaction.Transaction,
      receipt: Receipt.Receipt,
      gasFees: Schema.NullOr(Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 255n }))),
    },
    ({ block, gasFees, receipt, transaction }) => {
      // Sound: the number and the hash are not read.
      const source = { block: block as MinedBlock, rows: [{ receipt, transaction }], gasFees }
      const facts = BlockFacts.fromText(textOf(source)!)!
      const [own] = facts.transactions
      const named = Object.fromEntries([...Object.entries(transaction), ...Object.entries(receipt)])

      expect(facts).toMatchObject({ gasFees, feeRecipient: block.miner, uncles: block.uncles ?? [] })
      expect(facts.withdrawals.map(({ amount }) => amount)).toEqual(
        (block.withdrawals ?? []).map(({ amount }) => amount),
      )
      expect([own!.index, own!.type]).toEqual([receipt.transactionIndex, transaction.type ?? 0])
      for (const [key, value] of Object.entries(own!)) {
        if (!["index", "type", "authorizations"].includes(key)) expect([key, value]).toEqual([key, named[key]])
      }
      for (const key of ["l1Fee", "blobGasUsed", "gasUsedForL1", "operatorFeeConstant", "feePayer"] as const) {
        expect(own![key] ?? null).toEqual(receipt[key] ?? null)
      }
    },
    { arbitrary: { runs: 25 } },
  )

  it.prop("fromText: returns null for a text of another form and never throws", { text: Schema.String }, ({ text }) => {
    expect(BlockFacts.fromText(text)).toBeNull()
    expect(BlockFacts.fromText(JSON.stringify({ feeRecipient: text }))).toBeNull()
  })
})
