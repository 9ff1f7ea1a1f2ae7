import { describe, expect, it } from "vitest"
import { lengths } from "./Functions.ts"
import { parse } from "./Syntax.ts"

const of = (text: string) => lengths(parse("x.ts", text)).map(({ name, line, lines }) => `${name}:${line} has ${lines}`)

describe("lengths", () => {
  it("lengths: counts the lines of declarations, expressions, arrows and methods", () => {
    const text = [
      "export function a() {",
      "}",
      "const b = () =>",
      "  1",
      "const c = { d() {}, e: function () {} }",
      "class F { g = () => 1; h() {",
      "} }",
    ].join("\n")

    expect(of(text)).toEqual(["a:1 has 2", "b:3 has 2", "d:5 has 1", "e:5 has 1", "g:6 has 1", "h:6 has 2"])
  })

  it("lengths: names a callback by the enclosing function and the one that receives it", () => {
    const text =
      "const run = (a) =>\n  Effect.gen(function* () {\n    yield* b.pipe(Effect.map(() => 1))\n  })\nlist.map(() => 1)"

    expect(of(text)).toEqual([
      "run:1 has 4",
      "run > Effect.gen:2 has 3",
      "run > Effect.gen > Effect.map:3 has 1",
      "list.map:5 has 1",
    ])
  })

  it("lengths: names a function that is passed to a wrapper by its variable", () => {
    expect(of("const load = Effect.fn('load')(function* () {})")).toEqual(["load:1 has 1"])
  })

  it("lengths: excludes the callbacks of describe and layer, but not the tests in them", () => {
    expect(of("describe('a', () => {\n  it('b', () => {})\n})\nlayer(c)('d', (it) => {})")).toEqual(["it:2 has 1"])
  })
})
