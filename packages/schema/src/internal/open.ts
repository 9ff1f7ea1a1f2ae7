/**
 * Objects that keep what they do not know: a struct whose type is closed, so that a misspelt field does not compile,
 * while unknown keys of the wire stay in the value and are written again. Source: decision 0004.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { same } from "./leaf.ts"

type Fields = Schema.Struct.Fields

/** The value of an open object: the struct's, with the keys of `Filled` always present. */
export type Value<F extends Fields, Filled extends PropertyKey = never> = {
  readonly [K in keyof Schema.Struct.Type<F> as K extends Filled ? never : K]: Schema.Struct.Type<F>[K]
} & { readonly [K in keyof Schema.Struct.Type<F> as K extends Filled ? K : never]-?: Schema.Struct.Type<F>[K] }

/** An open object: its codec, its fields, and the keys it does not know of a value. */
export interface Open<F extends Fields, Filled extends PropertyKey = never> extends Schema.Codec<
  Value<F, Filled>,
  Schema.Struct.Encoded<F>
> {
  readonly fields: F
  readonly extras: (value: object) => Readonly<Record<string, unknown>>
}

const put = (target: Record<string, unknown>, key: string, value: unknown) => {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

const unknownKeys = (value: object, fields: Fields): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(fields, key)) put(out, key, (value as Record<string, unknown>)[key])
  }
  return out
}

const carry = (input: object, output: object, fields: Fields) => {
  let more = 0
  for (const _ in input) more++
  for (const _ in output) more--
  if (more === 0) return
  for (const key of Object.keys(input)) {
    if (!Object.hasOwn(fields, key))
      put(output as Record<string, unknown>, key, (input as Record<string, unknown>)[key])
  }
}

/**
 * An object of the wire with these `fields`. A key of `absent` may be missing on the wire (its field is an optional key)
 * and then has that value in the program.
 */
export const open = <const F extends Fields, const D extends { readonly [K in keyof F]?: () => unknown } = {}>(
  name: string,
  fields: F,
  absent?: D,
): Open<F, keyof D> => {
  const defaults = Object.entries((absent ?? {}) as Record<string, () => unknown>)
  const fill = (output: Record<string, unknown>) => {
    for (const [key, value] of defaults) if (!(key in output)) output[key] = value()
    return output
  }
  const schema = Schema.declareConstructor<Value<F, keyof D>, Schema.Struct.Encoded<F>>()(
    [Schema.Struct(fields) as unknown as Schema.Codec<Record<string, unknown>, object>],
    ([struct]) => {
      const parse = SchemaParser.decodeUnknownEffect(struct)
      return (input, ast, options) =>
        typeof input !== "object" || input === null || Array.isArray(input)
          ? Effect.fail(new SchemaIssue.InvalidType(ast, input, options))
          : Effect.mapEager(parse(input, options), (output) => {
              carry(input, output, fields)
              return fill(output) as Value<F, keyof D>
            })
    },
    {
      expected: `an object (${name})`,
      toCodecJson: ([struct]) => same(struct),
      toCodecArbitrary: ({ typeParameters: [struct] }) =>
        Schema.link<Record<string, unknown>>()(struct, {
          decode: SchemaGetter.transform(fill),
          encode: SchemaGetter.passthrough<Record<string, unknown>>(),
        }),
    },
  )
  return Object.assign(schema as unknown as Schema.Codec<Value<F, keyof D>, Schema.Struct.Encoded<F>>, {
    fields,
    extras: (value: object) => unknownKeys(value, fields),
  })
}

/** An array that some servers send as its single element. Written as an array. Source: decision 0001. */
export const oneOrMany = <A, I>(item: Schema.Codec<A, I>): Schema.Codec<ReadonlyArray<A>, ReadonlyArray<I>> =>
  Schema.declareConstructor<ReadonlyArray<A>, ReadonlyArray<I>>()(
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

/** An object where `null` and `""` both mean "none". Written as `null`. Source: decision 0002. */
export const objectOrNull = <A, I>(item: Schema.Codec<A, I>): Schema.Codec<A | null, I | null> =>
  Schema.declareConstructor<A | null, I | null>()(
    [item],
    ([codec]) => {
      const parse = SchemaParser.decodeUnknownEffect(codec)
      return (input, _ast, options) => (input === null || input === "" ? Effect.succeed(null) : parse(input, options))
    },
    {
      expected: "an object, or null",
      toCodecJson: ([codec]) => same(Schema.NullOr(codec)),
      toCodecArbitrary: ({ typeParameters: [codec] }) => same(Schema.NullOr(codec)),
    },
  )
