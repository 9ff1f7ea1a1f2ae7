import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as AbiType from "../src/AbiType.ts"

const layout = (parameter: AbiType.Parameter) => Result.getOrThrow(AbiType.fromParameter(parameter))
const reason = (parameter: AbiType.Parameter) => Result.getOrThrow(Result.flip(AbiType.fromParameter(parameter)))

describe("AbiType", () => {
  describe("fromParameter", () => {
    it("fromParameter: expands short integer names", () => {
      expect(layout({ type: "uint" }).name).toBe("uint256")
      expect(layout({ type: "int[]" }).name).toBe("int256[]")
    })

    it("fromParameter: names a tuple by its types in parentheses", () => {
      const components = [{ type: "address" }, { type: "uint256" }]

      expect(layout({ type: "tuple[2][]", components }).name).toBe("(address,uint256)[2][]")
    })

    it("fromParameter: sizes static types by their value and dynamic ones by their offset", () => {
      const components = [{ type: "address" }, { type: "uint256" }]

      expect(layout({ type: "tuple[3]", components })).toMatchObject({ dynamic: false, headBytes: 192 })
      expect(layout({ type: "string[3]" })).toMatchObject({ dynamic: true, headBytes: 32 })
      expect(layout({ type: "uint8[]" })).toMatchObject({ dynamic: true, headBytes: 32 })
    })

    it("fromParameter: rejects types unknown to Solidity", () => {
      expect(reason({ type: "uint7" })).toBe("unknown type uint7")
      expect(reason({ type: "uint264" })).toBe("unknown type uint264")
      expect(reason({ type: "bytes33" })).toBe("unknown type bytes33")
      expect(reason({ type: "toString" })).toBe("unknown type toString")
    })

    it("fromParameter: rejects types of size zero", () => {
      expect(reason({ type: "uint256[0]" })).toBe("uint256[0] has no size")
      expect(reason({ type: "tuple", components: [] })).toBe("an empty tuple has no size")
    })

    it("fromParameter: rejects a list too long to count", () => {
      expect(reason({ type: "uint256[99999999999999999999]" })).toBe("uint256[99999999999999999999] is too long")
    })

    it("fromParameter: rejects nesting deeper than its limit", () => {
      expect(layout({ type: `uint256${"[]".repeat(16)}` }).name).toBe(`uint256${"[]".repeat(16)}`)
      expect(reason({ type: `uint256${"[]".repeat(17)}` })).toBe("nested deeper than 16")
    })
  })
})
