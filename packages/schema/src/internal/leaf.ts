/**
 * Builds the codec of a scalar: the forms that decode, the decoded value, and the canonical form that is encoded. All scalars of the
 * interface are made here, so that lenient decoding is implemented once.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type Step, unread, type Unread, withCoder } from "./coder.ts"

/** Decoded side of a leaf: its schema, and the equivalent predicate. */
export interface Side<A> {
  readonly schema: Schema.Codec<A>
  readonly is: (value: unknown) => value is A
}

/** Parts of a leaf. */
export interface LeafOptions<A, Wire> {
  /** What is expected, as shown in messages. */
  readonly expected: string
  /** Canonical wire form, for JSON Schema. */
  readonly wire: Schema.Codec<Wire>
  /** Decodes a value, canonical or not; `unread` for any other. Total, pure, and bounded in time. */
  readonly read: (input: unknown) => A | Unread
  /** Encodes the canonical form. */
  readonly write: (value: A) => Wire
  /** Decoded side. */
  readonly type: Side<A>
  /** False if decoding is cheap, or creates an object that must not be shared, such as a `Date`. Default true. */
  readonly repeats?: boolean
}

const unchanged = SchemaGetter.passthrough<unknown>()

/** Link to another schema of the same values, without conversion. */
export const same = (schema: Schema.Codec<unknown, unknown>): SchemaAST.Link =>
  Schema.link<unknown>()(schema, { decode: unchanged, encode: unchanged })

/** Decoded side defined by a predicate; `from` generates its values and describes it in JSON Schema. */
export const typeSide = <A>(options: {
  readonly expected: string
  readonly is: (input: unknown) => input is A
  readonly from: Schema.Codec<unknown>
}): Side<A> => ({
  is: options.is,
  schema: Schema.declare<A>(options.is, {
    expected: options.expected,
    toCodecArbitrary: () => same(options.from),
    toCodecJson: () => same(options.from),
  }),
})

const isText = (value: unknown): value is string => typeof value === "string"

/** Decoded side: any string. */
export const textSide: Side<string> = { schema: Schema.String, is: isText }

/** Decoded side: one of some values. */
export const oneOf = <const A extends string | number>(values: ReadonlyArray<A>): Side<A> => ({
  schema: Schema.Literals(values),
  is: (value): value is A => (values as ReadonlyArray<unknown>).includes(value),
})

const known = new WeakMap<SchemaAST.AST, unknown>()

/** The codec of a scalar. */
export const leaf = <A, Wire>(options: LeafOptions<A, Wire>): Schema.Codec<A, Wire> => {
  const { read, write } = options
  const isValue = options.type.is
  const schema = Schema.declare<Wire>((input): input is Wire => read(input) !== unread, {
    expected: options.expected,
    toCodecJson: () => same(options.wire),
    // Text in a URL is read as leniently as JSON: the canonical form is for documents only.
    toCodecStringTree: () => same(Schema.String),
  }).pipe(
    Schema.decodeTo(
      options.type.schema,
      // Sound: the predicate above has accepted the input.
      SchemaTransformation.transform<A, Wire>({ decode: (input) => read(input) as A, encode: write }),
    ),
  )
  known.set(schema.ast, options)
  const writeChecked: Step = (value) => (isValue(value) ? write(value) : unread)
  return withCoder(schema, { read, write: writeChecked, repeats: options.repeats ?? true })
}

/** The codec of one of some texts. */
export const literals = <const A extends string>(...values: ReadonlyArray<A>): Schema.Codec<A> => {
  const type = oneOf(values)
  return leaf<A, A>({
    expected: values.join(", ").replace(/, ([^,]*)$/, " or $1"),
    wire: type.schema,
    read: (input) => (type.is(input) ? input : unread),
    write: (value) => value,
    type,
  })
}

/** Makes a leaf from another one with changed parts; `schema` must be made by {@link leaf}. */
export const relax = <A, Wire, B = A, Wire2 = Wire>(
  schema: Schema.Codec<A, Wire>,
  change: (options: LeafOptions<A, Wire>) => LeafOptions<B, Wire2>,
): Schema.Codec<B, Wire2> => {
  // Sound: `leaf` has stored the parts of this schema.
  const options = known.get(schema.ast) as LeafOptions<A, Wire> | undefined
  if (options === undefined) throw new Error("relax requires a schema made by leaf")
  return leaf(change(options))
}

const orNullSide = <A>(side: Side<A>): Side<A | null> => ({
  schema: Schema.NullOr(side.schema),
  is: (value): value is A | null => value === null || side.is(value),
})

/** The leaf, or `null` on both sides. */
export const orNull = <A, Wire>(schema: Schema.Codec<A, Wire>): Schema.Codec<A | null, Wire | null> =>
  relax(schema, (options) => ({
    expected: `${options.expected}, or null`,
    wire: Schema.NullOr(options.wire),
    read: (input) => (input === null ? null : options.read(input)),
    write: (value) => (value === null ? null : options.write(value)),
    type: orNullSide(options.type),
  }))

/** The leaf, or `null`: decodes `""` and `null` to `null`, encodes `null` as `writes`. Source: decision 0020. */
export const orEmpty = <A, Wire, Empty extends "" | null>(
  schema: Schema.Codec<A, Wire>,
  writes: Empty,
): Schema.Codec<A | null, Wire | Empty> =>
  relax(schema, (options) => ({
    expected: `${options.expected}, or ${writes === "" ? "an empty string" : "null"} for none`,
    // Sound: the second member is the schema of `writes`.
    wire: Schema.Union([options.wire, writes === "" ? Schema.Literal("") : Schema.Null]) as unknown as Schema.Codec<
      Wire | Empty
    >,
    read: (input) => (input === null || input === "" ? null : options.read(input)),
    write: (value) => (value === null ? writes : options.write(value)),
    type: orNullSide(options.type),
  }))
