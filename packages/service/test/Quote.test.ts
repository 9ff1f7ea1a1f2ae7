import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import * as Quote from "../src/Quote.ts"

describe("Quote", () => {
  it("repeats an address whole, and of a longer text ten characters and the length", () => {
    const address = `0x${"ab".repeat(20)}`
    const privateKey = `0x${"0123456789abcdef".repeat(4)}`

    expect(Quote.text(address)).toBe(`"${address}"`)
    expect(Quote.text(privateKey)).toBe(`"0x01234567..." (66 characters)`)
    expect(Quote.text("two\nlines")).toBe(`"two\\nlines"`)
  })

  it("writes a word that a shell reads back", () => {
    expect(Quote.shellWord("eth")).toBe("eth")
    for (const name of ["my chain", "it's", "$HOME `id`", "a;b"]) {
      expect(execFileSync("sh", ["-c", `printf %s ${Quote.shellWord(name)}`], { encoding: "utf8" })).toBe(name)
    }
  })
})
