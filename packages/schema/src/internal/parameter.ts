/**
 * Metadata of path and query parameters, kept on their fields: the description, and the type of the value that the text stands for.
 */
import * as Schema from "effect/Schema"

/** A JSON Schema, as OpenAPI shows it. */
export type JsonSchema =
  | { readonly [key: string]: JsonSchema }
  | ReadonlyArray<JsonSchema>
  | string
  | number
  | boolean
  | null

/** What documents show of a parameter. */
export interface Parameter {
  /** One or two sentences. */
  readonly description: string
  /** Type, bounds and default of the value that the text stands for. */
  readonly jsonSchema: JsonSchema
}

/** A required path parameter. */
export const required = <S extends Schema.Top>(schema: S, parameter: Parameter): S["Rebuild"] =>
  schema.annotateKey({ ...parameter })

/** An optional query parameter. */
export const optional = <S extends Schema.Top>(schema: S, parameter: Parameter): Schema.optionalKey<S> =>
  Schema.optionalKey(schema).annotateKey({ ...parameter })

const isJsonSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null

/** The metadata of a field that was made by `required` or `optional`; a defect for any other field. */
export const parameterOf = (name: string, field: Schema.Constraint | undefined): Parameter => {
  const { description, jsonSchema } = (field && Schema.resolveAnnotationsKey(field)) ?? {}
  if (description === undefined || !isJsonSchema(jsonSchema))
    throw new Error(`The parameter ${name} is not documented.`)
  return { description, jsonSchema }
}
