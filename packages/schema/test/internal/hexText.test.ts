import { describe, expect, it } from "@effect/vitest"
import { hexCase, hexWord, smallDecimal, smallHex } from "../../src/internal/hexText.ts"

describe("hexCase", () => {
  const lengths = [0, 1, 2, 3, 4, 62, 63, 64, 65, 66, 67, 8189, 8190, 8191, 8192, 8193, 20_001]

  it.each(lengths)("hexCase: returns the case of %i digits", (length) => {
    const digits = "0123456789abcdef".repeat(Math.ceil(length / 16)).slice(0, length)
    expect(hexCase(`0x${digits}`)).toBe(1)
    expect(hexCase(`0X${digits}`)).toBe(2)
    expect(hexCase(`0x${digits}F`)).toBe(2)
  })

  it("hexCase: agrees with a regular expression for any character at any position", () => {
    const odd = ["g", "G", "/", ":", "@", "`", " ", "\n", "\u0000", "\u0080", "é", "\u0430", "😀", "\uD83D", "x", "F"]
    for (const length of [0, 5, 63, 64, 70, 8190, 8195]) {
      for (const character of odd) {
        for (const at of new Set([0, 1, length >> 1, Math.max(0, length - 1), length])) {
          const text = `0x${"a".repeat(at)}${character}${"9".repeat(Math.max(0, length - at))}`
          const expected = /^0x[0-9a-f]*$/.test(text) ? 1 : /^0[xX][0-9a-fA-F]*$/.test(text) ? 2 : 0
          expect([length, at, character, hexCase(text)]).toEqual([length, at, character, expected])
        }
      }
    }
  })
})

describe("smallHex and smallDecimal", () => {
  it("smallHex, smallDecimal: parse up to 52 bits and 15 digits", () => {
    expect(
      ["0x", "0x0", "0x00ff", "0XfF", "0xfffffffffffff", "0x10000000000000", "0x1g", "ff", ""].map(smallHex),
    ).toEqual([0, 0, 255, 255, 4503599627370495, -1, -1, -1, -1])
    expect(["0", "007", "999999999999999", "1000000000000000", "", "1e3", "-1", " 1"].map(smallDecimal)).toEqual([
      0, 7, 999999999999999, -1, -1, -1, -1, -1,
    ])
  })

  it("hexWord: parses up to 16 digits as a bigint, including those above 2^53 and with a first digit of 8 to f", () => {
    expect(
      [
        "0x",
        "0X0",
        "0x00ff",
        "0x80000000",
        "0xfffffffff",
        "0xde0b6b3a7640001",
        "0x8000000080000000",
        "0xFFFFFFFFFFFFFFFF",
      ].map(hexWord),
    ).toEqual([
      0n,
      0n,
      255n,
      2147483648n,
      68719476735n,
      1000000000000000001n,
      9223372039002259456n,
      18446744073709551615n,
    ])
    const invalid = [
      "",
      "0",
      "ff",
      "1x1",
      "0x1g",
      "0x1 ",
      "0x\u0130",
      "0xg00000001",
      "0x10000000g",
      "0x10000000000000000",
    ]
    expect(invalid.map(hexWord)).toEqual(invalid.map(() => undefined))
  })
})
