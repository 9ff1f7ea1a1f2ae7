import { describe, expect, it } from "vitest"
import { tokens } from "./Tokens.ts"

const of = (kind: string, text: string): ReadonlyArray<string> =>
  tokens("x.ts", text)
    .filter((token) => token.kind === kind)
    .map((token) => token.text)

describe("tokens", () => {
  it("tokens: reports variables, parameters and the names that patterns bind", () => {
    const text = "const { a: b, ...c } = x\nconst [d = 1] = y\nfunction f(g: T, { h: i }: U) { try {} catch (j) {} }"

    expect(of("identifier", text)).toEqual(["b", "c", "d", "f", "g", "i", "j"])
  })

  it("tokens: reports types, their members and type parameters", () => {
    const text =
      "interface A<B> { c: string; d(e: number): void }\ntype F = (g: number) => void\nclass H { #i = 1; j() {} }"

    expect(of("identifier", text)).toEqual(["A", "B", "c", "e", "d", "F", "g", "H", "i", "j"])
  })

  it("tokens: reports keys of object literals, but neither uses nor shorthands of a name", () => {
    const text = "run({ a: b.c, d }, e)\nconst { f } = g"

    expect(of("identifier", text)).toEqual(["a"])
  })

  it("tokens: reports the new name of an import or export, but not a name that another module chose", () => {
    const text = `import { a, b as c } from "x"\nimport * as D from "y"\nexport { e as f, g }\nexport * as H from "z"`

    expect(of("identifier", text)).toEqual(["c", "D", "f", "H"])
  })

  it("tokens: reports strings and the pieces of templates, but not the names of modules", () => {
    const text = `import a from "module"\nconst b = ["one", \`two \${c} three\`]\ntype D = "four"`

    expect(of("string", text)).toEqual(["one", "two ", " three", "four"])
  })

  it("tokens: reports the first argument of describe, it and their variants as a title", () => {
    const text = `describe("a", () => {\n  it.effect.each([1])("b", () => f("c"))\n  it(\`d \${e}\`, g)\n})`

    expect(of("title", text)).toEqual(["a", "b", "d "])
    expect(of("string", text)).toEqual(["c"])
  })

  it("tokens: returns the line on which each comment begins", () => {
    const text = "const a = 1 // one\n/**\n * Two.\n */\nconst b = 2"

    expect(tokens("x.ts", text).filter((token) => token.kind === "comment")).toEqual([
      { kind: "comment", text: " one", line: 1 },
      { kind: "comment", text: "*\n * Two.\n ", line: 2 },
    ])
  })
})
