import { describe, expect, it } from "vitest"
import { checksummed, shortened } from "../../src/display/AddressText.ts"

describe("AddressText", () => {
  it("checksummed: writes an address with its checksum, and any other text unchanged", () => {
    expect(checksummed("0xd8da6bf26964af9d7eed9e03e53415d37aa96045")).toBe("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
    expect(checksummed("0x1234")).toBe("0x1234")
  })

  it("shortened: keeps eight digits of the start and six of the end", () => {
    expect(shortened("0xd8da6bf26964af9d7eed9e03e53415d37aa96045")).toBe("0xd8dA6BF2…A96045")
    expect(shortened("0x1234")).toBe("0x1234")
  })
})
