/**
 * Says in words what a schema refused: one line for each problem, with the place, what was expected and what came.
 * A `SchemaError` has a message of its own; use this where many problems, one line each, or what came is wanted.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

/**
 * One thing that is wrong with a value.
 *
 * Source: decision 0012.
 *
 * @category models
 * @since 0.1.0
 */
export interface Problem {
  /** Where, as in `result[77].logs[1].data`; empty for the whole value. */
  readonly path: string
  /** What belongs there, as in `a hash of 32 bytes in hex`. */
  readonly expected: string
  /** What came, in at most about a hundred characters. */
  readonly came: string
}

interface Place {
  readonly path: string
  readonly value: unknown
}

const shorten = (text: string, most: number): string => {
  if (text.length <= most) return text
  const half = (most - 3) >> 1
  return `${text.slice(0, half)}...${text.slice(-half)}`
}

const show = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (typeof value === "string") {
    const text = JSON.stringify(shorten(value, 60))
    return value.length > 60 ? `${text} (${value.length} characters)` : text
  }
  if (typeof value === "bigint") return `${shorten(value.toString(), 60)}n`
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`
  if (typeof value === "object" && value !== null) {
    if (value instanceof Date) return "a Date"
    const keys = Object.keys(value)
    return keys.length === 0 ? "an empty object" : `an object with ${shorten(keys.slice(0, 5).join(", "), 80)}`
  }
  return typeof value === "number" || typeof value === "boolean" || value === null ? `${value}` : `a ${typeof value}`
}

// Where a single object stands for its list, the position in the list is no place in what came.
const step = ({ path, value }: Place, key: PropertyKey): Place => {
  if (typeof key === "number") {
    return Array.isArray(value) ? { path: `${path}[${key}]`, value: value[key] } : { path, value }
  }
  const name = shorten(String(key), 60)
  const inside = typeof value === "object" && value !== null && Object.hasOwn(value, key)
  return { path: path === "" ? name : `${path}.${name}`, value: inside ? Reflect.get(value, key) : undefined }
}

const expectedBy = (issue: SchemaIssue.Leaf): string =>
  issue._tag === "MissingKey" ? "this key" : SchemaIssue.defaultLeafHook(issue).replace(/^Expected /, "")

type Show = (value: unknown) => string

const collect = (issue: SchemaIssue.Issue, place: Place, into: Array<Problem>, showing: Show): void => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, issue.path.reduce(step, place), into, showing)
    case "Encoding":
      return collect(issue.issue, place, into, showing)
    case "Filter": {
      const message = SchemaIssue.defaultCheckHook(issue)
      if (message === undefined) return collect(issue.issue, place, into, showing)
      into.push({ path: place.path, expected: message.replace(/^Expected /, ""), came: showing(place.value) })
      return
    }
    case "Composite":
      for (const inner of issue.issues) collect(inner, place, into, showing)
      return
    case "AnyOf": {
      const members = issue.issues.map((inner) => {
        const found: Array<Problem> = []
        collect(inner, place, found, showing)
        return found
      })
      // Where members fit as far as their kind, the first is the one that was meant most; else any of them will do.
      const deeper = members.find(([first]) => first !== undefined && first.path !== place.path)
      if (deeper !== undefined) {
        into.push(...deeper)
        return
      }
      const kinds = new Set(members.flatMap((found) => found.map(({ expected }) => expected)))
      const expected = kinds.size === 0 ? "another kind of value" : [...kinds].join("; or ")
      into.push({ path: place.path, expected, came: showing(place.value) })
      return
    }
    default:
      into.push({ path: place.path, expected: expectedBy(issue), came: showing(place.value) })
  }
}

/**
 * The problems that an error of a schema tells of: one, unless the schema was asked for all (`errors: "all"`).
 *
 * `value` is what was decoded; it is needed to say what came. `showing` says it in words: by default in at most about a hundred
 * characters, which may cut what has to be found and taken out as a whole, such as a key.
 *
 * Source: decision 0012.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromError = (
  error: Schema.SchemaError | SchemaIssue.Issue,
  value: unknown,
  showing: (value: unknown) => string = show,
): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  collect(Schema.isSchemaError(error) ? error.issue : error, { path: "", value }, problems, showing)
  return problems
}

/**
 * Every problem of a value of the wire; none when it decodes.
 *
 * **Example** (Telling what is wrong with an answer)
 *
 * ```ts
 * import * as Problem from "@daybook/schema/Problem"
 * import * as Receipt from "@daybook/schema/Receipt"
 *
 * const lines = Problem.find(Receipt.Log, { address: "0x12", topics: [], data: 7 }).map(Problem.toLine)
 * console.log(lines[0]) // address: expected an address of 20 bytes in hex, got "0x12"
 * console.log(lines.length) // 5
 * ```
 *
 * Source: decision 0012.
 *
 * @category constructors
 * @since 0.1.0
 */
export const find = (schema: Schema.Codec<unknown, unknown>, wire: unknown): ReadonlyArray<Problem> => {
  const result = SchemaParser.decodeUnknownResult(schema)(wire, { errors: "all" })
  return Result.isFailure(result) ? fromError(result.failure, wire) : []
}

/**
 * A problem as one line of fewer than 300 characters.
 *
 * Source: decision 0012.
 *
 * @category combinators
 * @since 0.1.0
 */
export const toLine = (problem: Problem): string => {
  const said = `expected ${shorten(problem.expected, 120)}, got ${shorten(problem.came, 100)}`
  return problem.path === "" ? said : `${shorten(problem.path, 290 - said.length)}: ${said}`.replaceAll(/\s+/g, " ")
}
