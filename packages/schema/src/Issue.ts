/**
 * Says in words what a schema refused: one line for each problem, with the place, what was expected and what came.
 * A `SchemaError` has a message of its own; use this where many problems, one line each, or what came is wanted.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

/**
 * One thing that is wrong with a value.
 *
 * Source: decision 0012.
 */
export interface Issue {
  /** Where, as in `result[77].logs[1].data`; empty for the whole value. */
  readonly path: string
  /** What belongs there, as in `a hash of 32 bytes in hex`. */
  readonly expected: string
  /** What came, as `describe` has it unless asked for otherwise. */
  readonly received: string
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

/** An address is shown whole. Keys of 32 bytes have 43 characters or more, in hex and in base64. */
const mostShown = 42

const shownOfLonger = 10

/**
 * A text as a message may repeat it, without quotes: whole up to the length of an address, else its first ten characters, so that a
 * private key that was given by mistake stays out of errors and logs.
 *
 * Source: decision 0008.
 */
export const cut = (text: string): string => (text.length <= mostShown ? text : `${text.slice(0, shownOfLonger)}...`)

/**
 * A text as a message quotes it: as `cut` has it, in quotes on one line, with its length when it is cut.
 *
 * **Example** (Quoting what may be a private key)
 *
 * ```ts
 * import * as Problem from "@daybook/schema/Issue"
 *
 * console.log(Problem.quote("0x12")) // "0x12"
 * console.log(Problem.quote("0xac0974be".padEnd(66, "7"))) // "0xac0974be..." (66 characters)
 * ```
 *
 * Source: decision 0008.
 */
export const quote = (text: string): string =>
  text.length <= mostShown ? JSON.stringify(text) : `${JSON.stringify(cut(text))} (${text.length} characters)`

const shownKeys = 5

/**
 * A value in at most about two hundred characters, such as `an object with to, data`; none of its texts and keys in full where it is
 * longer than an address.
 *
 * Source: decision 0008.
 */
export const describe = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (typeof value === "string") return quote(value)
  if (typeof value === "bigint") {
    const digits = value.toString()
    return digits.length <= mostShown ? `${digits}n` : `${cut(digits)}n (${digits.length} digits)`
  }
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  if (typeof value === "object" && value !== null) {
    if (value instanceof Date) return "a Date"
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
    const keys = Object.keys(value)
    if (keys.length === 0) return "an empty object"
    return `an object with ${keys.slice(0, shownKeys).map(cut).join(", ")}${keys.length > shownKeys ? ", ..." : ""}`
  }
  return typeof value === "number" || typeof value === "boolean" || value === null ? `${value}` : `a ${typeof value}`
}

// Where a single object stands for its list, the position in the list is no place in what came.
const step = ({ path, value }: Place, key: PropertyKey): Place => {
  if (typeof key === "number") {
    return Array.isArray(value) ? { path: `${path}[${key}]`, value: value[key] } : { path, value }
  }
  const name = cut(String(key))
  const inside = typeof value === "object" && value !== null && Object.hasOwn(value, key)
  return { path: path === "" ? name : `${path}.${name}`, value: inside ? Reflect.get(value, key) : undefined }
}

/** Kinds of values in words of JSON; Effect names them as TypeScript does. */
const kindWords: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  string: "text",
}

const keysOf = (ast: SchemaAST.AST): string =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)).join(", ") : ""

const expectedBy = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "MissingKey") return "this key"
  if (issue._tag === "UnexpectedKey") {
    const keys = keysOf(issue.ast)
    return keys === "" ? "no such key" : `one of the keys ${keys}`
  }
  const expected = SchemaIssue.defaultLeafHook(issue).replace(/^Expected /, "")
  return Object.hasOwn(kindWords, expected) ? (kindWords[expected] ?? expected) : expected
}

type Show = (value: unknown) => string

const collect = (issue: SchemaIssue.Issue, place: Place, into: Array<Issue>, showing: Show): void => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, issue.path.reduce(step, place), into, showing)
    case "Encoding":
      return collect(issue.issue, place, into, showing)
    case "Filter": {
      const told = issue.issue._tag === "InvalidValue" ? issue.filter.annotations?.["expected"] : undefined
      const message = SchemaIssue.defaultCheckHook(issue) ?? (typeof told === "string" ? told : undefined)
      if (message === undefined) return collect(issue.issue, place, into, showing)
      into.push({ path: place.path, expected: message.replace(/^Expected /, ""), received: showing(place.value) })
      return
    }
    case "Composite":
      for (const inner of issue.issues) collect(inner, place, into, showing)
      return
    case "AnyOf": {
      const members = issue.issues.map((inner) => {
        const found: Array<Issue> = []
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
      into.push({ path: place.path, expected, received: showing(place.value) })
      return
    }
    default:
      into.push({ path: place.path, expected: expectedBy(issue), received: showing(place.value) })
  }
}

/**
 * The problems that an error of a schema tells of: one, unless the schema was asked for all (`errors: "all"`).
 *
 * `value` is what was decoded; it is needed to say what came. `showing` says it in words: by default as `describe`, which may cut
 * what has to be found and taken out as a whole, such as the key of an endpoint.
 *
 * Source: decision 0012.
 */
export const fromError = (
  error: Schema.SchemaError | SchemaIssue.Issue,
  value: unknown,
  showing: (value: unknown) => string = describe,
): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  collect(Schema.isSchemaError(error) ? error.issue : error, { path: "", value }, issues, showing)
  return issues
}

/**
 * Every problem of a value of the wire; none when it decodes.
 *
 * **Example** (Telling what is wrong with an answer)
 *
 * ```ts
 * import * as Problem from "@daybook/schema/Issue"
 * import * as Receipt from "@daybook/schema/Receipt"
 *
 * const lines = Problem.find(Receipt.Log, { address: "0x12", topics: [], data: 7 }).map(Problem.toLine)
 * console.log(lines[0]) // address: expected an address of 20 bytes in hex, got "0x12"
 * console.log(lines.length) // 5
 * ```
 *
 * Source: decision 0012.
 */
export const find = (schema: Schema.Codec<unknown, unknown>, wire: unknown): ReadonlyArray<Issue> => {
  const result = SchemaParser.decodeUnknownResult(schema)(wire, { errors: "all" })
  return Result.isFailure(result) ? fromError(result.failure, wire) : []
}

/**
 * A problem as one line of fewer than 300 characters.
 *
 * Source: decision 0012.
 */
export const toLine = (issue: Issue): string => {
  const said = `expected ${shorten(issue.expected, 120)}, got ${shorten(issue.received, 100)}`
  return issue.path === "" ? said : `${shorten(issue.path, 290 - said.length)}: ${said}`.replaceAll(/\s+/g, " ")
}
