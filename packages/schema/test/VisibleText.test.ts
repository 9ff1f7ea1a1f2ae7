import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as VisibleText from "../src/VisibleText.ts"

const { visible } = VisibleText
const hostile = "a\u001bb\u0007b\rb\u0000b\u009bb\u2028b\u202eb\u200bb\u061cc"

describe("VisibleText", () => {
  it("visible: escapes bidirectional marks and zero-width characters", () => {
    expect(visible("\u202ecilbup")).toBe("[U+202E]cilbup")
    expect(visible("US\u200bD\u00adC\u3164\ufeff")).toBe("US[U+200B]D[U+00AD]C[U+3164][U+FEFF]")
    expect(visible("\u{e0041}\ud800\u0000")).toBe("[U+E0041][U+D800][U+0000]")
  })

  it("visible: leaves text in any language, line breaks and emoji unchanged", () => {
    for (const text of ["Vitalik’s Fund", "عملة", "कि", "日本円", "a\nb\tc", "👩🏽‍🚀", "❤️", "©"])
      expect(visible(text)).toBe(text)
  })

  it("visible: keeps at most four combining marks per letter, so that they stay on their line", () => {
    expect(visible(`a${"\u0301".repeat(20)}b`)).toBe(`a${"\u0301".repeat(4)}…b`)
    expect(visible(`a${"\u0301".repeat(4)}`)).toBe(`a${"\u0301".repeat(4)}`)
  })

  it("visible: leaves no bidirectional mark in any text of three characters", () => {
    const characters = [..."a\u202e\u2066\u200b\u200d\ufe0f❤👩🏽\u0301\u061c", "\ud800"]
    for (const one of characters) {
      for (const two of characters) {
        for (const three of characters) {
          expect(visible(one + two + three)).not.toMatch(/[\u061c\u200b\u202a-\u202e\u2066-\u2069]/)
        }
      }
    }
  })

  it("visibleLine: escapes each hidden character, including carriage returns and line separators", () => {
    expect(VisibleText.visibleLine(` ${hostile}\r\n\td `)).toBe(
      "a[U+001B]b[U+0007]b[U+000D]b[U+0000]b[U+009B]b[U+2028]b[U+202E]b[U+200B]b[U+061C]c d",
    )
  })

  it("visibleStart: never shows part of an escaped character of a longer text", () => {
    expect(VisibleText.visibleStart("12345", 5)).toBe("12345")
    expect(VisibleText.visibleStart("😀".repeat(6), 5)).toBe("😀😀😀😀…")
    expect(VisibleText.visibleStart(`12👩\u200d🚀6`, 4)).toBe("12👩…")
    expect(VisibleText.visibleStart(`${" ".repeat(39)}😀${"x".repeat(9)}`, 5)).toBe("…")
  })

  it("isVisibleLine: rejects each hidden character and each line break", () => {
    for (const character of hostile.replaceAll(/[abc]/g, "") + "\n\t\u2066\ufeff\u3164\ue000") {
      expect([character, VisibleText.isVisibleLine(`a${character}b`)]).toEqual([character, false])
    }
    for (const text of ["Vitalik’s Fund", "عملة", "日本円", "👩🏽‍🚀", "❤️"])
      expect(VisibleText.isVisibleLine(text)).toBe(true)
  })

  const Hostile = Schema.Array(Schema.Literals([...hostile, ..." \n\t\ufe0f\u200d❤👩🏽🚀\u0301", "\ud83d", "x"]))

  it.prop(
    "law: visibleLine and visibleStart return one visible line, which they leave unchanged",
    { Hostile },
    ({ Hostile: parts }) => {
      const text = parts.join("")
      const line = VisibleText.visibleLine(text)
      const start = VisibleText.visibleStart(text, 8)

      expect(VisibleText.isVisibleLine(line)).toBe(true)
      expect(VisibleText.isVisibleLine(start)).toBe(true)
      expect(VisibleText.visibleLine(line)).toBe(line)
      expect(Array.from(start).length).toBeLessThanOrEqual(8)
    },
  )
})
