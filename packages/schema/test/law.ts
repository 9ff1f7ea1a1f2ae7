/** The laws of a codec: over decoded values, and over canonical wire values. */
import * as Schema from "effect/Schema"
import { expect } from "vitest"

/** The value after JSON.stringify and JSON.parse, as transferred over the network. */
export const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Expects that a value is unchanged after encoding, sending and decoding. */
export const encodesAndDecodes = (schema: Schema.Codec<unknown, unknown>, value: unknown): void => {
  expect(Schema.decodeUnknownSync(schema)(overWire(Schema.encodeUnknownSync(schema)(value)))).toEqual(value)
}

/** Expects that a wire value is unchanged after decoding and encoding. */
export const decodesAndEncodes = (schema: Schema.Codec<unknown, unknown>, wire: unknown): void => {
  expect(overWire(Schema.encodeUnknownSync(schema)(Schema.decodeUnknownSync(schema)(wire)))).toEqual(wire)
}

/** Error message for a wire value that does not decode; throws if it decodes. */
export const refusal = (schema: Schema.Codec<unknown, unknown>, wire: unknown): string => {
  try {
    Schema.decodeUnknownSync(schema)(wire)
  } catch (error) {
    if (Schema.isSchemaError(error)) return error.message
    throw error
  }
  throw new Error(`decoded ${JSON.stringify(wire)}`)
}
