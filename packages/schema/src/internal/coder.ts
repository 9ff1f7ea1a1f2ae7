/**
 * The quick way through a codec. Effect's parser is exact and tells what is wrong, at the cost of several allocations per
 * value. A coder is a pair of pure functions that gives the same answer for good values and `unread` for all others; the
 * parser then runs and says why. The parts of a schema (`leaf.ts`, `open.ts`) build their coders from the same options as
 * the schema itself, so the schema stays the one definition.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaParser from "effect/SchemaParser"

/** What a coder answers for a value that is not one of its schema's. */
export const unread: unique symbol = Symbol("unread")

/** What a coder answers for a value that is not one of its schema's. */
export type Unread = typeof unread

/** One direction of a coder. Total, pure, and it never keeps or changes its input. */
export type Step = (input: unknown) => unknown

/** Reads the wire and writes it; `unread` where the schema would fail. */
export interface Coder {
  readonly read: Step
  readonly write: Step
  /** True where reading costs more than comparing two texts, and gives a value that may be shared: see `remembering`. */
  readonly repeats?: boolean
}

/** Any schema: here only its identity and its syntax tree are looked at. */
export type AnySchema = { readonly ast: SchemaAST.AST }

const coders = new WeakMap<SchemaAST.AST, Coder>()

// While the parser explains a failure, the parts are not tried the quick way again: a value nested n deep would else be
// read n times.
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

/** Gives a schema its coder, for itself and wherever it is a part. Answers the schema. */
export const withCoder = <S extends Schema.Codec<unknown, unknown>>(schema: S, coder: Coder): S => {
  coders.set(schema.ast, coder)
  // The registry goes by the identity of a syntax tree, so the same schema under another one is parsed by Effect itself.
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

/** The parts of the schemas that are made of others; each has some. */
interface Parts {
  readonly schema?: AnySchema
  readonly value?: AnySchema
  readonly members?: ReadonlyArray<AnySchema>
}

/**
 * The coder of a schema; `undefined` when it has none, and is then left to the parser. Knows, besides the schemas that
 * were given one: texts, numbers, booleans, literals, anything, arrays, optional keys, and unions whose first fitting member wins.
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

/** Reads the same text at once when it comes again: hashes, addresses and prices repeat from one row to the next. */
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
