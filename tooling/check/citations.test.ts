import { describe, expect, it } from "vitest"
import { anchors, documentsOf, issues, repeated } from "./citations.ts"
import type { Documents } from "./citations.ts"
import { root } from "./Workspace.ts"

const documents: Documents = {
  exists: (path) => ["README.md", "docs/interface.md", "packages/x/src"].includes(path),
  anchors: (path) => (path.endsWith(".md") && documents.exists(path) ? new Set(["2.8", "4.2", "setup"]) : undefined),
  decisions: new Set(["0011", "0012", "0013"]),
  scripts: new Map([["@daybook/x", new Set(["fuzz", "fuzz:long"])]]),
}

const messages = (file: string, text: string): ReadonlyArray<string> =>
  issues(file, text, documents).map((issue) => issue.message)

describe("anchors", () => {
  it("anchors: are the explicit ones, and the headings in lower case with hyphens", () => {
    expect([...anchors('<a id="2.8"></a>\n### 2.8 Block\n\n## `A` _page_, twice\n## A _page_ twice\n')]).toEqual([
      "2.8",
      "28-block",
      "a-_page_-twice",
      "a-_page_-twice-1",
    ])
  })

  it("anchors: ignores headings in code blocks", () => {
    expect([...anchors("```sh\n# comment\n```\n")]).toEqual([])
  })
})

describe("issues", () => {
  it("issues: accepts citations of sections and decisions that exist", () => {
    const text = "/** Source: docs/interface.md#2.8 and #4.2; decisions 0011 to 0013; EIP-1559. */\n// Decision 0012."

    expect(messages("a.ts", text)).toEqual([])
  })

  it("issues: reports a section, a document and a decision that do not exist", () => {
    const text =
      "// docs/interface.md#2.9, docs/interface.md#4.2 and #4.9, docs/other.md\n// Decisions 0011, 0014 and 0015."

    expect(messages("a.ts", text)).toEqual([
      "docs/interface.md has no anchor #2.9",
      "docs/interface.md has no anchor #4.9",
      "docs/other.md does not exist",
      "decision 0014 does not exist in docs/decisions",
      "decision 0015 does not exist in docs/decisions",
    ])
  })

  it("issues: reports each missing page of a range", () => {
    expect(messages("a.md", "decisions 0012 to 0015")).toEqual([
      "decision 0014 does not exist in docs/decisions",
      "decision 0015 does not exist in docs/decisions",
    ])
  })

  it("issues: reports a script that its package does not have, also across two lines of a comment", () => {
    const text =
      "`pnpm --filter @daybook/x fuzz`, `pnpm --filter @daybook/x fuzz:long --seeds 3`, `pnpm --filter @daybook/x tears`"

    expect(messages("a.md", text)).toEqual(["@daybook/x has no script tears"])
    expect(messages("a.ts", "/**\n * Run by `pnpm --filter\n * @daybook/x lives`.\n */")).toEqual([
      "@daybook/x has no script lives",
    ])
    expect(messages("a.md", "`pnpm --filter @daybook/x exec tsc`, `pnpm --filter @other/y build`")).toEqual([])
  })

  it("issues: reports the obsolete forms with what to write", () => {
    expect(messages("a.ts", "/** Source: interface 4.1.1; decision 9. */")).toEqual([
      'interface 4.1.1 is obsolete: write "docs/interface.md#4.1.1"',
      'decision 9 is obsolete: write the four digits of its page, "decision 0009"',
    ])
  })

  it("issues: reports a second section that is written without its anchor", () => {
    expect(messages("a.ts", "// Source: docs/interface.md#4.2 and 4.3, rules 1 and 2.")).toEqual([
      'section 4.3 is cited without its anchor: write "#4.3"',
    ])
  })

  it("issues: reads a citation across the lines of a comment and reports its first line", () => {
    const text =
      "const a = 1\n/**\n * Text. Source: decisions 0011,\n * 0012 and\n * 0019.\n */\n// see interface\n// 2.2"

    expect(issues("a.ts", text, documents)).toEqual([
      { line: 3, message: "decision 0019 does not exist in docs/decisions" },
      { line: 7, message: 'interface 2.2 is obsolete: write "docs/interface.md#2.2"' },
    ])
  })

  it("issues: ignores the code of a source", () => {
    expect(messages("a.ts", 'interface A {}\nconst a = "decision 9, interface 2.2"')).toEqual([])
  })

  it("issues: reports relative links whose file or anchor does not exist", () => {
    const text =
      "[a](../../README.md#setup) [b](../../README.md#gone) [c](src) [d](gone.md)\n[e](https://a.b/c.md#d)\n\n[f]: ./gone.md\n"

    expect(issues("packages/x/A.md", text, documents)).toEqual([
      { line: 1, message: "link to ../../README.md#gone: README.md has no anchor #gone" },
      { line: 1, message: "link to gone.md: packages/x/gone.md does not exist" },
      { line: 4, message: "link to ./gone.md: packages/x/gone.md does not exist" },
    ])
  })

  it("issues: ignores links in code of a Markdown file", () => {
    expect(messages("a.md", "`[a](gone.md)`\n\n```md\n[b](gone.md)\n```\n")).toEqual([])
  })
})

describe("repeated", () => {
  it("repeated: reports decisions with the number of another one", () => {
    expect(repeated(["0001-a.md", "0002-b.md", "0002-c.md"])).toEqual([
      "docs/decisions/0002-c.md: 0002-b.md has this number",
    ])
  })
})

describe("documentsOf", () => {
  it("documentsOf: finds the sections of the interface and the decision pages of this repository", () => {
    const own = documentsOf(root)
    const sections = own.anchors("docs/interface.md")

    expect(["1", "2.1", "2.9", "4.1.1", "4.3", "9"].filter((section) => sections?.has(section) !== true)).toEqual([])
    expect(own.decisions.has("0011")).toBe(true)
  })
})
