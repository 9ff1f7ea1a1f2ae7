/**
 * Reports values that decode although they are not in canonical form: path, rule and received value. Decoding accepts them without a
 * report; use this module to examine what a server sends, or to reject it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

/**
 * Rule that a non-canonical value violates.
 *
 * **Details**
 *
 * - `upper_case`: upper-case hex digits, as in `0xAB`.
 * - `leading_zeros`: leading zeros, as in `0x02` and `007`.
 * - `no_digits`: `0x` for the quantity 0.
 * - `decimal_for_hex`: decimal digits for a hex quantity, as in `16` for `0x10`.
 * - `number_for_text`, `text_for_number`, `boolean_for_text`: another JSON type.
 * - `null_for_empty`, `empty_for_null`: `null` for `""` or an empty array, and `""` for `null`.
 * - `empty_bytes`: `""` or `null` for `0x`.
 * - `timestamp`: another ISO 8601 form of the instant.
 * - `one_for_many`: a single object for an array.
 * - `missing`: an absent key.
 * - `other`: any other form.
 *
 * Source: decision 0020.
 */
export type Rule =
  | "upper_case"
  | "leading_zeros"
  | "no_digits"
  | "decimal_for_hex"
  | "number_for_text"
  | "text_for_number"
  | "boolean_for_text"
  | "null_for_empty"
  | "empty_for_null"
  | "empty_bytes"
  | "timestamp"
  | "one_for_many"
  | "missing"
  | "other"

/**
 * Value that is not in canonical form.
 *
 * Source: decision 0020.
 */
export interface DecodeWarning {
  /** Path of the value: keys and indexes. */
  readonly path: ReadonlyArray<string | number>
  /** Rule that the value violates. */
  readonly rule: Rule
  /** Value received; `undefined` if the key is absent. */
  readonly received: unknown
  /** Canonical form of the value. */
  readonly canonical: unknown
}

type Path = ReadonlyArray<string | number>

const isHex = (text: string): boolean => /^0x[0-9a-f]*$/.test(text)

const ruleOfTexts = (received: string, canonical: string): Rule => {
  if (received === "") return "empty_bytes"
  if (/^\d{4}-\d{2}-\d{2}T/.test(canonical)) return "timestamp"
  if (received.toLowerCase() === canonical) return "upper_case"
  if (/^0x$/i.test(received)) return "no_digits"
  if (/^[0-9]+$/.test(received) && isHex(canonical)) return "decimal_for_hex"
  if (/^(0x)?0+/i.test(received) && /^(0x)?/.exec(canonical)?.[0] === /^(0x)?/i.exec(received)?.[0].toLowerCase()) {
    return "leading_zeros"
  }
  return "other"
}

