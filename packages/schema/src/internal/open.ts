/**
 * Objects that keep what they do not know: a struct whose type is closed, so that a misspelt field does not compile,
 * while unknown keys of the wire stay in the value and are written again. Source: decision 0004.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { type AnySchema, type Coder, coderOf, many, remembering, type Step, unread, withCoder } from "./coder.ts"
import { same } from "./leaf.ts"

type Fields = Schema.Struct.Fields

/** The value of an open object: the struct's, with the keys of `Filled` always present. */
export type Value<F extends Fields, Filled extends PropertyKey = never> = {
  readonly [K in keyof Schema.Struct.Type<F> as K extends Filled ? never : K]: Schema.Struct.Type<F>[K]
} & { readonly [K in keyof Schema.Struct.Type<F> as K extends Filled ? K : never]-?: Schema.Struct.Type<F>[K] }

/** A codec that other libraries can use too, by the interface of Standard Schema V1. */
export interface Resource<A, I> extends Schema.Codec<A, I>, StandardSchemaV1<I, A> {}

/** An open object: its codec, its fields, and the keys it does not know of a value. */
export interface Open<F extends Fields, Filled extends PropertyKey = never> extends Resource<
  Value<F, Filled>,
  Schema.Struct.Encoded<F>
> {
  readonly fields: F
  readonly extras: (value: object) => Readonly<Record<string, unknown>>
}

type Fill = () => unknown

const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

const unknownKeys = (value: object, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(fields, key)))

/** One direction over an object: a copy, so that unknown keys and the order stay, whose known keys are then put right. */
const stepOver = (
  keys: ReadonlyArray<string>,
  steps: ReadonlyArray<Step>,
  mayLack: ReadonlyArray<boolean>,
  fills: ReadonlyArray<Fill | undefined>,
): Step => {
  const count = keys.length
  return (input) => {
    if (!isObject(input)) return unread
    const output = { ...input }
    for (let at = 0; at < count; at++) {
      const key = keys[at]!
      const from = output[key]
      if (from === undefined) {
        if (!mayLack[at] || Object.hasOwn(output, key)) return unread
        const fill = fills[at]
        if (fill !== undefined) output[key] = fill()
        continue
      }
      const to = steps[at]!(from)
      if (to === unread) return unread
      if (to !== from) output[key] = to
    }
    return output
  }
}

/** The name under which JSON Schema and OpenAPI refer to an object: `Receipt log` is `ReceiptLog`. */
const identifierOf = (name: string): string =>
  name
    .replace("JSON-RPC", "JsonRpc")
    .split(" ")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

const coderOfFields = (fields: Fields, absent: Readonly<Record<string, Fill>>): Coder | undefined => {
  const keys = Object.keys(fields)
  const parts = keys.map((key) => coderOf(fields[key] as AnySchema))
  if (!parts.every((part) => part !== undefined)) return undefined
  const mayLack = keys.map((key) => fields[key]!.ast.context?.isOptional ?? false)
  return {
    read: stepOver(
      keys,
      parts.map((part) => (part.repeats ? remembering(part.read) : part.read)),
      mayLack,
      keys.map((key) => absent[key]),
    ),
    write: stepOver(
      keys,
      parts.map((part) => part.write),
      mayLack,
      [],
    ),
  }
}

/**
 * An object of the wire with these `fields`. A key of `absent` may be missing on the wire (its field is an optional key)
 * and then has that value in the program.
 */
export const open = <const F extends Fields, const D extends { readonly [K in keyof F]?: Fill } = {}>(
  name: string,
  fields: F,
  absent?: D,
): Open<F, keyof D> => {
  // Of a struct of any fields the types say nothing; all that is used of it is that it takes and gives objects.
  const struct = Schema.Struct(fields).annotate({ identifier: identifierOf(name) }) as unknown as Schema.Codec<
    Record<string, unknown>,
    object
  >
  const fills = { ...absent } as Readonly<Record<string, Fill>>
  const fill = (output: Record<string, unknown>) => {
    for (const key in fills) if (!(key in output)) output[key] = fills[key]!()
    return output
  }
  const schema = Schema.declareConstructor<Value<F, keyof D>, Schema.Struct.Encoded<F>>()(
    [struct],
    ([side]) => {
      const parse = SchemaParser.decodeUnknownEffect(side)
      const isReading = side.ast === struct.ast
      return (input, ast, options) =>
        isObject(input)
          ? Effect.mapEager(parse(input, options), (known) => {
              const output = { ...input, ...known }
              return (isReading ? fill(output) : output) as Value<F, keyof D>
            })
          : Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
    },
    {
      expected: `an object (${name})`,
      toCodecJson: ([side]) => same(side),
      toCodecArbitrary: ({ typeParameters: [side] }) =>
        Schema.link<Record<string, unknown>>()(side, {
          decode: SchemaGetter.transform(fill),
          encode: SchemaGetter.passthrough<Record<string, unknown>>(),
        }),
    },
  )
  const coder = coderOfFields(fields, fills)
  return Object.assign(Schema.toStandardSchemaV1(coder === undefined ? schema : withCoder(schema, coder)), {
    fields,
    extras: (value: object) => unknownKeys(value, fields),
  })
}

