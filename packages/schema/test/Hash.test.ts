import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Hash from "../src/Hash.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const text = `0x${"Ab".repeat(32)}`

describe("Hash", () => {
  it("Hash: decodes 32 bytes of any case to lower case", () => {
    expect(Schema.decodeUnknownSync(Hash.Hash)(text)).toBe(text.toLowerCase())
  })

  it.each(["0x", "0x123", text.slice(0, -1), `${text}00`, "", null, 5])("Hash: refuses %j", (input) => {
    expect(refusal(Hash.Hash, input)).toContain("a hash of 32 bytes in hex")
  })

  it.prop("Hash: decodes what it encodes", [Hash.Hash], ([value]) => {
    encodesAndDecodes(Hash.Hash, value)
  })

  it("OrNull: keeps null and refuses an empty string", () => {
    expect(Schema.decodeUnknownSync(Hash.OrNull)(null)).toBe(null)
    expect(refusal(Hash.OrNull, "")).toContain("or null")
  })

  it("OrEmpty: decodes an unused topic to null and encodes it as an empty string", () => {
    const decodeTopic = Schema.decodeUnknownSync(Hash.OrEmpty)
    expect([decodeTopic(""), decodeTopic(null)]).toEqual([null, null])
    expect(Schema.encodeSync(Hash.OrEmpty)(null)).toBe("")
  })

  it.prop("OrEmpty: decodes what it encodes", [Hash.OrEmpty], ([value]) => {
    encodesAndDecodes(Hash.OrEmpty, value)
  })

  it("OrNone: decodes 0x and null to null and encodes null as 0x", () => {
    const decodeRoot = Schema.decodeUnknownSync(Hash.OrNone)
    expect([decodeRoot("0x"), decodeRoot(null), decodeRoot(text)]).toEqual([null, null, text.toLowerCase()])
    expect(Schema.encodeSync(Hash.OrNone)(null)).toBe("0x")
    expect(refusal(Hash.OrNone, "0x12")).toContain("or 0x for none")
  })

  it.prop("OrNone: decodes what it encodes", [Hash.OrNone], ([value]) => {
    encodesAndDecodes(Hash.OrNone, value)
  })
})
