import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Signature from "../src/Signature.ts"

const parse = (text: string) => Result.getOrThrow(Signature.fromText(text))
const failure = (text: string) => Result.getOrThrow(Result.flip(Signature.fromText(text)))

describe("Signature", () => {
  describe("fromText", () => {
    it("fromText: reads a function with its selector and canonical types", () => {
      const signature = parse("function transfer(address to, uint value) returns (bool)")

      expect(signature).toMatchObject({ kind: "function", label: "transfer", indexedCount: 0, key: "0xa9059cbb" })
      expect(signature.canonical).toBe("transfer(address,uint256)")
    })

    it("fromText: reads an event with its topic and counts its indexed parameters", () => {
      const signature = parse("event Transfer(address indexed from, address indexed to, uint256 value)")

      expect(signature).toMatchObject({ kind: "event", label: "Transfer", indexedCount: 2 })
      expect(signature.key).toBe("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
      expect(signature.members.map((type) => type.name)).toEqual(["uint256"])
    })

    it("fromText: reads nested tuples", () => {
      const signature = parse("function permit((address token, (uint160, uint48)[2] details)[] batch, bytes)")

      expect(signature.canonical).toBe("permit((address,(uint160,uint48)[2])[],bytes)")
      expect(signature.parameters.map(({ name }) => name)).toEqual(["batch", ""])
    })

    it("fromText: names the line and the reason of an invalid signature", () => {
      const error = failure("transfer(address,uint256)")

      expect(error._tag).toBe("InvalidSignature")
      expect(error.text).toBe("transfer(address,uint256)")
      expect(error.message).toMatch(
        /^Invalid signature: "transfer\(address,uint256\)" \(.+\)\. Write it as "event Name/,
      )
    })

    it.each([
      ["constructor(address owner)", "neither an event nor a function"],
      ["error Broken(uint256 code)", "neither an event nor a function"],
      ["event Spread(uint256[0] none)", "uint256[0] has no size"],
      [
        "event Wide(bool indexed a, bool indexed b, bool indexed c, bool indexed d)",
        "4 indexed parameters; at most 3 are possible",
      ],
    ])("rejects %s", (text, reason) => {
      expect(failure(text).reason).toBe(reason)
    })

    it("fromText: fails on any other text without throwing", () => {
      const texts = [
        "",
        "function",
        "event (",
        `function f(${"(".repeat(20_000)}`,
        "function f(uint256 a, Foo b)",
        "\u0000",
      ]

      for (const text of texts) expect(failure(text)._tag).toBe("InvalidSignature")
    })
  })

  describe("toText", () => {
    it("toText: writes one spelling for lines that decode equally", () => {
      const text = "event Named(uint256 indexed id, (address,bool)[] pairs, bytes)"

      expect(Signature.toText(parse("event Named(uint indexed id, (address a, bool b)[] pairs, bytes)"))).toBe(text)
      expect(Signature.toText(parse(text))).toBe(text)
    })
  })
})
