import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Address from "../src/Address.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const lower = checksummed.toLowerCase()

describe("Address", () => {
  it("reads any case as lower case", () => {
    expect(Schema.decodeUnknownSync(Address.Address)(checksummed)).toBe(lower)
  })

  it.each(["0x", lower.slice(0, -1), `${lower}00`, "vitalik.eth", "", null])("refuses %j", (input) => {
    expect(refusal(Address.Address, input)).toContain("an address of 20 bytes in hex")
  })

  it("reads none from an empty text and null, and writes each slot in its own way", () => {
    expect(Schema.decodeUnknownSync(Address.OrEmpty)("")).toBe(null)
    expect(Schema.encodeSync(Address.OrEmpty)(null)).toBe("")
    expect(Schema.decodeUnknownSync(Address.OrNone)("")).toBe(null)
    expect(Schema.encodeSync(Address.OrNone)(null)).toBe(null)
    expect(Schema.decodeUnknownSync(Address.OrNull)(null)).toBe(null)
  })

  it("decodes what it encoded", async () => {
    await encodesAndDecodes(Address.Address)
  })

  describe("fromText", () => {
    it("gives the address of a text, or undefined", () => {
      expect(Address.fromText(checksummed)).toBe(lower)
      expect(Address.fromText("0x12")).toBe(undefined)
    })
  })

  describe("isAddress", () => {
    it("is true of the program's form only", () => {
      expect(Address.isAddress(lower)).toBe(true)
      expect(Address.isAddress(checksummed)).toBe(false)
    })
  })

  describe("checksum", () => {
    it.each([
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
      "0x52908400098527886E0F7030069857D2E4169EE7",
      "0xde709f2102306220921060314715629080e2fb77",
    ])("writes %s as EIP-55 does", (expected) => {
      const address = Address.fromText(expected)
      expect(address && Address.checksum(address)).toBe(expected)
    })
  })
})
