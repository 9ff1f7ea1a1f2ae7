import { describe, expect, it } from "vitest"
import * as TransactionLine from "../../src/dev/TransactionLine.ts"

const [account, other, vault, token] = ["aa", "bb", "cc", "dd"].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
]
const hash = `0xba0e59${"0".repeat(58)}`
const url = `http://127.0.0.1:8080/tx/${hash}?chain=local`

const named: Readonly<Record<string, string>> = {
  [account]: "Account 0",
  [other]: "Account 1",
  [vault]: "Vault",
  [token]: "Coin",
}

const names: TransactionLine.Names = {
  nameOf: (address) => named[address],
  tokenOf: (address) => (address === token ? { symbol: "TST", decimals: 6 } : undefined),
  symbol: "ETH",
}

const facts = {
  from: account,
  to: vault,
  created: null,
  value: 0n,
  status: 1,
  input: "0x12345678",
  call: null,
  transfers: [],
  logs: [],
  movements: [],
}

const paramOf = (name: string, type: string, value: string) => ({ name, type, value })

const lineOf = (
  change: Partial<TransactionLine.Transaction["facts"]>,
  call: TransactionLine.Transaction["call"] = null,
): string =>
  TransactionLine.format(names, {
    block: 12n,
    hash,
    facts: { ...facts, ...change, call: call === null ? null : { ...call, signature: "" } },
    call,
    gasUsed: 206_291n,
    url,
  }).replaceAll(/ {3,}/g, "  ")

describe("TransactionLine.format", () => {
  it("shows block, hash, sender, the decoded call with its arguments, gas and outcome", () => {
    const params = [
      paramOf("to", "address", other),
      paramOf("amount", "uint256", "5000000"),
      paramOf("note", "string", "für später"),
      paramOf("isLong", "bool", "true"),
    ]

    expect(lineOf({}, { label: "deposit", params })).toBe(
      `#12  0xba0e59  Account 0 → Vault.deposit(Account 1, 5,000,000, "für später", true)  206,291 gas  ok`,
    )
  })

  it("shows the amount of a transfer in units of its token", () => {
    const params = [paramOf("to", "address", other), paramOf("value", "uint256", "5500000")]

    expect(lineOf({ to: token }, { label: "transfer", params })).toBe(
      "#12  0xba0e59  Account 0 → Coin.transfer(Account 1, 5.5 TST)  206,291 gas  ok",
    )
  })

  it("shows the reason of a failed transaction, and its page last", () => {
    const line = lineOf({ status: 0, reason: "TooEarly(until: 7)" }, { label: "withdraw", params: [] })

    expect(line).toBe(`#12  0xba0e59  Account 0 → Vault.withdraw()  206,291 gas  reverted TooEarly(until: 7)  ${url}`)
  })

  it("shows the ether sent, a creation, and the selector of an unknown call", () => {
    expect(lineOf({ to: other, input: "0x", value: 10n ** 18n })).toBe(
      "#12  0xba0e59  Account 0 → Account 1  1 ETH  206,291 gas  ok",
    )
    expect(lineOf({ to: other, input: "0x", value: 7n })).toContain("Account 1  7 wei")
    expect(lineOf({ to: null, created: vault, input: "0x6080" })).toContain("Account 0 → new Vault")
    expect(lineOf({})).toContain("Account 0 → Vault.0x12345678")
  })

  it("adds what the transaction did if the call does not state it", () => {
    const movements = [{ asset: token, tokenId: null, amount: 3_000_000n }]
    const line = lineOf({ movements }, { label: "claim", params: [] })

    expect(line).toContain("Account 0 → Vault.claim(): Claimed 3 TST from Vault")
  })

  it("writes texts chosen by contracts and senders on one line, with visible characters and a bounded length", () => {
    const params = [paramOf("note", "string", `a\u202Eb\nc${"x".repeat(5_000)}`)]
    const line = lineOf({ status: 0, reason: "no\nwhy\u202E" }, { label: "note", params })

    expect(line).not.toMatch(/[\n\u202E]/)
    expect(line).toContain("[U+202E]")
    expect(line.length).toBeLessThan(500)
  })
})
