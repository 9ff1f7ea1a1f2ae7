/**
 * The syntax tree of a TypeScript or JavaScript source, for checks that distinguish its identifiers, comments, strings
 * and functions.
 */
import { parseSync } from "oxc-parser"

/** A node of the tree. Members beyond these depend on `type`; `child` and `children` read them. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** A comment without its delimiters. */
export interface Comment {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** A parsed source. */
export interface Syntax {
  readonly file: string
  readonly text: string
  readonly program: Node
  readonly comments: ReadonlyArray<Comment>
  /** Line number, from 1, of an offset of the text. */
  readonly lineAt: (offset: number) => number
}

/** True for a file that `parse` reads. */
export const isSource = (file: string): boolean => /\.[cm]?[jt]sx?$/.test(file)

/** Line numbers, from 1, of the offsets of a text. */
export const lines = (text: string): ((offset: number) => number) => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

const parsedFiles = new Map<string, Syntax>()

/** Parses a source, once for the checks of one process; throws with its name when it is not valid. */
export const parse = (file: string, text: string): Syntax => {
  const known = parsedFiles.get(file)
  if (known?.text === text) return known
  const parsed = parseSync(file, text)
  const [error] = parsed.errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  const syntax = { file, text, program: parsed.program, comments: parsed.comments, lineAt: lines(text) }
  parsedFiles.set(file, syntax)
  return syntax
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const member = (node: Node, name: string): unknown => Reflect.get(node, name)

/** Node in a member; undefined if the member contains none. */
export const child = (node: Node, name: string): Node | undefined => {
  const value = member(node, name)
  return isNode(value) ? value : undefined
}

/** Nodes in a member that contains one or several. */
export const children = (node: Node, name: string): ReadonlyArray<Node> => {
  const value = member(node, name)
  return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
}

/** Text in a member; undefined if the member contains another value. */
export const textOf = (node: Node, name: string): string | undefined => {
  const value = member(node, name)
  return typeof value === "string" ? value : undefined
}

/** True if a member is `true`. */
export const flag = (node: Node, name: string): boolean => member(node, name) === true

/** Visits each node of a tree, a parent before its children, with its ancestors from the root to its parent. */
export const walk = (root: Node, visit: (node: Node, ancestors: ReadonlyArray<Node>) => void): void => {
  const ancestors: Array<Node> = []
  const enter = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    if (Array.isArray(value)) {
      for (const each of value) enter(each)
    } else if (isNode(value)) {
      visit(value, ancestors)
      ancestors.push(value)
      for (const name in value) enter(member(value, name))
      ancestors.pop()
    }
  }
  enter(root)
}

/**
 * Name of a call or a member access as written: `it.effect.prop`, `it.each()` for the function that `it.each(...)` returns, and the
 * empty text for anything but a chain of names.
 */
export const qualifiedName = (node: Node): string => {
  if (node.type === "Identifier") return textOf(node, "name") ?? ""
  const inner = child(node, "object") ?? child(node, "callee") ?? child(node, "tag")
  const before = inner === undefined ? "" : qualifiedName(inner)
  if (before === "") return ""
  if (node.type === "CallExpression" || node.type === "TaggedTemplateExpression") return `${before}()`
  if (node.type !== "MemberExpression" || flag(node, "computed")) return ""
  return `${before}.${textOf(child(node, "property") ?? node, "name") ?? ""}`
}

/** A call of a source. */
export interface Call {
  /** Name of the called function, as `qualifiedName` writes it. */
  readonly callee: string
  readonly line: number
}

/** The calls of a source whose function has a name, in the order of the text. */
export const calls = (syntax: Syntax): ReadonlyArray<Call> => {
  const collected: Array<Call> = []
  walk(syntax.program, (node) => {
    const callee = node.type === "CallExpression" ? child(node, "callee") : undefined
    const name = callee === undefined ? "" : qualifiedName(callee)
    if (callee !== undefined && name !== "") collected.push({ callee: name, line: syntax.lineAt(callee.start) })
  })
  return collected
}
