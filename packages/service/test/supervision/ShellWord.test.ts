import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { shellWord } from "../../src/supervision/ShellWord.ts"

describe("shellWord", () => {
  it("quotes a word so that a shell reads it back", () => {
    expect(shellWord("eth")).toBe("eth")
    for (const name of ["my chain", "it's", "$HOME `id`", "a;b"]) {
      expect(execFileSync("sh", ["-c", `printf %s ${shellWord(name)}`], { encoding: "utf8" })).toBe(name)
    }
  })
})
