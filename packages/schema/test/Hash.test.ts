import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Hash from "../src/Hash.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const text = `0x${"Ab".repeat(32)}`

describe("Hash", () => {
  it("reads 32 bytes in any case as lower case", () => {
    expect(Schema.decodeUnknownSync(Hash.Hash)(text)).toBe(text.toLowerCase())
  })

  it.each(["0x", "0x123", text.slice(0, -1), `${text}00`, "", null, 5])("refuses %j", (input) => {
    expect(refusal(Hash.Hash, input)).toContain("a hash of 32 bytes in hex")
  })

  it("keeps null where a hash may be missing", () => {
    expect(Schema.decodeUnknownSync(Hash.OrNull)(null)).toBe(null)
    expect(refusal(Hash.OrNull, "")).toContain("or null")
  })

  it("reads an unused topic slot as null and writes an empty text", () => {
    expect(Schema.decodeUnknownSync(Hash.OrEmpty)("")).toBe(null)
    expect(Schema.decodeUnknownSync(Hash.OrEmpty)(null)).toBe(null)
    expect(Schema.encodeSync(Hash.OrEmpty)(null)).toBe("")
  })

  it("decodes what it encoded", async () => {
    await encodesAndDecodes(Hash.Hash)
    await encodesAndDecodes(Hash.OrEmpty)
  })
})
