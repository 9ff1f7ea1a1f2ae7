import { describe, expect, it } from "vitest"
import * as EnsName from "../../src/ens/EnsName.ts"

describe("EnsName", () => {
  it("normalize: returns a name in its normal form, whatever case was typed", () => {
    expect(EnsName.normalize("Alice.ETH")).toBe("alice.eth")
    expect(EnsName.normalize("pay.alice.eth")).toBe("pay.alice.eth")
    expect(EnsName.normalize("bücher.eth")).toBe("bücher.eth")
  })

  it("normalize: rejects texts that are not names, mix scripts, hide characters or are too long", () => {
    const refused = [
      "",
      "eth",
      "alice",
      ".eth",
      "alice..eth",
      "alice.eth.",
      "two words.eth",
      "ali\u202ece.eth",
      // A Cyrillic letter between Latin ones, and a whole label of Cyrillic letters that look Latin.
      "\u0430lice.eth",
      "\u0430\u0440\u0440\u04cf\u0435.eth",
      "<script>.eth",
      "alice\n.eth",
      "\ud800.eth",
      `[${"0".repeat(64)}].eth`,
      `${"a".repeat(252)}.eth`,
      `${"a.".repeat(10)}eth`,
    ]

    expect(refused.filter((text) => EnsName.normalize(text) !== null)).toEqual([])
  })

  it("isNormal: is false for a name that differs from its normal form", () => {
    expect(["Alice.eth", "\uff41lice.eth", "ali\u200bce.eth", "alice"].filter(EnsName.isNormal)).toEqual([])
    expect(EnsName.isNormal("alice.eth")).toBe(true)
  })

  it("calls: contain the node of ENSIP-1, and the name in the DNS form", () => {
    expect(EnsName.calls.resolver("foo.eth")).toBe(
      "0x0178b8bfde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f",
    )
    expect(EnsName.calls.resolve("foo.eth", "0x01")).toBe(
      `0x9061b923${[
        "40".padStart(64, "0"),
        "80".padStart(64, "0"),
        "9".padStart(64, "0"),
        "03666f6f0365746800".padEnd(64, "0"),
        "1".padStart(64, "0"),
        "01".padEnd(64, "0"),
      ].join("")}`,
    )
  })

  it("textIn, addressIn: reject answers that are truncated, too long, or no text or address", () => {
    const word = (hex: string) => hex.padStart(64, "0")
    const text = `0x${word("20")}${word("3")}${"616263".padEnd(64, "0")}`

    expect(EnsName.textIn(text)).toBe("abc")
    expect(
      [
        "0x",
        text.slice(0, -60),
        `0x${word("20")}${word("ffffffff")}`,
        `0x${"ff".repeat(32)}`,
        `0x${word("20")}${word("1")}${"ff".padEnd(64, "0")}`,
        `0x${word("20")}${word("0")}${"00".repeat(10_000)}`,
      ].map(EnsName.textIn),
    ).toEqual([null, null, null, null, null, null])
    expect(EnsName.addressIn(`0x${word("AB".repeat(20))}`)).toBe(`0x${"ab".repeat(20)}`)
    expect(["0x", `0x${word("0")}`, `0x${"f".repeat(64)}`, `0x${"ab".repeat(20)}`].map(EnsName.addressIn)).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})
