import { WalletTransaction } from "@daybook/schema"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Words from "../src/Words.ts"

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

describe("Words", () => {
  describe("ether", () => {
    it.each([
      [0n, "0"],
      [1n, "0.000000000000000001"],
      [10n ** 18n, "1"],
      [1500000000000000000n, "1.5"],
      [2n ** 256n - 1n, "115792089237316195423570985008687907853269984665640564039457.584007913129639935"],
    ])("writes %s wei as %s", (wei, text) => {
      expect(Words.ether(wei)).toBe(text)
    })
  })

  describe("shortEther", () => {
    it("shows by a tilde what it cut off", () => {
      expect(Words.shortEther(1234567000000000001n)).toBe("~1.234567")
      expect(Words.shortEther(1234567000000000000n)).toBe("1.234567")
      expect(Words.shortEther(5n * 10n ** 18n)).toBe("5")
    })
  })

  describe("direction, counterparty", () => {
    it("look from the wallet", () => {
      expect(Words.direction(wallet, plain)).toBe("out")
      expect(Words.direction(wallet, transaction({ from_address: bob, to_address: alice }))).toBe("in")
      expect(Words.direction(wallet, transaction({ to_address: alice }))).toBe("self")
      expect(
        Words.direction(wallet, transaction({ from_address: bob, to_address: null, receipt_contract_address: alice })),
      ).toBe("made")
      expect(Words.counterparty(wallet, plain)).toBe("0x222222…2222")
      expect(Words.counterparty(wallet, transaction({ from_address: bob, to_address: alice }))).toBe("0x222222…2222")
    })

    it("prefer a label, and name a new contract", () => {
      expect(Words.counterparty(wallet, transaction({ to_address_label: "Exchange" }))).toBe("Exchange")
      expect(Words.counterparty(wallet, transaction({ to_address: null, receipt_contract_address: bob }))).toBe(
        "new 0x222222…2222",
      )
      expect(Words.counterparty(wallet, transaction({ to_address: null }))).toBe("new contract")
    })
  })

  describe("call", () => {
    it("is the decoded name, else the selector, else what a bare transaction does", () => {
      const decoded_call = { signature: "swap()", label: "swap", type: "function", params: [] }
      expect(Words.call(transaction({ input: "0x12345678", decoded_call }))).toBe("swap")
      expect(Words.call(transaction({ input: "0x1234567890" }))).toBe("0x12345678")
      expect(Words.call(plain)).toBe("transfer")
      expect(Words.call(transaction({ to_address: null, input: "0x60" }))).toBe("create")
    })
  })

  describe("status", () => {
    it("is not known before the chain kept one", () => {
      expect(Words.status(plain)).toBe("ok")
      expect(Words.status(transaction({ receipt_status: "0" }))).toBe("failed")
      expect(Words.status(transaction({ receipt_status: "" }))).toBe("?")
    })
  })

  describe("decoded", () => {
    it("names parameters that have a name", () => {
      const params = [
        { name: "to", value: "0xB", type: "address" },
        { name: "", value: "5", type: "uint256" },
      ]
      expect(Words.decoded({ signature: "f(address,uint256)", label: "f", type: "function", params })).toBe(
        "f(to: 0xB, 5)",
      )
    })
  })

  describe("internalCall", () => {
    it("says what was called, with how much, and why it failed", () => {
      const [inner] =
        transaction({
          internal_transactions: {
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
          },
        }).internal_transactions ?? []
      expect(inner && Words.internalCall(inner)).toBe("CREATE 0x111111…1111 -> nothing 1.5 ether, 7 gas (out of gas)")
    })
  })
})
