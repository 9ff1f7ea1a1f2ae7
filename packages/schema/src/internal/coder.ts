/**
 * The fast path of a codec, the second of two engines. The first is Effect's parser, which reports every issue at the cost of several
 * allocations per value. A coder is a pair of pure functions that return the same result for valid values and `unread` for all others; the
 * parser then runs and builds the error. `leaf.ts` and `open.ts` derive both engines from the same options. A codec that uses neither is
 * written twice, once per engine (`Block.PartialBlock`, `Transaction.Transaction`, `JsonRpc.Response`); the law in
 * `test/internal/coder.test.ts` verifies that both agree.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaParser from "effect/SchemaParser"

/** Result of a coder for a value that its schema rejects. */
export const unread: unique symbol = Symbol("unread")

/** Result of a coder for a value that its schema rejects. */
export type Unread = typeof unread

/** One direction of a coder. Total and pure; it neither keeps nor changes its input. */
export type Step = (input: unknown) => unknown

/** Keys of an object, in the order of its schema. */
export interface ObjectKeys {
  readonly keys: ReadonlyArray<{ readonly name: string; readonly mayLack: boolean }>
  /** True if the coder is generated: see {@link Unrolled}. */
  readonly isUnrolled: boolean
}

/** Both directions: `read` decodes and `write` encodes; `unread` if the schema fails. */
export interface Coder {
  readonly read: Step
  readonly write: Step
  /** True if a step costs more than a comparison of two strings and its result may be shared: see `remembering`. */
  readonly repeats?: boolean
  /** Input of code generation; only for coders of objects. */
  readonly object?: ObjectKeys
}

/** One direction of {@link Unrolled}: `steps` in the order of the keys, and how to handle an object that lacks some of them. */
type UnrolledStep = (steps: ReadonlyArray<Step>, lacking: (output: Record<string, unknown>) => unknown) => Step

/**
 * Generated code for one object, with a statement per key instead of a loop: the JavaScript engine then knows the position of each key and
 * calls each step directly. `generated/objects.ts` has one for each object that repeats in responses.
 */
export interface Unrolled {
  readonly read: UnrolledStep
  readonly write: UnrolledStep
}

/** True for objects that are no arrays. */
export const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

/** Any schema; only its syntax tree is used. */
export type AnySchema = { readonly ast: SchemaAST.AST }

const coders = new WeakMap<SchemaAST.AST, Coder>()

// While the parser explains a failure, coders are disabled: otherwise a value nested n deep would be read n times.
let explaining = 0

const isPlain = (options: SchemaAST.ParseOptions): boolean =>
  options.disableChecks !== true && (options.onExcessProperty ?? "ignore") === "ignore"

const install = (ast: SchemaAST.AST, step: Step, parser: SchemaCompiler.DecodeEffect): void => {
  SchemaCompiler.set(ast, {
    decode: (input, options) => {
      if (explaining > 0 || !isPlain(options)) return SchemaCompiler.invalid
      const output = step(input)
      return output === unread ? SchemaCompiler.invalid : output
    },
    decodeEffect: (input, options) => {
      if (input === SchemaCompiler.missing) return Effect.succeed(input)
      explaining++
      try {
        return parser(input, options)
      } finally {
        explaining--
      }
    },
  })
}

/** Installs the coder of a schema, including for uses of the schema inside others. Returns the schema. */
export const withCoder = <S extends Schema.Codec<unknown, unknown>>(schema: S, coder: Coder): S => {
  coders.set(schema.ast, coder)
  // Coders are found by the identity of the syntax tree, so a copy of the tree is only handled by the parser.
  const twin = schema.annotate({})
  install(schema.ast, coder.read, SchemaParser.decodeUnknownEffect(twin))
  install(SchemaAST.flip(schema.ast), coder.write, SchemaParser.encodeUnknownEffect(twin))
  return schema
}

const keep = (is: (input: unknown) => boolean): Coder => {
  const step: Step = (input) => (is(input) ? input : unread)
  return { read: step, write: step }
}

const isNull = keep((input) => input === null)
const isText = keep((input) => typeof input === "string")
const isBoolean = keep((input) => typeof input === "boolean")
const isAnything = keep(() => true)

const each =
  (step: Step): Step =>
  (input) => {
    if (!Array.isArray(input)) return unread
    const output: Array<unknown> = input.slice()
    for (let at = 0; at < output.length; at++) {
      const from = output[at]
      const to = step(from)
      if (to === unread) return unread
      if (to !== from) output[at] = to
    }
    return output
  }

/** The coder of an array. */
export const many = (item: Coder): Coder => ({ read: each(item.read), write: each(item.write) })

const either =
  (first: Step, second: Step): Step =>
  (input) => {
    const output = first(input)
    return output === unread ? second(input) : output
  }

/** Parts of a composite schema. */
interface Parts {
  readonly schema?: AnySchema
  readonly value?: AnySchema
  readonly members?: ReadonlyArray<AnySchema>
}

/**
 * The coder of a schema; `undefined` for a schema without one, which the parser handles. Besides schemas with an installed coder, it covers
 * strings, numbers, booleans, literals, unknown values, arrays, optional keys, and unions in member order.
 */
export const coderOf = (schema: AnySchema): Coder | undefined => {
  const { ast } = schema
  const known = coders.get(ast)
  if (known !== undefined) return known
  const parts: AnySchema & Parts = schema
  if (parts.schema !== undefined) return coderOf(parts.schema)
  if (ast.encoding !== undefined) return undefined
  if (ast._tag === "Number") return keep(SchemaParser.is(Schema.make<Schema.Codec<number>>(ast)))
  if (ast.checks !== undefined) return undefined
  switch (ast._tag) {
    case "Null":
      return isNull
    case "String":
      return isText
    case "Boolean":
      return isBoolean
    case "Unknown":
      return isAnything
    case "Literal":
      return keep((input) => input === ast.literal)
    case "Arrays": {
      const item = parts.value === undefined ? undefined : coderOf(parts.value)
      return item === undefined ? undefined : many(item)
    }
    case "Union": {
      const members = (parts.members ?? []).map(coderOf)
      return members.reduce((so, member) =>
        so === undefined || member === undefined
          ? undefined
          : { read: either(so.read, member.read), write: either(so.write, member.write) },
      )
    }
    default:
      return undefined
  }
}

/** A step that reuses its last result for the same string, because hashes, addresses and prices repeat from row to row. */
export const remembering = (step: Step): Step => {
  let lastInput: unknown = unread
  let lastOutput: unknown = unread
  return (input) => {
    if (input === lastInput) return lastOutput
    const output = step(input)
    if (output !== unread && typeof input === "string" && input.length <= 66) {
      lastInput = input
      lastOutput = output
    }
    return output
  }
}
