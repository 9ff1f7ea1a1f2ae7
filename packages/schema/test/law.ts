/** The two laws of a codec, asked of every schema: over generated values, and over canonical wire values. */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { expect } from "vitest"

/** What JSON.stringify and JSON.parse make of a wire value: what really crosses the network. */
export const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Encode, send and decode gives the value back. Answers how many values were tried. */
export const encodesAndDecodes = async (
  schema: Schema.Codec<unknown, unknown>,
  options: { readonly count?: number; readonly seed?: string } = {},
): Promise<number> => {
  const values = await Effect.runPromise(
    Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: options.count ?? 100, seed: options.seed ?? "daybook" }),
  )
  for (const value of values) {
    expect(Schema.decodeUnknownSync(schema)(overWire(Schema.encodeUnknownSync(schema)(value)))).toEqual(value)
  }
  return values.length
}

/** Decode and encode gives the same JSON: nothing lost, nothing added. */
export const decodesAndEncodes = (schema: Schema.Codec<unknown, unknown>, wire: unknown): void => {
  expect(overWire(Schema.encodeUnknownSync(schema)(Schema.decodeUnknownSync(schema)(wire)))).toEqual(wire)
}

/** The message with which a value is refused; fails when it is accepted. */
export const refusal = (schema: Schema.Codec<unknown, unknown>, wire: unknown): string => {
  try {
    Schema.decodeUnknownSync(schema)(wire)
  } catch (error) {
    if (Schema.isSchemaError(error)) return error.message
    throw error
  }
  throw new Error(`accepted ${JSON.stringify(wire)}`)
}
