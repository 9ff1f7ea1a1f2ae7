/**
 * Checks at run time what the types of a client's options say, for programs that are not type-checked.
 * No message shows a value that may hold a key.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidOption } from "./ClientError.ts"

const kindOf = (given: unknown): string => {
  if (Array.isArray(given)) return "a list"
  if (typeof given === "string") return "text"
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
 *
 * @category combinators
 * @since 0.1.0
 */
export const text = (option: string, takes: string, given: unknown): Result.Result<string, InvalidOption> => {
  const found = textOf(given)
  if (typeof found === "string") return Result.succeed(found)
  const came = found === undefined || found === null ? "is missing" : `is ${kindOf(found)}`
  return Result.fail(new InvalidOption({ option, problem: `${came}. It takes ${takes}.` }))
}

/**
 * The text of a URL that paths are put after: as `text`, and without a query or a fragment.
 *
 * **Errors**
 * - `InvalidOption`: it is missing, of another kind, or has a query or a fragment.
 *
 * @category combinators
 * @since 0.1.0
 */
export const baseUrl = (option: string, takes: string, given: unknown): Result.Result<string, InvalidOption> =>
  Result.flatMap(text(option, takes, given), (found) => {
    const part = /[?#]/.exec(found)?.[0]
    if (part === undefined) return Result.succeed(found)
    const problem = `has a ${part === "?" ? "query" : "fragment"}, which has no meaning there. It takes ${takes}; what was given is not shown.`
    return Result.fail(new InvalidOption({ option, problem }))
  })

/**
 * Checks that options are an object with no other names than the known ones; nothing at all counts as an empty one.
 *
 * **Errors**
 * - `InvalidOption`: it is not an object, or a name is not known. `option` is where it stands, as in `retry`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const names = (
  given: unknown,
  known: ReadonlyArray<string>,
  option?: string,
): Result.Result<void, InvalidOption> => {
  const list = known.join(", ")
  if (given === undefined || given === null) return Result.void
  if (typeof given !== "object" || Array.isArray(given) || given instanceof URL || Redacted.isRedacted(given)) {
    const problem = `takes an object of ${list}; ${kindOf(given)} came.`
    return Result.fail(new InvalidOption({ option: option ?? "options", problem }))
  }
  const stray = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name))
  if (stray === undefined) return Result.void
  const name = option === undefined ? stray[0] : `${option}.${stray[0]}`
  return Result.fail(new InvalidOption({ option: name, problem: `is not known. Known are ${list}.` }))
}
