import { describe, expect, it } from "@effect/vitest"
import * as KnownTokens from "../../src/token/KnownTokens.ts"
import * as TokenFlags from "../../src/token/TokenFlags.ts"

const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const other = `0x${"7".repeat(40)}`
const isFake = (symbol: string | null, address = other, chainId = 1) => TokenFlags.isFake(chainId, { address, symbol })
const isAdvertising = (name: string | null, symbol: string | null, address = other) =>
  TokenFlags.isAdvertising(1, { address, name, symbol })

describe("TokenFlags", () => {
  it("isFake: is false for known tokens, with the symbol in any case", () => {
    for (const chainId of [1, 10, 56, 137, 8453, 42161, 43114]) {
      for (const [symbol, contracts] of Object.entries(KnownTokens.ofChain(chainId))) {
        for (const address of contracts) {
          expect(address).toMatch(/^0x[0-9a-f]{40}$/)
          expect([symbol, isFake(symbol, address, chainId)]).toEqual([symbol, false])
          expect([symbol, isFake(symbol.toLowerCase(), address, chainId)]).toEqual([symbol, false])
          expect([symbol, isFake(symbol, other, chainId)]).toEqual([symbol, true])
        }
      }
    }
  })

  it("isFake: finds a symbol that looks like a known one, however it is written", () => {
    const written = [
      "USDC",
      "usdc",
      "USDС",
      "ＵＳＤＣ",
      "US[U+200B]DC",
      "U S D C",
      "$USDC",
      "USD.C",
      "ÚSDC",
      "UЅDС",
      "USD₮",
    ]

    expect(written.map((symbol) => isFake(symbol))).toEqual(written.map(() => true))
    expect(["ETH", "ЕTH", "eth"].map((symbol) => isFake(symbol))).toEqual([true, true, true])
  })

  it("isFake: is false for other symbols, and on chains whose tokens are not listed", () => {
    const others = ["USDC.e", "aUSDC", "USDCX", "GLD", "", "...", "USD", "constructor", "toString"]

    expect(others.map((symbol) => isFake(symbol))).toEqual(others.map(() => false))
    expect([isFake(null), isFake("USDC", other, 31_337), isFake("ETH", other, 31_337)]).toEqual([false, false, false])
  })

  it("isAdvertising: finds links in the name or symbol of an unknown token", () => {
    const links = [
      "Visit https://x.example",
      "www.gift.example",
      "claim at swap-reward.com",
      "$ usd-gift.org",
      "t.ly/abc",
    ]
    const plain = ["USD Coin", "USDC.e", "Wrapped Ether", "v2.1", "A.I. Token", "1.5x ETH", "Node.js", "St. Token"]

    expect(links.map((text) => isAdvertising(text, null))).toEqual(links.map(() => true))
    expect(links.map((text) => isAdvertising(null, text))).toEqual(links.map(() => true))
    expect(plain.map((text) => isAdvertising(text, text))).toEqual(plain.map(() => false))
    expect(isAdvertising("yearn.finance", "YFI", "0x0bc529c00c6401aef6d220be8c6ea1667f6ad93e")).toBe(false)
    expect(isAdvertising("usd-coin.com", "USDC", usdc)).toBe(false)
  })

  it("isFake, isAdvertising: read a text of any length that a contract may return in little time", () => {
    const long = ["a.".repeat(5_000), "-".repeat(10_000), "a".repeat(10_000), "[U+".repeat(3_000), "а.".repeat(5_000)]

    expect(long.map((text) => [isFake(text), isAdvertising(text, text)])).toEqual(long.map(() => [false, false]))
  })
})
