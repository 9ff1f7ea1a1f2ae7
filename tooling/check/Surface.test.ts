import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { entryPoints, surface } from "./Surface.ts"

const paths = ["src/index.ts", "src/A.ts", "src/sub/B.ts", "src/internal/C.ts", "test/A.test.ts"]

describe("entryPoints", () => {
  it("entryPoints: are the modules of a pattern, except those that a longer pattern excludes", () => {
    const exports = { ".": "./src/index.ts", "./internal/*": null, "./*": "./src/*.ts", "./data.json": "./data.json" }

    expect(entryPoints(exports, paths)).toEqual(["src/index.ts", "src/A.ts", "src/sub/B.ts"])
  })

  it("entryPoints: are the modules that are listed, with nested conditions", () => {
    expect(entryPoints({ "./A": { node: { import: "./src/A.ts" } } }, paths)).toEqual(["src/A.ts"])
  })
})

describe("surface", () => {
  const packed = (contents: Readonly<Record<string, string>>): ReadonlyArray<string> => {
    const folder = mkdtempSync(join(tmpdir(), "daybook-surface-"))
    try {
      for (const [path, text] of Object.entries(contents)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      return surface(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it("surface: contains each name once, even if it is re-exported", () => {
    expect(
      packed({
        "package.json": `{ "exports": { ".": "./src/index.ts", "./A": "./src/A.ts" } }`,
        "src/index.ts": `export * as A from "./A.ts"\nexport * from "./B.ts"\nexport { c as d } from "./C.ts"`,
        "src/A.ts": "export const a = 1, b = 2\nexport interface T {}\nexport const T = 1\nconst hidden = 1",
        "src/B.ts": "export function f() {}\nexport class G {}\nexport type { H } from 'x'",
        "src/C.ts": "export const c = 1\nexport const e = 1",
      }),
    ).toEqual(["src/A.ts#T", "src/A.ts#a", "src/A.ts#b", "src/B.ts#G", "src/B.ts#H", "src/B.ts#f", "src/index.ts#d"])
  })
  it("surface: omits an entry that the published package does not keep", () => {
    const exports = `"exports": { ".": "./src/A.ts", "./internal/*": "./src/internal/*.ts" }`
    expect(
      packed({
        "package.json": `{ ${exports}, "publishConfig": { "exports": { ".": "./dist/A.js" } } }`,
        "src/A.ts": "export const a = 1",
        "src/internal/B.ts": "export const b = 1",
      }),
    ).toEqual(["src/A.ts#a"])
  })
})
