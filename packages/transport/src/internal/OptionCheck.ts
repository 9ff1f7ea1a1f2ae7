/**
 * Checks at run time what the types of a client's options declare, for programs without type checks.
 * No message shows a value that may be a key.
 */
import { visible } from "@daybook/schema/VisibleText"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidOption } from "../ClientError.ts"

const kindOf = (given: unknown): string => {
  if (given === undefined) return "nothing"
  if (given === null) return "null"
  if (Array.isArray(given)) return "an array"
  if (given instanceof Headers || given instanceof Map) return `a ${given.constructor.name} object`
  return typeof given === "object" ? "an object" : `a ${typeof given}`
}

const maxShownCharacters = 12

/** Describes a received value. Text is shown only if it is too short to be a key. */
const describe = (given: unknown): string => {
  switch (typeof given) {
    case "string":
      if (given === "") return "an empty string"
      return given.length <= maxShownCharacters ? JSON.stringify(given) : "a string"
    case "bigint":
      return `${given}n`
    case "number":
    case "boolean":
      return `${given}`
    default:
      return kindOf(given)
  }
}

/** The error for an option of an unexpected kind. */
export const invalid = (option: string, expected: string, given: unknown): InvalidOption =>
  new InvalidOption({ option, expected, received: describe(given) })

const textOf = (given: unknown): unknown => {
  if (given instanceof URL) return given.href
  if (!Redacted.isRedacted(given)) return given
  try {
    return Redacted.value(given)
  } catch {
    return undefined
  }
}

/**
 * Reads the text of a key or a URL: a string, a `Redacted` string or a `URL`. The error shows no value.
 *
 * **Errors**
 *
 * - `InvalidOption`: it is missing or of a different kind.
 */
export const text = (option: string, expected: string, given: unknown): Result.Result<string, InvalidOption> => {
  const found = textOf(given)
  return typeof found === "string"
    ? Result.succeed(found)
    : Result.fail(new InvalidOption({ option, expected, received: kindOf(found) }))
}

/**
 * The text of a URL to which paths are appended: as `text`, without a query or a fragment.
 *
 * **Errors**
 *
 * - `InvalidOption`: it is missing, of a different kind, or has a query or a fragment.
 */
export const baseUrl = (option: string, expected: string, given: unknown): Result.Result<string, InvalidOption> =>
  Result.flatMap(text(option, expected, given), (found) => {
    const separator = /[?#]/.exec(found)?.[0]
    if (separator === undefined) return Result.succeed(found)
    const part = separator === "?" ? "query" : "fragment"
    return Result.fail(new InvalidOption({ option, expected, received: `a URL with a ${part}` }))
  })

/** What a member of an options object accepts; `any` is checked elsewhere. */
export type Kind =
  | "any"
  | "boolean"
  | "function"
  | "text"
  | "headerText"
  | "record"
  | "signal"
  | "count"
  | "rate"
  | "cost"
  | "fraction"
  | "duration"
  | "wait"

const isObject = (given: unknown): given is object =>
  typeof given === "object" &&
  given !== null &&
  !Array.isArray(given) &&
  !(given instanceof URL) &&
  !Redacted.isRedacted(given)

interface Rule {
  readonly expected: string
  readonly accepts: (given: unknown) => boolean
}

const isNumber = (given: unknown): given is number => typeof given === "number" && !Number.isNaN(given)

const millisOf = (given: unknown): number => {
  if (typeof given === "number" && Number.isNaN(given)) return given
  // Sound: `fromInput` returns None for any value that is not a duration.
  const duration = Duration.fromInput(given as Duration.Input)
  return duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
}

/** True for an `AbortSignal` of any realm, recognised by its shape. */
export const isSignal = (given: unknown): given is AbortSignal =>
  typeof given === "object" &&
  given !== null &&
  "aborted" in given &&
  typeof given.aborted === "boolean" &&
  "addEventListener" in given &&
  typeof given.addEventListener === "function"

const durationForms = `in milliseconds or as text such as "10 seconds"`

const rules: Readonly<Record<Exclude<Kind, "any">, Rule>> = {
  boolean: { expected: "a boolean", accepts: (given) => typeof given === "boolean" },
  function: { expected: "a function", accepts: (given) => typeof given === "function" },
  text: { expected: "a string", accepts: (given) => typeof given === "string" },
  headerText: {
    expected: "printable ASCII characters on one line",
    accepts: (given) => typeof given === "string" && /^[\x20-\x7e]*$/.test(given),
  },
  record: { expected: "a plain object", accepts: (given) => isObject(given) && !(Symbol.iterator in given) },
  signal: { expected: "an AbortSignal", accepts: isSignal },
  count: { expected: "a whole number above 0", accepts: (given) => Number.isSafeInteger(given) && Number(given) > 0 },
  rate: { expected: "a number above 0", accepts: (given) => isNumber(given) && given > 0 },
  cost: { expected: "a number of at least 0", accepts: (given) => isNumber(given) && given >= 0 },
  fraction: { expected: "a number from 0 to 1", accepts: (given) => isNumber(given) && given >= 0 && given <= 1 },
  duration: { expected: `a duration above zero ${durationForms}`, accepts: (given) => millisOf(given) > 0 },
  wait: { expected: `a duration ${durationForms}`, accepts: (given) => millisOf(given) >= 0 },
}

/** Name of an option as a message may repeat it. A name longer than any known one is cut, because it may be a key. */
export const shownName = (name: string): string =>
  name.length <= 40 ? visible(name) : `${visible(name.slice(0, 10))}…`

/**
 * Checks one member of an options object; undefined is accepted.
 *
 * **Errors**
 *
 * - `InvalidOption`: it has a different kind.
 */
export const member = (option: string, kind: Kind, given: unknown): Result.Result<void, InvalidOption> => {
  if (kind === "any" || given === undefined) return Result.void
  const { accepts, expected } = rules[kind]
  return accepts(given) ? Result.void : Result.fail(invalid(option, expected, given))
}

/**
 * Checks that options are an object of known names, each of its kind. No options at all count as an empty object.
 *
 * **Errors**
 *
 * - `InvalidOption`: it is not an object, a name is unknown, or a member has a different kind. `parent` is the path of the object, as in
 *   `retry`.
 */
export const members = (
  given: unknown,
  kinds: Readonly<Record<string, Kind>>,
  parent?: string,
): Result.Result<void, InvalidOption> => {
  if (given === undefined || (given === null && parent === undefined)) return Result.void
  const names = Object.keys(kinds).join(", ")
  if (!isObject(given)) {
    const expected = `an object with ${names}`
    return Result.fail(new InvalidOption({ option: parent ?? "options", expected, received: kindOf(given) }))
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const shown = shownName(name)
    const option = parent === undefined ? shown : `${parent}.${shown}`
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) {
      const expected = `one of the keys ${names}`
      return Result.fail(new InvalidOption({ option, expected, received: "an unknown key" }))
    }
    const checked = member(option, kind, value)
    if (Result.isFailure(checked)) return checked
  }
  return Result.void
}
