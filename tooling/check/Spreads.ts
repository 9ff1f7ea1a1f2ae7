/**
 * Spreads of object literals in a source: `...{ a, b }`, which stands for `a, b`, and the conditional
 * `...(a === undefined ? {} : { a })`.
 */
import { child, children, walk } from "./Syntax.ts"
import type { Node, Syntax } from "./Syntax.ts"

/** A spread of a literal. */
export interface Spread {
  readonly line: number
  /** True for one that spreads one of two literals. */
  readonly isConditional: boolean
}

const isLiteral = (node: Node | undefined): boolean => node?.type === "ObjectExpression"

/** The expression without the parentheses around it. */
const inner = (node: Node | undefined): Node | undefined =>
  node?.type === "ParenthesizedExpression" ? inner(child(node, "expression")) : node

const isEmpty = (node: Node | undefined): boolean =>
  node !== undefined && isLiteral(node) && children(node, "properties").length === 0

/** The spreads of literals inside the object literals of a source, in the order of the text. */
export const spreads = (syntax: Syntax): ReadonlyArray<Spread> => {
  const found: Array<Spread> = []
  walk(syntax.program, (node, ancestors) => {
    if (node.type !== "SpreadElement" || !isLiteral(ancestors.at(-1))) return
    const argument = inner(child(node, "argument"))
    const line = syntax.lineAt(node.start)
    if (isLiteral(argument)) found.push({ line, isConditional: false })
    if (argument?.type !== "ConditionalExpression") return
    const branches = ["consequent", "alternate"].map((name) => inner(child(argument, name)))
    if (branches.some(isEmpty)) found.push({ line, isConditional: true })
  })
  return found
}
