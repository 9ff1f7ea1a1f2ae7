/**
 * Objects that keep unknown keys: the type is closed, so that a misspelt field does not compile, while unknown keys of the wire stay in the
 * value and are encoded again. Also arrays, optional objects and recursive values of such objects. Source: decision 0020.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import {
  type AnySchema,
  type Coder,
  coderOf,
  isObject,
  many,
  remembering,
  type Step,
  type Unrolled,
  unread,
  withCoder,
} from "./coder.ts"
import { same } from "./leaf.ts"

type Fields = Schema.Struct.Fields

/** Decoded value of an open object: the struct's value, with the keys of `Filled` always present. */
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
 * An open object whose value and encoded form have named types, `A` and `I`. Declarations of other packages then refer to these names; a
 * type spelled out by this file could not be resolved outside the package.
 */
export interface Named<S extends Open<Fields, never>, A, I> extends Resource<A, I>, Pick<S, "fields" | "extras"> {}

type Fill = () => unknown

const unknownKeys = (value: object, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(fields, key)))

/** Fills the keys that an object lacks; `unread` if a key is present without a value. */
const fillOver =
  (keys: ReadonlyArray<string>, fills: ReadonlyArray<Fill | undefined>) =>
  (output: Record<string, unknown>): unknown => {
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!
      if (output[key] !== undefined) continue
      if (key in output) return unread
      const fill = fills[at]
      if (fill !== undefined) output[key] = fill()
    }
    return output
  }

/** One direction for an object: copies it, which keeps unknown keys and their order, and converts the known keys of the copy. */
const stepOver =
  (
    keys: ReadonlyArray<string>,
    steps: ReadonlyArray<Step>,
    mayLack: ReadonlyArray<boolean>,
    lacking: (output: Record<string, unknown>) => unknown,
  ): Step =>
  (input) => {
    if (!isObject(input)) return unread
    const output = { ...input }
    let isLacking = false
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!
      if (mayLack[at] && output[key] === undefined) isLacking = true
      else if ((output[key] = steps[at]!(output[key])) === unread) return unread
    }
    return isLacking ? lacking(output) : output
  }

/** Step of a required key: some steps accept `undefined` as a value. */
const required = (step: Step): Step =>
  step(undefined) === unread ? step : (input) => (input === undefined ? unread : step(input))

/** Identifier of an object in JSON Schema and OpenAPI: `ReceiptLog` for `Receipt log`. */
const identifierOf = (name: string): string =>
  name
    .replace("JSON-RPC", "JsonRpc")
    .split(" ")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

const coderOfFields = (
  fields: Fields,
  absent: Readonly<Record<string, Fill>>,
  unrolled: Unrolled | undefined,
): Coder | undefined => {
  const keys = Object.keys(fields)
  const parts = keys.map((key) => coderOf(fields[key] as AnySchema))
  if (!parts.every((part) => part !== undefined)) return undefined
  const mayLack = keys.map((key) => fields[key]!.ast.context?.isOptional ?? false)
  const direction = (
    make: Unrolled["read"] | undefined,
    steps: ReadonlyArray<Step>,
    fills: ReadonlyArray<Fill | undefined>,
  ) => {
    const checked = steps.map((step, at) => (mayLack[at] ? step : required(step)))
    const lacking = fillOver(
      keys.filter((_, at) => mayLack[at]),
      fills.filter((_, at) => mayLack[at]),
    )
    return make === undefined ? stepOver(keys, checked, mayLack, lacking) : make(checked, lacking)
  }
  return {
    read: direction(
      unrolled?.read,
      parts.map((part) => (part.repeats ? remembering(part.read) : part.read)),
      keys.map((key) => absent[key]),
    ),
    write: direction(
      unrolled?.write,
      parts.map((part) => (part.repeats ? remembering(part.write) : part.write)),
      [],
    ),
    object: {
      keys: keys.map((name, at) => ({ name, mayLack: mayLack[at]! })),
      isUnrolled: unrolled !== undefined,
    },
  }
}

/**
 * Codec of an open object with these `fields`. A key of `absent` may be absent on the wire (its field is an optional key) and then decodes
 * to that value. `unrolled` is its code from `generated/objects.ts`, for objects that are frequent in responses.
 */
export const open = <const F extends Fields, const D extends { readonly [K in keyof F]?: Fill } = {}>(
  name: string,
  fields: F,
  absent?: D,
  unrolled?: Unrolled,
): Open<F, keyof D> => {
  // Sound: a struct decodes and encodes objects, and nothing else of its type is used here.
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
  const coder = coderOfFields(fields, fills, unrolled)
  return Object.assign(Schema.toStandardSchemaV1(coder === undefined ? schema : withCoder(schema, coder)), {
    fields,
    extras: (value: object) => unknownKeys(value, fields),
  })
}

const over =
  (item: Step, isNone: (input: unknown) => boolean): Step =>
  (input) =>
    isNone(input) ? null : item(input)

/** Array that also decodes the values that `toArray` converts. */
const arrayFrom = <A, I>(
  item: Schema.Codec<A, I>,
  expected: string,
  toArray: (input: unknown) => unknown,
): Schema.Codec<ReadonlyArray<A>, ReadonlyArray<I>> => {
  const schema = Schema.declareConstructor<ReadonlyArray<A>, ReadonlyArray<I>>()(
    [Schema.Array(item)],
    ([items]) => {
      const parse = SchemaParser.decodeUnknownEffect(items)
      return (input, _ast, options) => parse(toArray(input), options)
    },
    {
      expected,
      toCodecJson: ([items]) => same(items),
      toCodecArbitrary: ({ typeParameters: [items] }) => same(items),
    },
  )
  const coder = coderOf(item)
  if (coder === undefined) return schema
  const { read, write } = many(coder)
  return withCoder(schema, { read: (input) => read(toArray(input)), write: (input) => write(toArray(input)) })
}

/** Array; also decodes a single element, which some servers send instead. Source: decision 0020. */
export const oneOrMany = <A, I>(item: Schema.Codec<A, I>): Schema.Codec<ReadonlyArray<A>, ReadonlyArray<I>> =>
  arrayFrom(item, "an array, or its single element", (input) => (Array.isArray(input) ? input : [input]))

/** Array; also decodes `null`, which some nodes send for an empty list. Source: decision 0020. */
export const noneOrMany = <A, I>(item: Schema.Codec<A, I>): Schema.Codec<ReadonlyArray<A>, ReadonlyArray<I>> =>
  arrayFrom(item, "an array", (input) => (input === null ? [] : input))

/** Array with a maximum number of elements. */
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

// Per level, the parser uses about forty times the stack of a coder.
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
