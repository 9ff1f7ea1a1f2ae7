import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { measure } from "./Measures.ts"
import type { Measure } from "./Measures.ts"

const measured = (contents: Readonly<Record<string, string>>): ReadonlyArray<Measure> => {
  const base = mkdtempSync(join(tmpdir(), "daybook-measures-"))
  try {
    const manifest = `{ "name": "x", "exports": { "./*": "./src/*.ts" } }`
    for (const [path, text] of Object.entries({ "packages/x/package.json": manifest, ...contents })) {
      mkdirSync(dirname(join(base, path)), { recursive: true })
      writeFileSync(join(base, path), text)
    }
    return measure(base)
  } finally {
    rmSync(base, { recursive: true })
  }
}

const places = (measures: ReadonlyArray<Measure>, key: string) => measures.find((one) => one.key === key)?.places

const long = (name: string, lines: number): string => `const ${name} = () => {${"\n".repeat(lines - 1)}}\n`

describe("measure", () => {
  it("measure: counts a function over 100 lines, but not one of 100", () => {
    const measures = measured({
      "packages/x/src/A.ts": long("a", 101) + long("b", 100),
      "packages/x/test/b.ts": long("c", 102),
    })

    expect(places(measures, "functions-100")).toEqual(["101 a (packages/x/src/A.ts:1)"])
    expect(places(measures, "functions-60")).toHaveLength(2)
    expect(places(measures, "test-functions-100")).toEqual(["102 c (packages/x/test/b.ts:1)"])
  })

  it("measure: counts files over 300 and 500 lines, sources separately from tests", () => {
    const measures = measured({
      "packages/x/src/A.ts": "\n".repeat(301),
      "packages/x/src/B.ts": "\n".repeat(300),
      "packages/x/src/C.test.ts": "\n".repeat(501),
    })

    expect(places(measures, "files-300")).toEqual(["301 packages/x/src/A.ts"])
    expect(places(measures, "files-500")).toEqual([])
    expect(places(measures, "test-files-500")).toEqual(["501 packages/x/src/C.test.ts"])
  })

  it("measure: names the longest function of each package", () => {
    const measures = measured({ "packages/x/src/A.ts": long("a", 3) + long("b", 4), "tooling/run.mjs": long("c", 2) })

    expect(measures.filter(({ key }) => key === "longest").map(({ label, value }) => [label, value])).toEqual([
      ["longest function", "4 b (A.ts:4)"],
      ["  packages/x", "4 b (A.ts:4)"],
      ["  tooling", "2 c (run.mjs:1)"],
    ])
  })

  it("measure: counts the names that a package exports", () => {
    const measures = measured({ "packages/x/src/A.ts": "export const a = 1\nconst b = 2\n" })

    expect(places(measures, "exports-x")).toEqual(["packages/x/src/A.ts#a"])
  })

  it("measure: counts property tests and sleeps in tests, and no sleep in a source", () => {
    const measures = measured({
      "packages/x/src/A.ts": "setTimeout(f, 1)",
      "packages/x/test/A.test.ts": [
        `import { setTimeout as delay } from "node:timers/promises"`,
        "it.effect.prop('a', b, c)",
        "fc.assert(d)",
        "Effect.sleep(1)",
        "setTimeout(f, 1)",
        "await delay(1)",
      ].join("\n"),
    })

    expect(places(measures, "properties")).toEqual([
      "packages/x/test/A.test.ts:2 it.effect.prop",
      "packages/x/test/A.test.ts:3 fc.assert",
    ])
    expect(places(measures, "sleeps")).toEqual([
      "packages/x/test/A.test.ts:4 Effect.sleep",
      "packages/x/test/A.test.ts:5 setTimeout",
      "packages/x/test/A.test.ts:6 delay",
    ])
  })

  it("measure: counts tags of docstrings, and comments that disable a check", () => {
    const measures = measured({
      "packages/x/src/A.ts": "/**\n * A.\n *\n * @since 0.1.0\n */\n// @ts-expect-error wrong\nconst a = '@since'\n",
    })

    expect(places(measures, "tags")).toEqual(["packages/x/src/A.ts:4 * @since 0.1.0"])
    expect(places(measures, "marks")).toEqual(["packages/x/src/A.ts:6 @ts-expect-error wrong"])
  })

  it("measure: counts backward arrows and folders in a circle, for all packages and for each with one", () => {
    const measures = measured({
      "packages/x/src/a/A.ts": `import "../b/B.ts"\n`,
      "packages/x/src/b/B.ts": `import "../a/C.ts"\nimport "../a/C.ts"\n`,
    })

    expect(places(measures, "arrows-back")).toEqual(["packages/x: a -> b (packages/x/src/a/A.ts:1)"])
    expect(places(measures, "arrows-back-packages/x")).toHaveLength(1)
    expect(places(measures, "folders-circle")).toEqual(["packages/x/src/a", "packages/x/src/b"])
  })

  it("measure: adds up the lines of the service, of its tests and of the tooling", () => {
    const measures = measured({
      "packages/service/src/A.ts": "\n\n",
      "packages/service/package.json": "{}",
      "packages/service/test/A.test.ts": "\n",
      "packages/x/src/A.ts": "\n\n\n",
      "tooling/check/a.ts": "\n",
      "tooling/check/a.test.ts": "\n\n\n\n",
    })

    expect(measures.filter(({ key }) => key === "lines").map(({ value }) => value)).toEqual([
      "11",
      "2",
      "1",
      "3",
      "0",
      "5",
    ])
  })

  it("measure: counts decision pages, spreads of literals and long sentences, each in its own row", () => {
    const sentence = Array.from({ length: 36 }, () => "word").join(" ")
    const measures = measured({
      "docs/decisions/0001-a.md": `${sentence}.\n`,
      "docs/decisions/README.md": "An index.\n",
      "packages/x/src/A.ts": `// ${sentence}\nconst a = { ...{ b }, ...(c ? {} : { c }) }\n`,
      "packages/x/test/A.test.ts": `// ${sentence.slice(5)}\nconst a = { ...{ b } }\n`,
    })

    expect(places(measures, "decisions")).toEqual(["0001-a.md"])
    expect(places(measures, "spreads-sources")).toEqual(["packages/x/src/A.ts:2"])
    expect(places(measures, "spreads-tests")).toEqual(["packages/x/test/A.test.ts:2"])
    expect(places(measures, "conditional-spreads")).toEqual(["packages/x/src/A.ts:2"])
    expect(places(measures, "sentences-documents")).toEqual([`docs/decisions/0001-a.md:1 36 ${sentence}.`])
    expect(places(measures, "sentences")).toHaveLength(2)
  })
})
