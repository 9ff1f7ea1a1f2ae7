/**
 * Every export has a docstring with a summary and a source. A resource has it on its constant, whose type of the same
 * name inherits it, and its encoded form needs no separate source.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const folder = join(import.meta.dirname, "../src")
const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && file !== "index.ts")

interface Export {
  readonly kind: string
  readonly name: string
  readonly doc: string
}

const exportsOf = (text: string): ReadonlyArray<Export> =>
  [...text.matchAll(/^export (const|type|interface|class|function) (\w+)/gm)].map((match) => {
    const before = text.slice(0, match.index)
    return {
      kind: match[1]!,
      name: match[2]!,
      doc: before.endsWith("*/\n") ? before.slice(before.lastIndexOf("/**")) : "",
    }
  })

describe.each(files)("%s", (file) => {
  const found = exportsOf(readFileSync(join(folder, file), "utf8"))
  const constants = new Set(found.filter(({ kind }) => kind === "const").map(({ name }) => name))
  const isInherited = ({ kind, name }: Export) => (kind === "type" || kind === "interface") && constants.has(name)
  const isEncoded = ({ kind, name }: Export) => kind === "interface" && constants.has(name.replace(/Wire$/, ""))

  it("documents every export with a summary line", () => {
    const undocumented = found.filter((one) => !isInherited(one) && !/^\/\*\*(?:\n \*)? [A-Z0-9`]/.test(one.doc))
    expect(undocumented.map(({ name }) => name)).toEqual([])
  })

  it("documents a resource once, on its constant", () => {
    expect(found.filter((one) => isInherited(one) && one.doc !== "").map(({ name }) => name)).toEqual([])
  })

  it("cites the source of every export", () => {
    const unsourced = found.filter((one) => !isInherited(one) && !isEncoded(one) && !/Source: \S/.test(one.doc))
    expect(unsourced.map(({ name }) => name)).toEqual([])
  })

  it("cites a source once in each docstring", () => {
    expect(found.filter(({ doc }) => (doc.match(/Source:/g) ?? []).length > 1).map(({ name }) => name)).toEqual([])
  })
})
