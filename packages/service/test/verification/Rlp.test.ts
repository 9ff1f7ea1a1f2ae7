import { describe, expect, it } from "@effect/vitest"
import * as Transaction from "@daybook/schema/Transaction"
import { Schema } from "effect"
import * as OxRlp from "ox/Rlp"
import * as TxEnvelopeEip1559 from "ox/TxEnvelopeEip1559"
import * as TxEnvelopeEip2930 from "ox/TxEnvelopeEip2930"
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy"
import * as Rlp from "../../src/verification/Rlp.ts"
import * as fixture from "../indexer/fixture.ts"

const Quantity = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 255n }))
/** `r` and `s` of a signature, never 0. */
const Half = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 2n ** 255n }))
const Nonce = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 40 }))
const Input = Schema.String.check(Schema.isPattern(/^0x(?:[0-9a-f]{2}){0,80}$/))
const To = Schema.NullOr(Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{40}$/)))

const fields = {
  nonce: Nonce,
  value: Quantity,
  gas: Quantity,
  price: Quantity,
  tip: Quantity,
  input: Input,
  to: To,
  r: Half,
  s: Half,
}

const hex = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`

interface Fields {
  readonly nonce: number
  readonly value: bigint
  readonly gas: bigint
  readonly price: bigint
  readonly tip: bigint
  readonly input: string
  readonly to: string | null
  readonly r: bigint
  readonly s: bigint
}

/** A transaction as a node returns it. */
const decode = (type: number, { gas, input, nonce, price, r, s, tip, to, value }: Fields, more: object = {}) =>
  Schema.decodeUnknownSync(Transaction.Transaction)({
    ...fixture.transferWire,
    type: hex(type),
    nonce: hex(nonce),
    value: hex(value),
    gas: hex(gas),
    gasPrice: hex(price),
    input,
    to,
    maxFeePerGas: hex(price),
    maxPriorityFeePerGas: hex(tip),
    r: hex(r),
    s: hex(s),
    v: "0x1",
    yParity: "0x1",
    ...more,
  })

/** The fields that every type of ox has. */
const common = ({ gas, input, nonce, to, value }: Fields) => ({
  nonce: BigInt(nonce),
  value,
  gas,
  data: input as `0x${string}`,
  to: to as `0x${string}` | null,
})

const signature = ({ r, s }: Fields) => ({
  r: `0x${r.toString(16).padStart(64, "0")}`,
  s: `0x${s.toString(16).padStart(64, "0")}`,
  yParity: 1,
})

describe("Rlp", () => {
  it.prop("transaction: encodes an EIP-1559 transaction as ox does", fields, (drawn) => {
    // ox rejects a tip above the fee cap.
    const given = { ...drawn, tip: drawn.tip < drawn.price ? drawn.tip : drawn.price }
    const envelope = {
      type: "eip1559",
      chainId: 1,
      ...common(given),
      accessList: [],
      maxFeePerGas: given.price,
      maxPriorityFeePerGas: given.tip,
    }

    expect(Rlp.transaction(decode(2, given))).toBe(
      TxEnvelopeEip1559.serialize(envelope as never, { signature: signature(given) as never }),
    )
  })

  it.prop("transaction: encodes an EIP-2930 transaction as ox does", fields, (given) => {
    const accessList = [{ address: fixture.token, storageKeys: [fixture.hash("3")] }]
    const envelope = { type: "eip2930", chainId: 1, ...common(given), accessList, gasPrice: given.price }

    expect(Rlp.transaction(decode(1, given, { accessList }))).toBe(
      TxEnvelopeEip2930.serialize(envelope as never, { signature: signature(given) as never }),
    )
  })

  it.prop("transaction: encodes a legacy transaction as ox does", fields, (given) => {
    const envelope = { type: "legacy", chainId: 1, ...common(given), gasPrice: given.price }

    expect(Rlp.transaction(decode(0, given, { v: "0x26" }))).toBe(
      TxEnvelopeLegacy.serialize(envelope as never, { signature: signature(given) as never }),
    )
  })

  it("transaction: encodes signature values without digits as 0", () => {
    const encode = (half: string) =>
      Rlp.transaction(Schema.decodeUnknownSync(Transaction.Transaction)({ ...fixture.transferWire, r: half, s: half }))

    expect(encode("0x")).toBe(encode("0x0"))
    expect(encode("0x")).not.toBe(encode("0x1"))
  })

  it("transaction: encodes a system deposit with its mark (synthetic)", () => {
    const { gasPrice: _, maxFeePerGas: __, maxPriorityFeePerGas: ___, ...bare } = fixture.transferWire
    const wire = { ...bare, type: "0x7e", sourceHash: fixture.hash("3"), isSystemTx: true, value: "0x0", input: "0x" }
    const { from, to } = fixture.transferWire
    const fields = [fixture.hash("3"), from, to, "0x", "0x", "0x0186a0", "0x01", "0x"] as ReadonlyArray<`0x${string}`>

    expect(Rlp.transaction(Schema.decodeUnknownSync(Transaction.Transaction)(wire))).toBe(
      `0x7e${OxRlp.fromHex(fields).slice(2)}`,
    )
  })

  it("transaction: is null for an unknown type", () => {
    const transaction = Schema.decodeUnknownSync(Transaction.Transaction)({ ...fixture.transferWire, type: "0xee" })

    expect(Rlp.transaction(transaction)).toBeNull()
  })

  it("transaction: encodes an L1 message of Scroll with its queue index and sender (synthetic)", () => {
    const { gasPrice: _, maxFeePerGas: __, maxPriorityFeePerGas: ___, ...bare } = fixture.transferWire
    const wire = { ...bare, type: "0x7e", queueIndex: "0x12", sender: fixture.sender, input: "0xdead" }
    const fields = ["0x12", "0x0186a0", fixture.token, "0x", "0xdead", fixture.sender] as ReadonlyArray<`0x${string}`>

    expect(Rlp.transaction(Schema.decodeUnknownSync(Transaction.Transaction)(wire))).toBe(
      `0x7e${OxRlp.fromHex(fields).slice(2)}`,
    )
  })

  const authorization = {
    chainId: "0x1",
    address: fixture.token,
    nonce: "0x5",
    yParity: "0x1",
    r: "0x11",
    s: "0x22",
  }
  const withAuthorization = (change: object = {}) => {
    const wire = { ...fixture.transferWire, type: "0x4", yParity: "0x1", authorizationList: [authorization] }
    const transaction = Schema.decodeUnknownSync(Transaction.Transaction)(wire)
    const entries = "authorizationList" in transaction ? (transaction.authorizationList as ReadonlyArray<object>) : []
    const authorizationList = entries.map((entry) => ({ ...entry, ...change }))
    return Rlp.transaction(Object.assign({}, transaction, { authorizationList }) as never)
  }

  it("transaction: encodes EIP-7702 authorizations (synthetic)", () => {
    const fields = ["0x01", fixture.token, "0x05", "0x01", "0x11", "0x22"] as ReadonlyArray<`0x${string}`>

    expect(withAuthorization()).toContain(OxRlp.fromHex(fields).slice(2))
  })

  it.each(["r", "s", "chainId"])("transaction: is null for an authorization without %s", (name) => {
    expect(withAuthorization({ [name]: null })).toBeNull()
    expect(withAuthorization({ [name]: undefined })).toBeNull()
  })

  it.each(["0x7e", "0x64"])("transaction: is null for a deposit without its id: %s", (type) => {
    const wire = { ...fixture.transferWire, type }

    expect(Rlp.transaction(Schema.decodeUnknownSync(Transaction.Transaction)(wire))).toBeNull()
  })

  it("receipt: contains the state root before Byzantium even if the node also sends a status (synthetic)", () => {
    const both = { ...fixture.creationReceiptWire, status: "0x1" }
    const [withRoot] = fixture.receipts([fixture.creationReceiptWire])
    const [withBoth] = fixture.receipts([both])
    const [withoutRoot] = fixture.receipts([{ ...both, root: "0x" }])

    expect(Rlp.receipt(withBoth!, 0, true)).toBe(Rlp.receipt(withRoot!, 0))
    expect(Rlp.receipt(withBoth!, 0)).toBe(Rlp.receipt(withoutRoot!, 0))
    expect(Rlp.receipt(withoutRoot!, 0, true)).toBeNull()
  })

  it("receipt: is null for an unknown type", () => {
    expect(Rlp.receipt(fixture.receipts()[0]!, 0xee)).toBeNull()
  })
})
