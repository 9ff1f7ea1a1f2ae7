/**
 * Lengths of the functions of a source. Nested functions count on their own and as a part of the outer one.
 */
import { child, children, qualifiedName, textOf, walk } from "./Syntax.ts"
import type { Node, Syntax } from "./Syntax.ts"

/** A function of a source. */
export interface Length {
  /** Its name; for a callback the name of the function around it and of the function that takes it: `run > Effect.gen`. */
  readonly name: string
  readonly line: number
  /** Number of lines from its first to its last one. */
  readonly lines: number
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

/** Callbacks that only group tests. */
const grouping = /^(?:describe\b|(?:it\.)?layer\b)/

const nameOf = (node: Node | undefined): string => (node === undefined ? "" : (textOf(node, "name") ?? ""))

/** The name that a node gives to a function inside it; the empty text when it gives none. */
const given = (node: Node): string => {
  switch (node.type) {
    case "VariableDeclarator":
      return nameOf(child(node, "id"))
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return nameOf(child(node, "key")) || (textOf(child(node, "key") ?? node, "value") ?? "")
    case "AssignmentExpression":
      return qualifiedName(child(node, "left") ?? node)
    case "ExportDefaultDeclaration":
      return "default"
    default:
      return ""
  }
}

/** The callee of a call that takes a node as an argument; the empty text for other parents. */
const taker = (node: Node, parent: Node | undefined): string => {
  if (parent?.type !== "CallExpression" || !children(parent, "arguments").includes(node)) return ""
  const callee = child(parent, "callee")
  return callee === undefined ? "" : qualifiedName(callee)
}

const describeFunction = (node: Node, ancestors: ReadonlyArray<Node>): string => {
  const own = nameOf(child(node, "id"))
  if (own !== "") return own
  let callee = ""
  for (let index = ancestors.length - 1; index >= 0; index--) {
    const ancestor = ancestors[index]
    if (ancestor === undefined) break
    callee ||= taker(ancestors[index + 1] ?? node, ancestor)
    const isOuter = functionTypes.has(ancestor.type) && !grouping.test(taker(ancestor, ancestors[index - 1]))
    const name = isOuter
      ? `${describeFunction(ancestor, ancestors.slice(0, index))} > ${callee || "callback"}`
      : given(ancestor)
    if (name !== "") return name
  }
  return callee || "callback"
}

/** The functions of a source, in the order of the text. Callbacks of `describe` and `layer` are left out. */
export const lengths = (syntax: Syntax): ReadonlyArray<Length> => {
  const found: Array<Length> = []
  walk(syntax.program, (node, ancestors) => {
    if (!functionTypes.has(node.type) || grouping.test(taker(node, ancestors.at(-1)))) return
    const line = syntax.lineAt(node.start)
    found.push({ name: describeFunction(node, ancestors), line, lines: syntax.lineAt(node.end - 1) - line + 1 })
  })
  return found
}
