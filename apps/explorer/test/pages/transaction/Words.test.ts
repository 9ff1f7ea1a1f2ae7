import { describe, expect, it } from "vitest"
import * as Words from "../../../src/pages/transaction/Words.ts"

const [first, second] = ["ab".repeat(32), "cd".repeat(32)]

describe("Words", () => {
  it("split: returns the selector of a call and its words with their positions, and the words of a log", () => {
    expect(Words.split(`0x12345678${first}${second}`, 4)).toEqual({
      selector: "0x12345678",
      words: [
        { offset: "0x00", digits: first },
        { offset: "0x20", digits: second },
      ],
    })
    expect(Words.split(`0x${first}`, 0)?.words).toEqual([{ offset: "0x00", digits: first }])
  })

  it("split: returns nothing for bytes that are not whole words, for none, and for too many", () => {
    for (const hex of ["0x", "0x12345678", `0x12345678${first}00`, `0x12345678${first.repeat(300)}`]) {
      expect(Words.split(hex, 4)).toBeUndefined()
    }
  })
})