const over =
  (item: Step, isNone: (input: unknown) => boolean): Step =>
  (input) =>
    isNone(input) ? null : item(input)

const wrapped =
  (items: Step): Step =>
  (input) =>
    items(Array.isArray(input) ? input : [input])

/** An array that some servers send as its single element. Written as an array. Source: decision 0001. */
export const oneOrMany = <A, I>(item: Schema.Codec<A, I>): Schema.Codec<ReadonlyArray<A>, ReadonlyArray<I>> => {
  const schema = Schema.declareConstructor<ReadonlyArray<A>, ReadonlyArray<I>>()(
    [Schema.Array(item)],
    ([items]) => {
      const parse = SchemaParser.decodeUnknownEffect(items)
      return (input, _ast, options) => parse(Array.isArray(input) ? input : [input], options)
    },
    {
      expected: "an array, or its single element",
      toCodecJson: ([items]) => same(items),
      toCodecArbitrary: ({ typeParameters: [items] }) => same(items),
    },
  )
  const coder = coderOf(item)
  if (coder === undefined) return schema
  const items = many(coder)
  return withCoder(schema, { read: wrapped(items.read), write: wrapped(items.write) })
}

/** An object where `null` and `""` both mean "none". Written as `null`. Source: decision 0002. */
export const objectOrNull = <A, I>(item: Schema.Codec<A, I>): Schema.Codec<A | null, I | null> => {
  const isNone = (input: unknown) => input === null || input === ""
  const schema = Schema.declareConstructor<A | null, I | null>()(
    [item],
    ([codec]) => {
      const parse = SchemaParser.decodeUnknownEffect(codec)
      return (input, _ast, options) => (isNone(input) ? Effect.succeed(null) : parse(input, options))
    },
    {
      expected: "an object, or null",
      toCodecJson: ([codec]) => same(Schema.NullOr(codec)),
      toCodecArbitrary: ({ typeParameters: [codec] }) => same(Schema.NullOr(codec)),
    },
  )
  const coder = coderOf(item)
  return coder === undefined
    ? schema
    : withCoder(schema, { read: over(coder.read, isNone), write: over(coder.write, isNone) })
}

// The parser needs about forty times the stack of a coder for a level.
const explainedLevels = 32

/** A value that holds others of its own kind, at most `levels` of them inside one another, whatever a server sends. */
export const nested = <A, I>(name: string, levels: number, item: () => Schema.Codec<A, I>): Schema.Codec<A, I> => {
  let level = 0
  const descend = <B>(go: () => B): B => {
    level++
    try {
      return go()
    } finally {
      level--
    }
  }
  const lazily = (direction: "read" | "write"): Step => {
    let step: Step | undefined
    return (input) => {
      if (level >= levels) return unread
      const go = (step ??= coderOf(item())?.[direction] ?? (() => unread))
      try {
        return descend(() => go(input))
      } catch (error) {
        if (error instanceof RangeError) return unread
        throw error
      }
    }
  }
  const coder: Coder = { read: lazily("read"), write: lazily("write") }
  const inner = Schema.suspend(item)
  // One and the same schema at every level, or a description of it would never end.
  const wire = Schema.suspend((): Schema.Codec<I> => Schema.toEncoded(item()))
  const schema = Schema.declareConstructor<A, I>()(
    [inner],
    ([codec]) => {
      const parse = SchemaParser.decodeUnknownEffect(codec)
      const step = codec.ast === inner.ast ? coder.read : coder.write
      return (input, ast, options) => {
        if (level < explainedLevels) return descend(() => parse(input, options))
        const output = step(input)
        return output === unread
          ? Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
          : Effect.succeed(output as A)
      }
    },
    {
      expected: `${name}, at most ${levels} levels deep`,
      toCodecJson: () => same(wire),
      toCodecArbitrary: ({ typeParameters: [codec] }) => same(codec),
    },
  )
  return withCoder(schema, coder)
}
