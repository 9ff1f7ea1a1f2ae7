import { describe, expect, it } from "vitest"
import * as EnumNames from "../../src/contract/EnumNames.ts"

const source = `
// enum Commented { A, B }
pragma solidity ^0.8.0;
enum Side { Buy, Sell }
interface IVault { enum Term { Short, Long, /* enum Inner { X } */ Endless } }
contract Vault {
  string text = "enum Quoted { A } }";
  struct Lock { uint256 amount; }
  function open() external { if (true) { } }
  enum State {
    Open, // open
    Closed
  }
}
`

describe("EnumNames", () => {
  it("fromSource: finds enums in files and contracts, but none in comments and texts", () => {
    expect([...EnumNames.fromSource(source)]).toEqual([
      ["Side", ["Buy", "Sell"]],
      ["IVault.Term", ["Short", "Long", "Endless"]],
      ["Vault.State", ["Open", "Closed"]],
    ])
    expect(EnumNames.fromSource(`enum A { B }${" ".repeat(EnumNames.maxCharacters)}`).size).toBe(0)
  })

  it("fromSource: reads unterminated texts and comments only once", () => {
    const [text, comment] = [String.raw`\"`.repeat(250_000), "/* ".repeat(250_000)]

    expect([...EnumNames.fromSource(`enum A { B } "${text}\nenum C { D }`)]).toEqual([
      ["A", ["B"]],
      ["C", ["D"]],
    ])
    expect([...EnumNames.fromSource(`enum A { B } ${comment} enum C { D }`)]).toEqual([["A", ["B"]]])
  })

  it("join: omits a name that two sources declare differently", () => {
    const joined = EnumNames.join(
      ["enum A { X } enum B { Y }", "enum A { X }", "enum B { Z }"].map(EnumNames.fromSource),
    )

    expect([...joined]).toEqual([["A", ["X"]]])
  })

  it("addTo: adds names to parameters, results and struct fields by the type that the compiler states", () => {
    const side = { name: "side", type: "uint8", internalType: "enum Side" }
    const terms = { name: "terms", type: "uint8[]", internalType: "enum IVault.Term[]" }
    const order = { name: "order", type: "tuple", internalType: "struct Order", components: [side] }
    const names = EnumNames.fromSource(source)

    const [item] = EnumNames.addTo([{ type: "function", name: "f", inputs: [order, terms], outputs: [side] }], names)

    expect(item).toMatchObject({
      inputs: [{ components: [{ enum: ["Buy", "Sell"] }] }, { enum: ["Short", "Long", "Endless"] }],
      outputs: [{ enum: ["Buy", "Sell"] }],
    })
    expect(EnumNames.addTo([null, { inputs: [{ internalType: "enum Other" }] }], names)).toMatchObject([
      null,
      { inputs: [{ enum: undefined }] },
    ])
  })

  it("fromSource: searches a hostile source in time that grows with its length", () => {
    for (const text of ["enum ", "{", "/*", '"', "contract A ", "enum A {", "\\"]) {
      const repeated = text.repeat(Math.floor(EnumNames.maxCharacters / text.length))
      expect(EnumNames.fromSource(repeated).size).toBe(0)
    }
  })
})
