import { describe, expect, it } from "vitest"
import { parse } from "../../src/search/SearchQuery.ts"

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
const hash = `0x${"ab".repeat(32)}`

describe("SearchQuery.parse", () => {
  it("reads an address in any case, with surrounding spaces, and without its prefix", () => {
    const expected = { _tag: "Address", address }

    expect(parse(address)).toEqual(expected)
    expect(parse("  0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045 ")).toEqual(expected)
    expect(parse(address.slice(2))).toEqual(expected)
  })

  it("reads a hash, with or without its prefix", () => {
    expect(parse(hash)).toEqual({ _tag: "Hash", hash })
    expect(parse(hash.slice(2).toUpperCase())).toEqual({ _tag: "Hash", hash })
  })

  it("reads a block number in digits, with separators, after #, and in hexadecimal", () => {
    const expected = { _tag: "BlockNumber", number: 17_000_000n }

    for (const text of ["17000000", "17,000,000", "17 000 000", "17_000_000", "#17000000", "0x1036640"]) {
      expect(parse(text)).toMatchObject(expected)
    }
  })

  it("explains hex digits that are neither an address nor a hash, and impossible block numbers", () => {
    expect(parse(`${address}00`)).toEqual({
      _tag: "Invalid",
      reason: "An address has 40 digits after 0x, and a hash 64; these are 42.",
    })
    expect(parse("99999999999999999999999")).toEqual({ _tag: "Invalid", reason: "No block number is this high." })
    expect(parse("x".repeat(101))._tag).toBe("Invalid")
  })

  it("reads an address in mixed case only if its checksum is correct", () => {
    expect(parse("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")).toEqual({ _tag: "Address", address })
    const mistyped = parse("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046")

    expect(mistyped._tag).toBe("Invalid")
    expect(mistyped).toMatchObject({ reason: expect.stringContaining("do not match its checksum") as string })
  })

  it("reads the item in a pasted URL of an explorer", () => {
    for (const [url, expected] of [
      [`https://etherscan.io/address/${address}#tokentxns`, { _tag: "Address", address }],
      [`https://etherscan.io/token/${address}?a=0x1`, { _tag: "Address", address }],
      [`https://eth.blockscout.com/tx/${hash}?tab=logs`, { _tag: "Hash", hash }],
      [`http://localhost:5100/block/1043`, { _tag: "BlockNumber", number: 1043n }],
      [`https://explorer.example/#/tx/${hash}`, { _tag: "Hash", hash }],
    ] as const) {
      expect(parse(url)).toMatchObject(expected)
    }
    expect(parse("https://example.com/blog")).toEqual({ _tag: "Text", text: "https://example.com/blog" })
  })

  it("reads a block by its tag", () => {
    for (const tag of ["latest", "earliest", "finalized", "safe"]) expect(parse(tag)).toEqual({ _tag: "BlockTag", tag })
    expect(parse(" Latest ")).toEqual({ _tag: "BlockTag", tag: "latest" })
  })

  it("treats everything else as the name of a label or token", () => {
    expect(parse("USD Coin")).toEqual({ _tag: "Text", text: "USD Coin" })
    expect(parse("   ")).toEqual({ _tag: "Empty" })
  })
})
