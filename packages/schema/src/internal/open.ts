/**
 * Objects that keep unknown keys: the type is closed, so that a misspelt field does not compile, while unknown keys of the wire stay in
 * the value and are encoded again. Also arrays, optional objects and recursive values of such objects. Source: decision 0020.
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

/** Decoded value of an open object: that of the struct, with the keys of `Filled` always present. */
export type Value<F extends Fields, Filled extends PropertyKey = never> = {
  readonly [K in keyof Schema.Struct.Type<F> as K extends Filled ? never : K]: Schema.Struct.Type<F>[K]
} & { readonly [K in keyof Schema.Struct.Type<F> as K extends Filled ? K : never]-?: Schema.Struct.Type<F>[K] }

/** Codec that also implements Standard Schema V1. */
export interface Resource<A, I> extends Schema.Codec<A, I>, StandardSchemaV1<I, A> {}

/** Open object: its codec, its fields, and the unknown keys of a value. */
export interface Open<F extends Fields, Filled extends PropertyKey = never> extends Resource<
  Value<F, Filled>,
  Schema.Struct.Encoded<F>
> {
  readonly fields: F
  readonly extras: (value: object) => Readonly<Record<string, unknown>>
}

/**
 * An open object whose value and encoded form have names, `A` and `I`. Declarations of other packages then name these types: a type that
 * is spelled by this file cannot be resolved outside of the package.
 */
export interface Named<S extends Open<Fields, never>, A, I> extends Resource<A, I>, Pick<S, "fields" | "extras"> {}

type Fill = () => unknown

const isObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input)

const unknownKeys = (value: object, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(fields, key)))

/** One direction over an object: copies it, which keeps unknown keys and the order, and converts the known keys of the copy. */
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

/** Identifier of an object in JSON Schema and OpenAPI: `ReceiptLog` for `Receipt log`. */
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
 * The codec of an open object with these `fields`. A key of `absent` may be absent on the wire (its field is an optional key) and then
 * decodes to that value.
 */
export const open = <const F extends Fields, const D extends { readonly [K in keyof F]?: Fill } = {}>(
  name: string,
  fields: F,
  absent?: D,
): Open<F, keyof D> => {
  // Sound: a struct decodes and encodes objects; nothing else of its type is used here.
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

/** Array; also decodes a single element, which some servers send in its place. Source: decision 0020. */
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

/** Array of at most so many elements. */
export const atMost = <A, I>(
  maxLength: number,
  item: Schema.Codec<A, I>,
): Schema.Codec<ReadonlyArray<A>, ReadonlyArray<I>> => {
  const schema = Schema.Array(item).check(Schema.isMaxLength(maxLength))
  const coder = coderOf(item)
  if (coder === undefined) return schema
  const { read, write } = many(coder)
  const within =
    (step: Step): Step =>
    (input) =>
      Array.isArray(input) && input.length <= maxLength ? step(input) : unread
  return withCoder(schema, { read: within(read), write: within(write) })
}

/** Object, or `null`: decodes `""` and `null` to `null`, encodes `null` as `null`. Source: decision 0020. */
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

// The parser uses about forty times the stack of a coder for each level.
const explainedLevels = 32

/** Recursive value, at most `levels` deep, so that no response exhausts the stack. */
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
  // The same schema at every level: the JSON Schema of a recursive value refers to it.
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
