/**
 * Builds a scalar of the wire: what is accepted when reading, the program's value, and the one canonical form that is sent.
 * Every scalar of the interface goes through here, so that tolerance has one place.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** What a leaf of the wire is made of. */
export interface LeafOptions<A, Wire> {
  /** Completes the sentence "Expected ...". */
  readonly expected: string
  /** The canonical wire form, as JSON Schema sees it. */
  readonly wire: Schema.Codec<Wire>
  /** True for each value that can be read, canonical or not. Total, and bounded in time. */
  readonly reads: (input: unknown) => boolean
  /** Reads a value for which `reads` is true. */
  readonly decode: (input: Wire) => A
  /** Writes the canonical form. */
  readonly encode: (value: A) => Wire
  /** The program's side. */
  readonly type: Schema.Codec<A>
}

const unchanged = SchemaGetter.passthrough<unknown>()

/** A link to another schema of the same values: nothing is converted. */
export const same = (schema: Schema.Codec<unknown, unknown>): SchemaAST.Link =>
  Schema.link<unknown>()(schema, { decode: unchanged, encode: unchanged })

/** The program's side of a leaf: a value told by a predicate, generated and described by `from`. */
export const typeSide = <A>(options: {
  readonly expected: string
  readonly is: (input: unknown) => input is A
  readonly from: Schema.Codec<unknown>
}): Schema.Codec<A> =>
  Schema.declare<A>(options.is, {
    expected: options.expected,
    toCodecArbitrary: () => same(options.from),
    toCodecJson: () => same(options.from),
  })

const known = new WeakMap<object, unknown>()

/** A scalar of the wire made of its `options`. */
export const leaf = <A, Wire>(options: LeafOptions<A, Wire>): Schema.Codec<A, Wire> => {
  const schema = Schema.declare<Wire>((input): input is Wire => options.reads(input), {
    expected: options.expected,
    toCodecJson: () => same(options.wire),
  }).pipe(
    Schema.decodeTo(options.type, SchemaTransformation.transform({ decode: options.decode, encode: options.encode })),
  )
  known.set(schema, options)
  return schema
}

/** The same leaf under other rules; `schema` must come from {@link leaf}. */
export const relax = <A, Wire, B = A, Wire2 = Wire>(
  schema: Schema.Codec<A, Wire>,
  change: (options: LeafOptions<A, Wire>) => LeafOptions<B, Wire2>,
): Schema.Codec<B, Wire2> => {
  // `leaf` put in the options of this very schema, so the types are its own.
  const options = known.get(schema) as LeafOptions<A, Wire> | undefined
  if (options === undefined) throw new Error("relax takes a schema that was made by leaf")
  return leaf(change(options))
}

/** A leaf that may be `null`, on both sides. */
export const orNull = <A, Wire>(schema: Schema.Codec<A, Wire>): Schema.Codec<A | null, Wire | null> =>
  relax(schema, (options) => ({
    expected: `${options.expected}, or null`,
    wire: Schema.NullOr(options.wire),
    reads: (input) => input === null || options.reads(input),
    decode: (input) => (input === null ? null : options.decode(input)),
    encode: (value) => (value === null ? null : options.encode(value)),
    type: Schema.NullOr(options.type),
  }))

/** A leaf whose `""` and `null` both mean "none"; `writes` is how none is sent. Source: decision 0002. */
export const orEmpty = <A, Wire, Empty extends "" | null>(
  schema: Schema.Codec<A, Wire>,
  writes: Empty,
): Schema.Codec<A | null, Wire | Empty> =>
  relax(schema, (options) => ({
    expected: `${options.expected}, or ${writes === "" ? "an empty string" : "null"} for none`,
    // The compiler does not see that the second member is the type of `writes`.
    wire: Schema.Union([options.wire, writes === "" ? Schema.Literal("") : Schema.Null]) as unknown as Schema.Codec<
      Wire | Empty
    >,
    reads: (input) => input === null || input === "" || options.reads(input),
    decode: (input) => (input === null || input === "" ? null : options.decode(input)),
    encode: (value) => (value === null ? writes : options.encode(value)),
    type: Schema.NullOr(options.type),
  }))
