import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Address from "../src/Address.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const lower = checksummed.toLowerCase()

describe("Address", () => {
  it("Address: decodes any case to lower case", () => {
    expect(Schema.decodeUnknownSync(Address.Address)(checksummed)).toBe(lower)
  })

  it.each(["0x", lower.slice(0, -1), `${lower}00`, "vitalik.eth", "", null])("Address: refuses %j", (input) => {
    expect(refusal(Address.Address, input)).toContain("an address of 20 bytes in hex")
  })

  it("OrEmpty, OrNone, OrNull: decode a missing address to null and encode it in their own form", () => {
    expect(Schema.decodeUnknownSync(Address.OrEmpty)("")).toBe(null)
    expect(Schema.encodeSync(Address.OrEmpty)(null)).toBe("")
    expect(Schema.decodeUnknownSync(Address.OrNone)("")).toBe(null)
    expect(Schema.encodeSync(Address.OrNone)(null)).toBe(null)
    expect(Schema.decodeUnknownSync(Address.OrNull)(null)).toBe(null)
  })

  it.prop("Address: decodes what it encodes", [Address.Address], ([address]) => {
    encodesAndDecodes(Address.Address, address)
  })

  it("fromText: parses an address in any case and returns undefined for other text", () => {
    expect([Address.fromText(checksummed), Address.fromText("0x12")]).toEqual([lower, undefined])
  })

  it.each([null, undefined, 5, {}])("fromText: returns undefined for %j", (value) => {
    expect(Address.fromText(value as never)).toBe(undefined)
  })

  it.prop("fromText: parses every form that the pattern matches", [Address.Address], ([address]) => {
    for (const text of [address, Address.checksum(address), `0x${address.slice(2).toUpperCase()}`]) {
      expect(text).toMatch(Address.pattern)
      expect(Address.fromText(text)).toBe(address)
    }
  })

  it.prop("fromText: returns undefined for text that the pattern does not match", [Schema.String], ([text]) => {
    expect(Address.fromText(text) !== undefined).toBe(Address.pattern.test(text))
  })

  it("isAddress: is true for lower case only", () => {
    expect([Address.isAddress(lower), Address.isAddress(checksummed)]).toEqual([true, false])
  })

  it.each([
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
  ])("checksum: returns %s of EIP-55", (expected) => {
    const address = Address.fromText(expected)
    expect(address && Address.checksum(address)).toBe(expected)
  })

  it("fromTopic: returns the address after twelve zero bytes, and nothing for other topics", () => {
    const topic = `0x${"0".repeat(24)}${lower.slice(2)}`

    expect(Address.fromTopic(topic)).toBe(lower)
    expect(
      [`0x1${topic.slice(3)}`, `${topic}0`, topic.slice(0, -1), `${topic}\n`, "", null, undefined].map(
        Address.fromTopic,
      ),
    ).toEqual(Array.from({ length: 7 }, () => undefined))
  })
})
