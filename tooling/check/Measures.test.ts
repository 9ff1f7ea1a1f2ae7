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

  it("measure: counts files over 300 and 500 lines, sources apart from tests", () => {
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

  it("measure: counts tags of docstrings, and comments that switch a check off", () => {
    const measures = measured({
      "packages/x/src/A.ts": "/**\n * A.\n *\n * @since 0.1.0\n */\n// @ts-expect-error wrong\nconst a = '@since'\n",
    })

    expect(places(measures, "tags")).toEqual(["packages/x/src/A.ts:4 * @since 0.1.0"])
    expect(places(measures, "marks")).toEqual(["packages/x/src/A.ts:6 @ts-expect-error wrong"])
  })
})
