/**
 * Spreads of object literals in a source: `...{ a, b }`, which stands for `a, b`, and the conditional
 * `...(a === undefined ? {} : { a })` or `...(a && { a })`.
 */
import { child, children, textOf, walk } from "./Syntax.ts"
import type { Node, Syntax } from "./Syntax.ts"

/** A spread of a literal. */
export interface Spread {
  readonly line: number
  /** True for one that spreads a literal or nothing. */
  readonly isConditional: boolean
}

const isLiteral = (node: Node | undefined): boolean => node?.type === "ObjectExpression"

/** The expression without the parentheses around it. */
const inner = (node: Node | undefined): Node | undefined =>
  node?.type === "ParenthesizedExpression" ? inner(child(node, "expression")) : node

const isEmpty = (node: Node | undefined): boolean =>
  node !== undefined && isLiteral(node) && children(node, "properties").length === 0

/** The possible values of a conditional expression. */
const branches = (node: Node): ReadonlyArray<Node | undefined> => {
  if (textOf(node, "operator") === "&&") return [child(node, "left"), child(node, "right")]
  return node.type === "ConditionalExpression" ? [child(node, "consequent"), child(node, "alternate")] : []
}

/** The spreads of literals inside the object literals of a source, in the order of the text. */
export const spreads = (syntax: Syntax): ReadonlyArray<Spread> => {
  const collected: Array<Spread> = []
  walk(syntax.program, (node, ancestors) => {
    if (node.type !== "SpreadElement" || !isLiteral(ancestors.at(-1))) return
    const argument = inner(child(node, "argument"))
    const line = syntax.lineAt(node.start)
    if (isLiteral(argument)) collected.push({ line, isConditional: false })
    if (argument === undefined) return
    const [left, right] = branches(argument).map(inner)
    const isConditional = argument.type !== "ConditionalExpression" ? isLiteral(right) : isEmpty(left) || isEmpty(right)
    if (isConditional) collected.push({ line, isConditional })
  })
  return collected
}
