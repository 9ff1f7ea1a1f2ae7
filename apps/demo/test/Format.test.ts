import { WalletTransaction } from "@daybook/schema"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Format from "../src/Format.ts"

const hash = (digit: string) => `0x${digit.repeat(64)}`
const alice = "0x1111111111111111111111111111111111111111"
const bob = "0x2222222222222222222222222222222222222222"

const transaction = (change: object) =>
  Schema.decodeUnknownSync(WalletTransaction.WalletTransaction)({
    hash: hash("a"),
    nonce: "0",
    transaction_index: "0",
    from_address: alice,
    to_address: bob,
    value: "0",
    gas: "21000",
    gas_price: "1",
    input: "0x",
    receipt_cumulative_gas_used: "21000",
    receipt_gas_used: "21000",
    receipt_status: "1",
    block_timestamp: "2026-01-01T00:00:12.000Z",
    block_number: "1",
    block_hash: hash("b"),
    logs: [],
    ...change,
  })

const plain = transaction({})
const wallet = plain.from_address

describe("Format", () => {
  it("shortEther: truncates to six decimals and marks that with a tilde", () => {
    expect(Format.shortEther(1234567000000000001n)).toBe("~1.234567")
    expect(Format.shortEther(1234567000000000000n)).toBe("1.234567")
    expect(Format.shortEther(5n * 10n ** 18n)).toBe("5")
  })

  it("shortAddress: keeps the first six and the last four digits", () => {
    expect(Format.shortAddress(wallet)).toBe("0x111111…1111")
  })

  it("direction: is relative to the wallet", () => {
    const creation = transaction({ from_address: bob, to_address: null, receipt_contract_address: alice })

    expect(Format.direction(wallet, plain)).toBe("out")
    expect(Format.direction(wallet, transaction({ from_address: bob, to_address: alice }))).toBe("in")
    expect(Format.direction(wallet, transaction({ to_address: alice }))).toBe("self")
    expect(Format.direction(wallet, creation)).toBe("contract_creation")
  })

  it("counterparty: is the other address, its label, or the created contract", () => {
    const incoming = transaction({ from_address: bob, to_address: alice })
    const creation = transaction({ to_address: null, receipt_contract_address: bob })

    expect(Format.counterparty(wallet, plain)).toBe("0x222222…2222")
    expect(Format.counterparty(wallet, incoming)).toBe("0x222222…2222")
    expect(Format.counterparty(wallet, transaction({ to_address_label: "Exchange" }))).toBe("Exchange")
    expect(Format.counterparty(wallet, creation)).toBe("new 0x222222…2222")
    expect(Format.counterparty(wallet, transaction({ to_address: null }))).toBe("new contract")
  })

  it("call: is the decoded name, otherwise the selector, otherwise transfer or create", () => {
    const decoded_call = { signature: "swap()", label: "swap", type: "function", params: [] }

    expect(Format.call(transaction({ input: "0x12345678", decoded_call }))).toBe("swap")
    expect(Format.call(transaction({ input: "0x1234567890" }))).toBe("0x12345678")
    expect(Format.call(plain)).toBe("transfer")
    expect(Format.call(transaction({ to_address: null, input: "0x60" }))).toBe("create")
  })

  it("status: is a question mark for a receipt without a status", () => {
    expect(Format.status(plain)).toBe("ok")
    expect(Format.status(transaction({ receipt_status: "0" }))).toBe("failed")
    expect(Format.status(transaction({ receipt_status: "" }))).toBe("?")
  })

  it("decoded: names the parameters that have a name", () => {
    const params = [
      { name: "to", value: "0xB", type: "address" },
      { name: "", value: "5", type: "uint256" },
    ]
    const item = { signature: "f(address,uint256)", label: "f", type: "function", params }

    expect(Format.decoded(item)).toBe("f(to: 0xB, 5)")
  })

  it("internalCall: shows kind, parties, value, gas and the error", () => {
    const record = {
      transaction_hash: hash("a"),
      block_number: 1,
      block_hash: hash("b"),
      type: "CREATE",
      from: alice,
      to: null,
      value: "1500000000000000000",
      gas: "9",
      gas_used: "7",
      input: "0x",
      output: "0x",
      error: "out of gas",
    }
    const [internal] = transaction({ internal_transactions: record }).internal_transactions ?? []

    expect(internal && Format.internalCall(internal)).toBe("CREATE 0x111111…1111 -> none 1.5 ether, 7 gas (out of gas)")
  })
})
