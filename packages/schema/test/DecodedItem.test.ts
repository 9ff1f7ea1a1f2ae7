import { describe, expect, it } from "@effect/vitest"
import { args } from "../src/DecodedItem.ts"

const param = (type: string, value: string, name = "it") => ({ name, type, value })
const read = (type: string, value: string) => args({ params: [param(type, value)] })["it"]
const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const lower = checksummed.toLowerCase()
const hash = `0x${"ab".repeat(32)}`

describe("DecodedItem", () => {
  it.each([
    ["address", checksummed, lower],
    ["uint256", "115792089237316195423570985008687907853269984665640564039457584007913129639935", 2n ** 256n - 1n],
    ["int24", "-887272", -887_272n],
    ["uint8", "18", 18n],
    ["bool", "true", true],
    ["bool", "false", false],
    ["bytes4", "0xa9059cbb", "0xa9059cbb"],
    ["string", "[1]", "[1]"],
    ["uint256[]", '["1","2"]', [1n, 2n]],
    [
      "uint256[2][]",
      '[["1","2"],["3","4"]]',
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ],
    ["(address,uint256)[]", `[["${checksummed}","7"]]`, [[lower, 7n]]],
    ["(bool,(string,uint8[]),bytes)", '["true",["a,b)",["1"]],"0x"]', [true, ["a,b)", [1n]], "0x"]],
    ["uint256[]", "[1,2]", [1n, 2n]],
    ["uint256[]", "[]", []],
  ] as const)("args: reads %s %s", (type, value, expected) => {
    expect(read(type, value)).toEqual(expected)
  })

  it.each([
    ["uint256", "many"],
    ["uint256", "1".repeat(79)],
    ["uint256", "0x10"],
    ["address", "0x12"],
    ["bool", "1"],
    ["uint256[]", hash],
    ["(address,uint256)", hash],
    ["(address,uint256)", '["0x12","1"]'],
    ["(uint256,uint256)", '["1"]'],
    ["uint256[]", '[["1"]]'],
    ["uint256[]", "[1.5]"],
    ["wad", "7"],
    ["__proto__", "7"],
    [`uint256${"[]".repeat(40)}`, `${"[".repeat(40)}${"]".repeat(40)}`.replace("[]", '["1"]')],
    ["]", "[]x"],
    ["(", "()"],
  ])("args: keeps a value of %s that is %s as text", (type, value) => {
    expect(read(type, value)).toBe(value)
  })

  it("args: names unnamed parameters, and those with the name of an earlier one, by position", () => {
    const params = [param("uint8", "1", "a"), param("uint8", "2", ""), param("uint8", "3", "a")]

    expect(args({ params })).toEqual({ a: 1n, "1": 2n, "2": 3n })
  })

  it("args: accepts any name as that of a property", () => {
    const found = args({ params: [param("uint8", "1", "__proto__"), param("uint8", "2", "constructor")] })

    expect(Object.entries(found)).toEqual([
      ["__proto__", 1n],
      ["constructor", 2n],
    ])
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype)
  })

  it("args: reads long types of many values without reading a type twice", () => {
    const type = `(${"uint256,".repeat(5_000)}uint256)[]`
    const row = JSON.stringify(Array.from({ length: 5_001 }, () => "1"))

    expect(read(type, `[${row},${row}]`)).toHaveLength(2)
  })
})
