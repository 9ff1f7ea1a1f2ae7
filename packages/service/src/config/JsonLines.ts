/**
 * Lines of the values in a JSON text, by path, and duplicate keys, of which `JSON.parse` keeps the last value.
 */
import * as Issue from "@daybook/schema/Issue"
import * as JsonParser from "jsonc-parser"

/** The lines of a text. */
export interface JsonLines {
  /** Line of a path, or of the nearest enclosing object or array if the text has no value there. */
  readonly lineOf: (path: string) => number
  /** Whether the text has a value at a path. */
  readonly hasValue: (path: string) => boolean
  /** Path of the first duplicate key; `undefined` if there is none. */
  readonly repeated: string | undefined
}

const parentOf = (path: string): string => path.replace(/(?:^|\.)[^.[]*$|\[\d+\]$/, "")

/** Reads the lines of a text. */
export const make = (text: string): JsonLines => {
  const lines = new Map<string, number>()
  let [line, at] = [1, 0]
  let repeated: string | undefined
  // Values are visited in the order of the text.
  const lineAt = (offset: number): number => {
    for (; at < offset; at++) if (text[at] === "\n") line++
    return line
  }
  const visit = (node: JsonParser.Node, path: ReadonlyArray<string | number>, offset: number): void => {
    lines.set(Issue.formatPath(path), lineAt(offset))
    const keys = new Set<unknown>()
    for (const [index, child] of (node.children ?? []).entries()) {
      if (node.type === "array") visit(child, [...path, index], child.offset)
      const [key, value] = child.children ?? []
      if (node.type === "object" && key !== undefined && value !== undefined) {
        const valuePath = [...path, String(key.value)]
        if (keys.has(key.value)) repeated ??= Issue.formatPath(valuePath)
        keys.add(key.value)
        visit(value, valuePath, key.offset)
      }
    }
  }
  const root = JsonParser.parseTree(text)
  if (root !== undefined) visit(root, [], root.offset)
  const lineOf = (path: string): number => {
    let nearest = path
    while (nearest !== "" && !lines.has(nearest)) nearest = parentOf(nearest)
    return lines.get(nearest) ?? 1
  }
  return { lineOf, hasValue: (path) => lines.has(path), repeated }
}
