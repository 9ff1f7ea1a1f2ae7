import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Label from "../../src/label/Label.ts"

const make = (entries?: Record<string, string>) => Result.getOrThrow(Label.make(entries))

describe("Label", () => {
  describe("make", () => {
    it("make: labels the zero address, the burn address and the precompiled contracts", () => {
      const label = make()

      expect(label("0x0000000000000000000000000000000000000000")).toBe("Null: 0x0")
      expect(label("0x000000000000000000000000000000000000dEaD")).toBe("Null: 0x000...dEaD")
      expect(label("0x0000000000000000000000000000000000000001")).toBe("Precompile: ecRecover")
      expect(label("0x0000000000000000000000000000000000000100")).toBe("Precompile: P-256 verify")
    })

    it("make: finds a configured label by an address in any case", () => {
      const label = make({ "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": "Treasury" })

      expect(label("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")).toBe("Treasury")
      expect(label("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED")).toBe("Treasury")
    })

    it("make: returns null for an address without a label, and for names of object members", () => {
      const label = make()

      expect(label("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")).toBeNull()
      expect(label("constructor")).toBeNull()
    })

    it("make: lets a configured label replace a built-in one", () => {
      expect(make({ "0x0000000000000000000000000000000000000000": "Mint and burn" })(`0x${"0".repeat(40)}`)).toBe(
        "Mint and burn",
      )
    })

    it("make: names every invalid entry", () => {
      const error = Result.getOrThrow(
        Result.flip(
          Label.make({
            "0x12": "short",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": "Treasury",
            "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed": "Treasury again",
            "0x1111111111111111111111111111111111111111": " ",
          }),
        ),
      )

      expect(error._tag).toBe("InvalidLabel")
      expect(error.message).toBe(
        'Labels: "0x12" is not an address; "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed" is given twice; ' +
          '"0x1111111111111111111111111111111111111111" has an empty label. Write each as "0x" and 40 hex digits: "text".',
      )
    })
  })
})
