import { describe, expect, it } from "vitest"
import * as Source from "./Source.ts"

describe("imports", () => {
  it("imports: distinguishes imports of types from imports of values", () => {
    const text = `import type { A } from "a"\nimport { type B } from "b"\nimport { type C, c } from "c"`

    expect(Source.imports("x.ts", text)).toEqual([
      { specifier: "a", line: 1, typeOnly: true },
      { specifier: "b", line: 2, typeOnly: true },
      { specifier: "c", line: 3, typeOnly: false },
    ])
  })

  it("imports: ignores comments and strings", () => {
    expect(Source.imports("x.ts", `// import "a"\nexport const text = 'import "b"'`)).toEqual([])
  })

  it("imports: fails on a source that does not parse, with its name", () => {
    expect(() => Source.imports("x.ts", "import {")).toThrow(/^x\.ts: /)
  })
})

describe("markdownExamples", () => {
  it("markdownExamples: returns the code, its first line and the words after the language", () => {
    const text = "Text\n```ts run needs-service\nconst a = 1\n```\n```json\n{}\n```\n```ts\nb()\n```\n"

    expect(Source.markdownExamples(text)).toEqual([
      { code: "const a = 1\n", line: 3, words: ["run", "needs-service"] },
      { code: "b()\n", line: 9, words: [] },
    ])
  })
})

describe("docExamples", () => {
  it("docExamples: returns only the blocks of docstrings, without their margin", () => {
    const text =
      "/**\n * **Example** (Adding)\n *\n * ```ts\n * const a = {\n *   b: 1,\n * }\n * ```\n */\nexport const a = 1\n/* ```ts\nno()\n``` */\n"

    expect(Source.docExamples("x.ts", text)).toEqual([{ code: "const a = {\n  b: 1,\n}\n", line: 5, words: [] }])
  })
})
