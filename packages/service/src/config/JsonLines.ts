/**
 * The lines of a JSON text at which its values stand, by their paths.
 */
import * as Issue from "@daybook/schema/Issue"
import * as JsonParser from "jsonc-parser"

/** Finds the line of a path; that of the nearest object or array around it, where the text has no value there. */
export type LineOf = (path: string) => number

const parentOf = (path: string): string => path.replace(/(?:^|\.)[^.[]*$|\[\d+\]$/, "")

/** Reads the lines of a text. */
export const make = (text: string): LineOf => {
  const lines = new Map<string, number>()
  let [line, at] = [1, 0]
  // Values are visited in the order of the text.
  const lineAt = (offset: number): number => {
    for (; at < offset; at++) if (text[at] === "\n") line++
    return line
  }
  const visit = (node: JsonParser.Node, path: ReadonlyArray<string | number>, offset: number): void => {
    lines.set(Issue.formatPath(path), lineAt(offset))
    for (const [index, child] of (node.children ?? []).entries()) {
      if (node.type === "array") visit(child, [...path, index], child.offset)
      const [key, value] = child.children ?? []
      if (node.type === "object" && key !== undefined && value !== undefined) {
        visit(value, [...path, String(key.value)], key.offset)
      }
    }
  }
  const root = JsonParser.parseTree(text)
  if (root !== undefined) visit(root, [], root.offset)
  return (path) => {
    let nearest = path
    while (nearest !== "" && !lines.has(nearest)) nearest = parentOf(nearest)
    return lines.get(nearest) ?? 1
  }
}
