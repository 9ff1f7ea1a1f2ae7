import { describe, expect, it } from "vitest"
import { isolated, visible } from "../../src/text/VisibleText.ts"

describe("VisibleText", () => {
  it("visible: writes out marks of direction and characters without a width", () => {
    expect(visible("\u202ecilbup")).toBe("[U+202E]cilbup")
    expect(visible("US\u200bD\u00adC\u3164\ufeff")).toBe("US[U+200B]D[U+00AD]C[U+3164][U+FEFF]")
    expect(visible("\u{e0041}\ud800\u0000")).toBe("[U+E0041][U+D800][U+0000]")
  })

  it("visible: leaves text of any language, lines and emoji as they are", () => {
    for (const text of ["Vitalik’s Fund", "عملة", "कि", "日本円", "a\nb\tc", "👩🏽‍🚀", "❤️", "©"])
      expect(visible(text)).toBe(text)
  })

  it("visible: keeps four marks of a letter, so that they stay in their line", () => {
    expect(visible(`a${"\u0301".repeat(20)}b`)).toBe(`a${"\u0301".repeat(4)}…b`)
    expect(visible(`a${"\u0301".repeat(4)}`)).toBe(`a${"\u0301".repeat(4)}`)
  })

  it("isolated: encloses the visible text in marks that keep its direction inside", () => {
    expect(isolated("\u2069عملة")).toBe("\u2068[U+2069]عملة\u2069")
  })

  it("visible: leaves no mark of direction in any text of three characters", () => {
    const characters = [..."a\u202e\u2066\u200b\u200d\ufe0f❤👩🏽\u0301\u061c", "\ud800"]
    for (const one of characters) {
      for (const two of characters) {
        for (const three of characters) {
          expect(visible(one + two + three)).not.toMatch(/[\u061c\u200b\u202a-\u202e\u2066-\u2069]/)
        }
      }
    }
  })
})
