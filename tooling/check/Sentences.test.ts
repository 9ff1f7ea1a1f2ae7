import { describe, expect, it } from "vitest"
import { emptyHeadings, ofComments, ofMarkdown } from "./Sentences.ts"
import { parse } from "./Syntax.ts"

const counts = (text: string) => ofMarkdown(text).map(({ line, words }) => [line, words])

describe("ofMarkdown", () => {
  it("ofMarkdown: ends a sentence at its mark, and not inside a number, an abbreviation or a path", () => {
    expect(counts("Effect 4.1 runs, e.g. here. Is `a b. c` one? Yes (it is.) Done")).toEqual([
      [1, 5],
      [1, 3],
      [1, 3],
      [1, 1],
    ])
  })

  it("ofMarkdown: treats headings, list items and table cells as separate texts, and omits code", () => {
    const text = ["# A title", "Two", "lines", "- an item", "  of two lines", "| a b | c |", "```ts", "x y z", "```"]

    expect(counts(text.join("\n"))).toEqual([
      [1, 2],
      [2, 2],
      [4, 5],
      [6, 2],
      [6, 1],
    ])
  })

  it("ofMarkdown: reads the label of a link, not its address", () => {
    expect(counts("See [the page](docs/a b.md).")).toEqual([[1, 3]])
  })
})

describe("ofComments", () => {
  it("ofComments: joins line comments on consecutive lines, and no others", () => {
    const text = "// One two\n// three.\nf()\n// Four\n\n// five\n"

    expect(ofComments(parse("a.ts", text)).map(({ line, words }) => [line, words])).toEqual([
      [1, 3],
      [4, 1],
      [6, 1],
    ])
  })

  it("ofComments: reads a docstring without its margin, with its tags as separate texts", () => {
    const text = "/**\n * Adds\n * two.\n *\n * @param a one\n */\nf()\n"

    expect(ofComments(parse("a.ts", text)).map(({ line, text: read }) => [line, read])).toEqual([
      [2, "Adds two."],
      [5, "@param a one"],
    ])
  })
})

describe("emptyHeadings", () => {
  it("emptyHeadings: finds a heading that the next one of its level, a higher one or the end follows", () => {
    const text = "# Page\n\n## One\n\n## Two\n\n### Three\n\n## Four\n\nText.\n\n## Five\n"

    expect(emptyHeadings(text)).toEqual(["3 One", "7 Three", "13 Five"])
  })

  it("emptyHeadings: treats a block of code as text, and a shell comment in it as no heading", () => {
    expect(emptyHeadings("# Page\n\n```sh\n# a comment\n```\n")).toEqual([])
  })
})