const ruleOf = (received: unknown, canonical: unknown): Rule => {
  if (received === undefined) return "missing"
  if (typeof received === "string" && typeof canonical === "string") return ruleOfTexts(received, canonical)
  if (received === null) {
    if (canonical === "" || Array.isArray(canonical)) return "null_for_empty"
    return canonical === "0x" ? "empty_bytes" : "other"
  }
  if (received === "" && canonical === null) return "empty_for_null"
  if (typeof received === "number" && typeof canonical === "string") return "number_for_text"
  if (typeof received === "boolean" && typeof canonical === "string") return "boolean_for_text"
  if (typeof received === "string" && typeof canonical === "number") return "text_for_number"
  return "other"
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const compare = (received: unknown, canonical: unknown, path: Path, into: Array<DecodeWarning>): void => {
  // A value without a coder is already identical.
  if (received === canonical) return
  if (Array.isArray(canonical)) {
    if (!Array.isArray(received) && received != null) {
      into.push({ path, rule: "one_for_many", received, canonical })
      return compare(received, canonical[0], path, into)
    }
    if (Array.isArray(received)) {
      for (const [at, item] of canonical.entries()) compare(received[at], item, [...path, at], into)
      return
    }
  } else if (isObject(canonical) && isObject(received)) {
    for (const key of Object.keys(canonical)) {
      compare(Object.hasOwn(received, key) ? received[key] : undefined, canonical[key], [...path, key], into)
    }
    return
  }
  into.push({ path, rule: ruleOf(received, canonical), received, canonical })
}

/**
 * Finds the warnings of a wire value, in the order of its canonical form. Fails if the value does not decode.
 *
 * **Example** (Examining a response)
 *
 * ```ts
 * import * as DecodeWarning from "@daybook/schema/DecodeWarning"
 * import * as Receipt from "@daybook/schema/Receipt"
 *
 * const log = { address: `0x${"AB".repeat(20)}`, topics: [], data: "", logIndex: "0x00", transactionIndex: 1, transactionHash: null }
 * const found = DecodeWarning.find(Receipt.Log, log)
 * if (found._tag === "Success") console.log(found.success.map(({ path, rule }) => `${path.join(".")}: ${rule}`))
 * // [ 'address: upper_case', 'data: empty_bytes', 'logIndex: leading_zeros', 'transactionIndex: number_for_text' ]
 * ```
 *
 * Source: decision 0020.
 */
export const find = <A, I>(
  schema: Schema.Codec<A, I>,
  wire: unknown,
): Result.Result<ReadonlyArray<DecodeWarning>, Schema.SchemaError> =>
  Result.map(Schema.decodeUnknownResult(schema)(wire), (value) => {
    const found: Array<DecodeWarning> = []
    compare(wire, Schema.encodeSync(schema)(value), [], found)
    return found
  })

const toIssue = (
  warning: DecodeWarning,
  options: Parameters<ReturnType<typeof SchemaParser.decodeUnknownEffect>>[1],
) => {
  const text = JSON.stringify(warning.canonical) ?? "nothing"
  const expected = text.length > 80 ? "the canonical form" : text
  const issue = new SchemaIssue.InvalidValue(
    { message: `Expected ${expected} (${warning.rule.replaceAll("_", " ")})` },
    warning.received,
    options ?? {},
  )
  return warning.path.length === 0 ? issue : new SchemaIssue.Pointer(warning.path, issue)
}

/**
 * Makes a schema that also rejects values that are not in canonical form. Use it to check a server.
 *
 * **Details**
 *
 * Unknown keys are kept. `errors: "all"` reports every value.
 *
 * **Example** (Rejecting a valid value that is not canonical)
 *
 * ```ts
 * import * as Decimal from "@daybook/schema/Decimal"
 * import * as DecodeWarning from "@daybook/schema/DecodeWarning"
 * import * as Schema from "effect/Schema"
 *
 * const strict = DecodeWarning.strict(Decimal.Decimal)
 * console.log(Schema.is(Schema.toEncoded(strict))("1"), Schema.decodeUnknownExit(strict)(1)._tag) // true Failure
 * ```
 *
 * Source: decision 0020.
 */
export const strict = <A, I>(schema: Schema.Codec<A, I>): Schema.Codec<A, I> =>
  Schema.declareConstructor<A, I>()([schema], ([codec]) => {
    const parse = SchemaParser.decodeUnknownEffect(codec)
    const write = SchemaParser.encodeEffect(codec)
    const isReading = codec.ast === schema.ast
    return (input, ast, options) =>
      Effect.flatMapEager(parse(input, options), (value) =>
        isReading
          ? Effect.flatMapEager(write(value, options), (canonical) => {
              const found: Array<DecodeWarning> = []
              compare(input, canonical, [], found)
              const [first, ...others] = found.map((warning) => toIssue(warning, options))
              if (first === undefined) return Effect.succeed(value)
              return Effect.fail(
                new SchemaIssue.Composite(ast, options.errors === "all" ? [first, ...others] : [first], input, options),
              )
            })
          : Effect.succeed(value),
      )
  })
