/** Every export says what it is, in which category, since when, and where it comes from. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const folder = join(import.meta.dirname, "../src")
const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && file !== "index.ts")

interface Export {
  readonly name: string
  readonly doc: string
}

const exportsOf = (text: string): ReadonlyArray<Export> =>
  [...text.matchAll(/^export (?:const|type|interface|class|function) (\w+)/gm)].map((match) => {
    const before = text.slice(0, match.index).trimEnd()
    return { name: match[1]!, doc: before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : "" }
  })

describe.each(files)("%s", (file) => {
  const text = readFileSync(join(folder, file), "utf8")
  const found = exportsOf(text)

  it("has a summary line for every export", () => {
    const undocumented = found.filter(({ doc }) => !/^\/\*\*(?:\n \*)? [A-Z0-9]/.test(doc))
    expect(undocumented.map(({ name }) => name)).toEqual([])
  })

  it("cites the source of every export", () => {
    // A type and its schema have one name and one source.
    const sourced = new Set(found.filter(({ doc }) => /Source: \S/.test(doc)).map(({ name }) => name))
    expect(found.filter(({ name }) => !sourced.has(name)).map(({ name }) => name)).toEqual([])
  })
})
