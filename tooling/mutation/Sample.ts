/**
 * A seeded sample of the declarations of some sources, for a run shorter than one of all mutants. The unit is a top-level
 * declaration, because the mutants of a function belong together: a sampled function is reported completely.
 */
import { parse, walk } from "../check/Syntax.ts"
import type { Node } from "../check/Syntax.ts"

/** A top-level declaration of a source. */
export interface Declaration {
  readonly source: string
  /** First and last line, from 1. */
  readonly from: number
  readonly to: number
  /** Estimated number of mutants. */
  readonly weight: number
}

/** Mutants per node of the syntax tree, measured on the sources of this repository. */
const weights: Readonly<Record<string, number>> = {
  ArrowFunctionExpression: 0.7,
  BinaryExpression: 2,
  BlockStatement: 1,
  ConditionalExpression: 1.5,
  IfStatement: 1.5,
  LogicalExpression: 2,
  UnaryExpression: 0.8,
  UpdateExpression: 1,
}

const skipped = /^(?:Import|ExportAll|TS)/

const isType = (node: Node): boolean => skipped.test(node.type)

/** The top-level declarations of a source that hold at least one operator, branch or function. */
export const declarations = (source: string, text: string): ReadonlyArray<Declaration> => {
  const syntax = parse(source, text)
  const found = new Map<Node, number>()
  walk(syntax.program, (node, ancestors) => {
    const owner = ancestors.length === 1 ? node : ancestors[1]
    if (owner === undefined || ancestors.length === 0 || isType(owner) || ancestors.some(isType)) return
    found.set(owner, (found.get(owner) ?? 0) + (weights[node.type] ?? 0))
  })
  return [...found]
    .filter(([, weight]) => weight > 0)
    .map(([node, weight]) => ({
      source,
      from: syntax.lineAt(node.start),
      to: syntax.lineAt(node.end - 1),
      weight,
    }))
}

/** Numbers in [0, 1) that depend only on the seed (mulberry32). */
const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Declarations drawn without replacement until their weights reach a count; the same ones for the same seed. */
export const sample = (all: ReadonlyArray<Declaration>, count: number, seed: number): ReadonlyArray<Declaration> => {
  const next = random(seed)
  const rest = [...all]
  const drawn: Array<Declaration> = []
  for (let total = 0; total < count && rest.length > 0;) {
    const [one] = rest.splice(Math.floor(next() * rest.length), 1)
    if (one === undefined) break
    drawn.push(one)
    total += one.weight
  }
  return drawn
}

const weightOf = (all: ReadonlyArray<Declaration>): number => all.reduce((sum, { weight }) => sum + weight, 0)

/** Minimum weight drawn from each group, so that small groups have some mutants too. */
const minWeight = 8

/** A sample of each group in proportion to its weight, with a small minimum. */
export const stratified = (
  groups: ReadonlyArray<ReadonlyArray<Declaration>>,
  count: number,
  seed: number,
): ReadonlyArray<Declaration> => {
  const total = weightOf(groups.flat())
  return groups.flatMap((group) => sample(group, Math.max(minWeight, (count * weightOf(group)) / total), seed))
}
