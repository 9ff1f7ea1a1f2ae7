/**
 * Words of a source by kind: declared identifiers, comments, titles of tests, and other strings. An identifier is reported where it is
 * declared and not where it is used, so that a name counts once and names of other libraries do not count.
 */
import { child, children, flag, parse, qualifiedName, textOf, walk } from "./Syntax.ts"
import type { Node } from "./Syntax.ts"

/** A name, comment or string, with the line on which it begins. */
export interface Token {
  readonly kind: "identifier" | "comment" | "title" | "string"
  readonly text: string
  readonly line: number
}

/** Identifiers that a pattern binds. The shorthand `{ name }` repeats a name that is declared elsewhere. */
const bound = (pattern: Node): ReadonlyArray<Node> => {
  switch (pattern.type) {
    case "Identifier":
      return [pattern]
    case "ObjectPattern":
      return children(pattern, "properties").flatMap((one) =>
        flag(one, "shorthand") ? [] : children(one, one.type === "RestElement" ? "argument" : "value").flatMap(bound),
      )
    case "ArrayPattern":
      return children(pattern, "elements").flatMap(bound)
    case "AssignmentPattern":
      return children(pattern, "left").flatMap(bound)
    case "RestElement":
      return children(pattern, "argument").flatMap(bound)
    case "TSParameterProperty":
      return children(pattern, "parameter").flatMap(bound)
    default:
      return []
  }
}

/** Members that hold the names or patterns that a node declares. */
const declaring: Readonly<Record<string, ReadonlyArray<string>>> = {
  VariableDeclarator: ["id"],
  FunctionDeclaration: ["id", "params"],
  FunctionExpression: ["id", "params"],
  ArrowFunctionExpression: ["params"],
  TSDeclareFunction: ["id", "params"],
  TSFunctionType: ["params"],
  TSMethodSignature: ["params"],
  TSCallSignatureDeclaration: ["params"],
  CatchClause: ["param"],
  ClassDeclaration: ["id"],
  ClassExpression: ["id"],
  TSInterfaceDeclaration: ["id"],
  TSTypeAliasDeclaration: ["id"],
  TSEnumDeclaration: ["id"],
  TSEnumMember: ["id"],
  TSTypeParameter: ["name"],
  TSNamedTupleMember: ["label"],
  ImportDefaultSpecifier: ["local"],
  ImportNamespaceSpecifier: ["local"],
  ExportAllDeclaration: ["exported"],
}

const keyed = new Set([
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
  "TSPropertySignature",
  "TSMethodSignature",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
])

const isName = (node: Node): boolean => node.type === "Identifier" || node.type === "PrivateIdentifier"

/** The key of a class member, a type's member, or a member of an object literal that is not a shorthand. */
const key = (node: Node, parent: Node | undefined): ReadonlyArray<Node> => {
  const literal = node.type === "Property" && parent?.type === "ObjectExpression" && !flag(node, "shorthand")
  if (!(literal || keyed.has(node.type)) || flag(node, "computed")) return []
  return children(node, "key").filter(isName)
}

/** The new name in `a as b` of an import or export. */
const alias = (node: Node): ReadonlyArray<Node> => {
  const [from, to] =
    node.type === "ImportSpecifier"
      ? [child(node, "imported"), child(node, "local")]
      : node.type === "ExportSpecifier"
        ? [child(node, "local"), child(node, "exported")]
        : []
  return to !== undefined && from?.start !== to.start && isName(to) ? [to] : []
}

const declared = (node: Node, parent: Node | undefined): ReadonlyArray<Node> => [
  ...(declaring[node.type] ?? []).flatMap((name) => children(node, name)).flatMap(bound),
  ...key(node, parent),
  ...alias(node),
]

const isTitle = (node: Node, parent: Node | undefined): boolean => {
  if (parent?.type !== "CallExpression" || children(parent, "arguments")[0] !== node) return false
  const callee = child(parent, "callee")
  return callee !== undefined && /^(?:it|test|describe)\b/.test(qualifiedName(callee))
}

const naming = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
])

/** Text of a string, a part of a template, or text between JSX tags; undefined for the name of a module. */
const written = (node: Node, parent: Node | undefined): string | undefined => {
  if (node.type === "TemplateElement" && "value" in node) {
    const { value } = node
    return typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : undefined
  }
  if (node.type !== "Literal" && node.type !== "JSXText") return undefined
  return parent !== undefined && naming.has(parent.type) ? undefined : textOf(node, "value")
}

/** The names, comments and strings of a source; throws when it is not valid. */
export const tokens = (file: string, text: string): ReadonlyArray<Token> => {
  const syntax = parse(file, text)
  const collected: Array<Token> = syntax.comments.map((comment) => ({
    kind: "comment",
    text: comment.value,
    line: syntax.lineAt(comment.start),
  }))
  walk(syntax.program, (node, ancestors) => {
    const parent = ancestors.at(-1)
    for (const name of declared(node, parent)) {
      collected.push({ kind: "identifier", text: textOf(name, "name") ?? "", line: syntax.lineAt(name.start) })
    }
    const string = written(node, parent)
    if (string === undefined || string === "") return
    const title = node.type === "TemplateElement" ? isTitle(parent ?? node, ancestors.at(-2)) : isTitle(node, parent)
    collected.push({ kind: title ? "title" : "string", text: string, line: syntax.lineAt(node.start) })
  })
  return collected
}
