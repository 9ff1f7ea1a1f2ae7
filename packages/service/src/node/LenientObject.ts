/**
 * Reads a node's object field by field if its schema does not decode it as a whole: fields that do not decode are omitted unless they are
 * needed. Unknown keys are kept.
 *
 * Source: decision 0035.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/**
 * Fields that an object cannot do without.
 */
export interface Needed {
  /** Fields that must be present and decode. */
  readonly required: ReadonlySet<string>
  /** Fields that must decode if present, because a record shows them. */
  readonly shown: ReadonlySet<string>
}

/**
 * An object, and the issues of the omitted fields.
 */
export interface Read {
  readonly value: Readonly<Record<string, unknown>>
  readonly issues: ReadonlyArray<Issue.Issue>
}

/**
 * True for an object that is not an array.
 */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const pathOf = (key: string, inner: string): string =>
  inner === "" || inner.startsWith("[") ? `${key}${inner}` : `${key}.${inner}`

/** Decodes the value of a field. */
export const readField = (
  key: string,
  codec: Schema.Codec<unknown, unknown>,
  value: unknown,
): Result.Result<unknown, Issue.Issue> =>
  Result.mapError(SchemaParser.decodeUnknownResult(codec)(value), (error) => {
    // Sound: a schema error has at least one issue.
    const [issue] = Issue.fromError(error, value) as [Issue.Issue]
    return { ...issue, path: pathOf(key, issue.path) }
  })

/**
 * Reads an object. Fails with the first issue of a needed field.
 */
export const read = (fields: Fields, raw: unknown, { required, shown }: Needed): Result.Result<Read, Issue.Issue> => {
  if (!isObject(raw)) return Result.fail({ path: "", expected: "an object", received: Issue.describe(raw) })
  const value: Record<string, unknown> = { ...raw }
  const issues: Array<Issue.Issue> = []
  for (const [key, codec] of Object.entries(fields)) {
    const isPresent = Object.hasOwn(raw, key)
    if (!isPresent && SchemaAST.isOptional(codec.ast) && !required.has(key)) continue
    const decoded = readField(key, codec, raw[key])
    if (Result.isSuccess(decoded)) {
      value[key] = decoded.success
      continue
    }
    if (required.has(key) || (isPresent && shown.has(key))) return Result.fail(decoded.failure)
    delete value[key]
    issues.push(decoded.failure)
  }
  return Result.succeed({ value, issues })
}
