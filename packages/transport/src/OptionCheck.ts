/**
 * Checks at run time what the types of a client's options say, for programs that are not type-checked.
 * No message shows a value that may hold a key.
 */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidOption } from "./ClientError.ts"

const kindOf = (given: unknown): string => {
  if (given === null || given === undefined) return String(given)
  if (Array.isArray(given)) return "a list"
  if (typeof given === "string") return "text"
  if (given instanceof Headers || given instanceof Map) return `a ${given.constructor.name}`
  return typeof given === "object" ? "an object" : `a ${typeof given}`
}

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
 * The text of a key or a URL: text, `Redacted` text or a `URL`.
 *
 * **Errors**
 * - `InvalidOption`: it is missing or of another kind; the message goes on with what the option takes.
 */
export const text = (option: string, takes: string, given: unknown): Result.Result<string, InvalidOption> => {
  const found = textOf(given)
  if (typeof found === "string") return Result.succeed(found)
  const fault = found === undefined || found === null ? "is missing" : `is ${kindOf(found)}`
  return Result.fail(new InvalidOption({ option, issue: `${fault}. It takes ${takes}.` }))
}

/**
 * The text of a URL that paths are put after: as `text`, and without a query or a fragment.
 *
 * **Errors**
 * - `InvalidOption`: it is missing, of another kind, or has a query or a fragment.
 */
export const baseUrl = (option: string, takes: string, given: unknown): Result.Result<string, InvalidOption> =>
  Result.flatMap(text(option, takes, given), (found) => {
    const part = /[?#]/.exec(found)?.[0]
    if (part === undefined) return Result.succeed(found)
    const issue = `has a ${part === "?" ? "query" : "fragment"}, which has no meaning there. It takes ${takes}; what was given is not shown.`
    return Result.fail(new InvalidOption({ option, issue }))
  })

/**
 * What a member of an options object has to be; `any` is checked elsewhere.
 */
export type Kind =
  | "any"
  | "boolean"
  | "function"
  | "text"
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
  readonly takes: string
  readonly accepts: (given: unknown) => boolean
}

const isNumber = (given: unknown): given is number => typeof given === "number" && !Number.isNaN(given)

const millisOf = (given: unknown): number => {
  if (typeof given === "number" && Number.isNaN(given)) return given
  // Sound: it answers with nothing to whatever is no duration.
  const duration = Duration.fromInput(given as Duration.Input)
  return duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
}

/**
 * True for an `AbortSignal` of any realm, told by its shape.
 */
export const isSignal = (given: unknown): given is AbortSignal =>
  typeof given === "object" &&
  given !== null &&
  "aborted" in given &&
  typeof given.aborted === "boolean" &&
  "addEventListener" in given &&
  typeof given.addEventListener === "function"

const durations = `in milliseconds or as text such as "10 seconds"`

const rules: Readonly<Record<Exclude<Kind, "any">, Rule>> = {
  boolean: { takes: "true or false", accepts: (given) => typeof given === "boolean" },
  function: { takes: "a function", accepts: (given) => typeof given === "function" },
  text: { takes: "text", accepts: (given) => typeof given === "string" },
  record: { takes: "a plain object", accepts: (given) => isObject(given) && !(Symbol.iterator in given) },
  signal: { takes: "an AbortSignal", accepts: isSignal },
  count: { takes: "a whole number above 0", accepts: (given) => Number.isSafeInteger(given) && Number(given) > 0 },
  rate: { takes: "a number above 0", accepts: (given) => isNumber(given) && given > 0 },
  cost: { takes: "a number of at least 0", accepts: (given) => isNumber(given) && given >= 0 },
  fraction: { takes: "a number from 0 to 1", accepts: (given) => isNumber(given) && given >= 0 && given <= 1 },
  duration: { takes: `a duration above zero ${durations}`, accepts: (given) => millisOf(given) > 0 },
  wait: { takes: `a duration ${durations}`, accepts: (given) => millisOf(given) >= 0 },
}

const isPlain = (given: unknown): boolean =>
  given === null || ["number", "bigint", "boolean", "undefined"].includes(typeof given)

/** What came, in a few words; of text only what is too short to be a key. */
const received = (given: unknown): string => {
  if (typeof given === "string") return given.length <= 12 ? JSON.stringify(given) : "text"
  return isPlain(given) ? String(given) : kindOf(given)
}

/**
 * The name of an option as a message may repeat it: of one that is longer than any, only the beginning, because it may be a key.
 */
export const shownName = (name: string): string => (name.length <= 40 ? name : `${name.slice(0, 10)}...`)

/**
 * Says that an option takes something else than what came.
 */
export const wrong = (option: string, takes: string, given: unknown): InvalidOption =>
  new InvalidOption({ option, issue: `takes ${takes}; ${received(given)} came.` })

/**
 * Checks one member of an options object; one that is left out fits.
 *
 * **Errors**
 * - `InvalidOption`: it is of another kind; the message says what it takes and what came.
 */
export const member = (option: string, kind: Kind, given: unknown): Result.Result<void, InvalidOption> => {
  if (kind === "any" || given === undefined) return Result.void
  const { accepts, takes } = rules[kind]
  return accepts(given) ? Result.void : Result.fail(wrong(option, takes, given))
}

/**
 * Checks that options are an object of known names, each of its kind. No options at all count as an empty object.
 *
 * **Errors**
 * - `InvalidOption`: it is not an object, a name is not known, or a member is of another kind. `place` is where it stands, as in `retry`.
 */
export const members = (
  given: unknown,
  kinds: Readonly<Record<string, Kind>>,
  place?: string,
): Result.Result<void, InvalidOption> => {
  if (given === undefined || (given === null && place === undefined)) return Result.void
  const list = Object.keys(kinds).join(", ")
  if (!isObject(given)) {
    const issue = `takes an object of ${list}; ${kindOf(given)} came.`
    return Result.fail(new InvalidOption({ option: place ?? "options", issue }))
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const shown = shownName(name)
    const option = place === undefined ? shown : `${place}.${shown}`
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) return Result.fail(new InvalidOption({ option, issue: `is not known. Known are ${list}.` }))
    const checked = member(option, kind, value)
    if (Result.isFailure(checked)) return checked
  }
  return Result.void
}
