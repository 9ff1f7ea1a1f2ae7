import { describe, expect, it } from "vitest"
import { nameOf } from "../../../src/pages/address/AddressName.ts"

const gold = { name: "Gold", symbol: "GOLD", decimals: 18 }
const code = { address: `0x${"aa".repeat(20)}`, name: "Token", source: "project", abi: [{ type: "receive" }] } as never
const named = { ...(code as object), abi: [] } as never

const unknown = { own: undefined, served: undefined, token: null, contract: undefined }

describe("AddressName.nameOf", () => {
  it("returns the user's own label, then the service's, then the name and symbol of a token", () => {
    expect(nameOf({ ...unknown, own: "Mine", served: "Treasury", token: gold })).toBe("Mine")
    expect(nameOf({ ...unknown, served: "Treasury", token: gold })).toBe("Treasury")
    expect(nameOf({ ...unknown, token: gold })).toBe("Gold (GOLD)")
    expect(nameOf(unknown)).toBeUndefined()
  })

  it("returns the name and symbol of a token instead of the name of its code, if both are known", () => {
    expect(nameOf({ ...unknown, served: "Token", token: gold, contract: code })).toBe("Gold (GOLD)")
    expect(nameOf({ ...unknown, own: "Mine", served: "Token", token: gold, contract: code })).toBe("Mine")
    expect(nameOf({ ...unknown, served: "Token", token: { ...gold, name: undefined }, contract: code })).toBe("Token")
    expect(nameOf({ ...unknown, served: "Token", token: { ...gold, symbol: undefined }, contract: code })).toBe("Token")
  })

  it("keeps a label that differs from the name of the code, or was given without an ABI", () => {
    expect(nameOf({ ...unknown, served: "Fake gold", token: gold, contract: code })).toBe("Fake gold")
    expect(nameOf({ ...unknown, served: "Token", token: gold, contract: named })).toBe("Token")
  })
})
