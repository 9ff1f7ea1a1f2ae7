/**
 * What the OpenAPI document shows about an endpoint besides its title and description: parameters, and headers of errors.
 */
import type * as Schema from "effect/Schema"
import * as ApiHeader from "../ApiHeader.ts"
import * as Documentation from "./documentation.ts"

const headersOf = (...structs: ReadonlyArray<Schema.Struct<Schema.Struct.Fields>>) =>
  Object.fromEntries(
    structs.flatMap(({ fields }) =>
      Object.entries(fields).map(([name, { ast }]) => [
        name,
        { schema: { type: "string" }, required: ast.context?.isOptional !== true },
      ]),
    ),
  )

/** Headers of errors, by status. `HttpApi` only supports headers of successes: an error is a value without headers. */
export const errorHeaders: Readonly<Record<string, object>> = {
  "429": headersOf(ApiHeader.RetryAfter, ApiHeader.RateLimit),
  "503": headersOf(ApiHeader.RetryAfter),
}

/** An operation of an OpenAPI document. */
interface OpenApiOperation {
  readonly parameters: ReadonlyArray<{ readonly name: string }>
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

/** Documentation of an operation's parameters and error headers. */
export interface Documented {
  readonly parameters: Readonly<Record<string, Documentation.Parameter>>
  readonly headers: Readonly<Record<string, object>>
}

/** Documents parameters from a table of `documentation`, and the headers of errors. */
export const document = (documented: Documented) => (made: Record<string, unknown>) => {
  // Sound: `OpenApi` passes the operation that it created.
  const { parameters, responses, ...rest } = made as unknown as OpenApiOperation
  return {
    ...rest,
    parameters: parameters.map((parameter) => {
      // Sound: the type of the table has all parameters.
      const { description, jsonSchema } = documented.parameters[parameter.name]!
      return { ...parameter, schema: jsonSchema, description }
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const headers = documented.headers[status]
        const described = { ...response, description: Documentation.errors[status] ?? response.description }
        return [status, headers === undefined ? described : { ...described, headers }]
      }),
    ),
  }
}
