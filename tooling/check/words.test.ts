import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "./Workspace.ts"
import { find, findPaths, format, readList, wordsOf } from "./words.ts"
import type { Entry, WordList } from "./words.ts"

const list = (...words: ReadonlyArray<Entry>): WordList => ({ exempt: [], words })
const told: Entry = { word: "told|tells?", use: "reported" }
const portion: Entry = { name: "Portion", use: "BlockRange" }

const found = (file: string, text: string, words: WordList): ReadonlyArray<string> =>
  find(file, text, words).map(format)

describe("wordsOf", () => {
  it.each([
    ["isLeaseTold", "is lease told"],
    ["readURLOf", "read url of"],
    ["MAX_SIZE", "max size"],
    ["#x2Told", "#x2 told"],
  ])("splits %s into the words %s", (identifier, words) => {
    expect(wordsOf(identifier)).toBe(words)
  })
})

describe("find", () => {
  it("find: matches a word in identifiers, comments, strings and titles, but not a part of a longer word", () => {
    const text = `// It tells.\nconst isLeaseTold = "was told"\nit("tells \${a}", b)\nconst teller = "foretold"`

    expect(found("a.ts", text, list(told))).toEqual([
      'a.ts:1: "tells": write reported',
      'a.ts:2: "told": write reported',
      'a.ts:2: "told": write reported',
      'a.ts:3: "tells": write reported',
    ])
  })

  it("find: matches a phrase across the lines of a comment, on its first line", () => {
    const text = "/**\n * Kept for\n * ever.\n */\n"

    expect(found("a.ts", text, list({ word: "for ever", use: "always" }))).toEqual(['a.ts:2: "for ever": write always'])
  })

  it("find: matches a name as a whole and in exactly its case, and in prose only in code", () => {
    const text = "// A Portion of `Portion.of`.\nclass Portion {}\nconst portion = new BlockPortion()"

    expect(found("a.ts", text, list(portion))).toEqual([
      'a.ts:1: "Portion": write BlockRange',
      'a.ts:2: "Portion": write BlockRange',
    ])
  })

  it("find: matches the name of a file", () => {
    expect(found("src/Portion.test.ts", "", list(portion))).toEqual([
      'src/Portion.test.ts:1: "Portion": write BlockRange',
    ])
  })

  it("find: ignores strings of tests, which are data", () => {
    expect(found("packages/x/test/a.ts", `const a = "told"`, list(told))).toEqual([])
  })

  it("find: ignores the addresses of links in Markdown", () => {
    const text = "[told](docs/told.md), https://a.b/told"

    expect(found("a.md", text, list(told))).toEqual(['a.md:1: "told": write reported'])
  })

  it("find: ignores a match inside an excepted phrase", () => {
    const words = list({ word: "says?", use: "states", except: "(?:interface|RFC \\d+) says" })

    expect(found("a.md", "What the interface says, RFC 9110 says, and a node says.", words)).toHaveLength(1)
  })

  it("find: ignores scopes and folders to which an entry does not apply", () => {
    const words = list({ ...told, in: ["comments"], under: ["packages/x"] })

    expect(found("packages/x/a.ts", `const told = "told" // told`, words)).toHaveLength(1)
    expect(found("packages/xy/a.ts", "// told", words)).toEqual([])
  })

  it("find: ignores exempt paths, and those that an entry allows", () => {
    const exempt = [{ path: "a", reason: "data" }]
    const words = { exempt, words: [{ ...told, allow: [{ path: "b/c.ts", reason: "data" }] }] }

    expect(["a/x.ts", "b/c.ts", "b/d.ts"].filter((file) => found(file, "// told", words).length > 0)).toEqual([
      "b/d.ts",
    ])
  })
})

describe("findPaths", () => {
  it("findPaths: reports a folder once", () => {
    const words = list({ path: "packages/[^/]+/src/index/", use: "indexer/" })
    const paths = ["packages/x/src/index/A.ts", "packages/x/src/index/B.ts", "packages/x/src/index.ts"]

    expect(findPaths(paths, words).map(format)).toEqual([
      'packages/x/src/index/:1: "packages/x/src/index/": write indexer/',
    ])
  })
})

describe("words.json", () => {
  it("words.json: forbids no name of the interface's wire format", () => {
    const page = readFileSync(join(root, "docs/interface.md"), "utf8")
    const names = [...page.matchAll(/^\|(?<cell>[^|]*)\|/gm)]
      .flatMap(({ groups }) => [...(groups?.["cell"] ?? "").matchAll(/`(?<name>\w+)`/g)])
      .map(({ groups }) => groups?.["name"] ?? "")

    expect(names.length).toBeGreaterThan(90)
    expect(
      found("packages/schema/src/A.ts", `type A = { ${names.map((name) => `${name}: 1`).join()} }`, readList()),
    ).toEqual([])
  })

  it("words.json: gives a reason for each exception, and names paths that exist", () => {
    const { exempt, words } = readList()
    const allowed = [...exempt, ...words.flatMap(({ allow = [] }) => allow)]

    expect(allowed.filter(({ path, reason }) => reason === "" || !existsSync(join(root, path)))).toEqual([])
  })
})
