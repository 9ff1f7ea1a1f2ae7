/**
 * Builds a scalar of the wire: what is accepted when reading, the program's value, and the one canonical form that is sent.
 * Every scalar of the interface goes through here, so that tolerance has one place.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type Step, unread, type Unread, withCoder } from "./coder.ts"

/** The program's side of a leaf: its schema, and the same as a plain predicate. */
export interface Side<A> {
  readonly schema: Schema.Codec<A>
  readonly is: (value: unknown) => value is A
}

/** What a leaf of the wire is made of. */
export interface LeafOptions<A, Wire> {
  /** Completes the sentence "Expected ...". */
  readonly expected: string
  /** The canonical wire form, as JSON Schema sees it. */
  readonly wire: Schema.Codec<Wire>
  /** Reads a value, canonical or not; `unread` where it cannot. Total, pure, and bounded in time. */
  readonly read: (input: unknown) => A | Unread
  /** Writes the canonical form. */
  readonly write: (value: A) => Wire
  /** The program's side. */
  readonly type: Side<A>
  /** False where reading is cheap, or makes an object that may not be shared, such as a `Date`. Default true. */
  readonly repeats?: boolean
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
}): Side<A> => ({
  is: options.is,
  schema: Schema.declare<A>(options.is, {
    expected: options.expected,
    toCodecArbitrary: () => same(options.from),
    toCodecJson: () => same(options.from),
  }),
})

const isText = (value: unknown): value is string => typeof value === "string"

/** A program's side that is any text. */
export const textSide: Side<string> = { schema: Schema.String, is: isText }

/** A program's side that is one of some values. */
export const oneOf = <const A extends string | number>(values: ReadonlyArray<A>): Side<A> => ({
  schema: Schema.Literals(values),
  is: (value): value is A => (values as ReadonlyArray<unknown>).includes(value),
})

const known = new WeakMap<SchemaAST.AST, unknown>()

/** A scalar of the wire made of its `options`. */
export const leaf = <A, Wire>(options: LeafOptions<A, Wire>): Schema.Codec<A, Wire> => {
  const { read, write } = options
  const isValue = options.type.is
  const schema = Schema.declare<Wire>((input): input is Wire => read(input) !== unread, {
    expected: options.expected,
    toCodecJson: () => same(options.wire),
  }).pipe(
    Schema.decodeTo(
      options.type.schema,
      // What is decoded here passed the predicate above, so it was read once before.
      SchemaTransformation.transform<A, Wire>({ decode: (input) => read(input) as A, encode: write }),
    ),
  )
  known.set(schema.ast, options)
  const writeChecked: Step = (value) => (isValue(value) ? write(value) : unread)
  return withCoder(schema, { read, write: writeChecked, repeats: options.repeats ?? true })
}

/** The same leaf under other rules; `schema` must come from {@link leaf}. */
export const relax = <A, Wire, B = A, Wire2 = Wire>(
  schema: Schema.Codec<A, Wire>,
  change: (options: LeafOptions<A, Wire>) => LeafOptions<B, Wire2>,
): Schema.Codec<B, Wire2> => {
  // `leaf` put in the options of this very schema, so the types are its own.
  const options = known.get(schema.ast) as LeafOptions<A, Wire> | undefined
  if (options === undefined) throw new Error("relax takes a schema that was made by leaf")
  return leaf(change(options))
}

const orNullSide = <A>(side: Side<A>): Side<A | null> => ({
  schema: Schema.NullOr(side.schema),
  is: (value): value is A | null => value === null || side.is(value),
})

/** A leaf that may be `null`, on both sides. */
export const orNull = <A, Wire>(schema: Schema.Codec<A, Wire>): Schema.Codec<A | null, Wire | null> =>
  relax(schema, (options) => ({
    expected: `${options.expected}, or null`,
    wire: Schema.NullOr(options.wire),
    read: (input) => (input === null ? null : options.read(input)),
    write: (value) => (value === null ? null : options.write(value)),
    type: orNullSide(options.type),
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
    read: (input) => (input === null || input === "" ? null : options.read(input)),
    write: (value) => (value === null ? writes : options.write(value)),
    type: orNullSide(options.type),
  }))
