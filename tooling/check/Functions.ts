/** Lengths of the functions of a source. Nested functions count on their own and as part of the outer one. */
import { child, children, qualifiedName, textOf, walk } from "./Syntax.ts"
import type { Node, Syntax } from "./Syntax.ts"

/** A function of a source. */
export interface Length {
  /** Name of the function; for a callback, the names of the enclosing function and of the called function: `run > Effect.gen`. */
  readonly name: string
  readonly line: number
  /** Number of lines, including the first and the last one. */
  readonly lines: number
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

/** Callbacks that only group tests. */
const grouping = /^(?:describe\b|(?:it\.)?layer\b)/

const nameOf = (node: Node | undefined): string => (node === undefined ? "" : (textOf(node, "name") ?? ""))

/** Name that a node assigns to a function inside it; the empty text if it assigns none. */
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
  const functionName = nameOf(child(node, "id"))
  if (functionName !== "") return functionName
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

/** Functions of a source in order. Callbacks of `describe` and `layer` are omitted. */
export const lengths = (syntax: Syntax): ReadonlyArray<Length> => {
  const collected: Array<Length> = []
  walk(syntax.program, (node, ancestors) => {
    if (!functionTypes.has(node.type) || grouping.test(taker(node, ancestors.at(-1)))) return
    const line = syntax.lineAt(node.start)
    collected.push({ name: describeFunction(node, ancestors), line, lines: syntax.lineAt(node.end - 1) - line + 1 })
  })
  return collected
}
