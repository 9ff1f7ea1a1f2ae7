/**
 * Describes invalid values: path, expected value and received value. It is the project's only formatter for them, used for client options,
 * parameters, configuration and responses. It reads the issue tree of a schema error, not its message.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { cut, describe, items, shorten } from "./internal/describe.ts"

export { cut, describe, quote } from "./internal/describe.ts"

/**
 * One invalid value.
 *
 * Source: decision 0012.
 */
export interface Issue {
  /** Path of the value, as in `result[77].logs[1].data`; empty for the whole input. */
  readonly path: string
  /** What is accepted at the path, as in `a hash of 32 bytes in hex`. */
  readonly expected: string
  /** Value received at the path, as shown by `describe` unless another function is given. */
  readonly received: string
}

/**
 * Shows a received value in a message. `path` holds the keys from the whole input to the value.
 *
 * Source: decision 0008.
 */
export type Show = (value: unknown, path: ReadonlyArray<PropertyKey>) => string

const formatKey = (text: string, key: PropertyKey): string => {
  if (typeof key === "number") return `${text}[${key}]`
  const name = cut(String(key))
  return text === "" ? name : `${text}.${name}`
}

/**
 * The text of a path, as in `chains.eth.rpc[0]`; keys longer than an address are cut.
 *
 * **Example** (Writing a path)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 *
 * console.log(Issue.formatPath(["result", 3, "logs"])) // result[3].logs
 * ```
 *
 * Source: decision 0012.
 */
export const formatPath = (path: ReadonlyArray<PropertyKey>): string => path.reduce<string>(formatKey, "")

interface Parent {
  readonly ast: SchemaAST.AST
  readonly value: unknown
}

/** A position in the input: keys from the root, the value there, and the object or array that holds it. */
interface Position {
  readonly path: ReadonlyArray<PropertyKey>
  readonly value: unknown
  readonly parent?: Parent
}

// If a single object is accepted in place of its array, the index is not part of the path in the input.
const descend = ({ parent, path, value }: Position, key: PropertyKey): Position => {
  if (typeof key === "number" && !Array.isArray(value) && value !== undefined) return { path, value }
  const hasKey = typeof value === "object" && value !== null && Object.hasOwn(value, key)
  const inner: Position = { path: [...path, key], value: hasKey ? Reflect.get(value, key) : undefined }
  return parent === undefined ? inner : { ...inner, parent }
}

/** Names of value kinds for sentences; Effect uses the names of TypeScript. */
const kinds: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "a boolean",
  number: "a number",
  object: "an object",
  string: "a string",
}

const nameKinds = (expected: string): string =>
  expected
    .split(" | ")
    .map((part) => (Object.hasOwn(kinds, part) ? kinds[part] : part))
    .join(" or ")

const withoutPrefix = (message: string): string => message.replace(/^Expected /, "")

const expectedByType = (ast: SchemaAST.AST): string =>
  nameKinds(withoutPrefix(SchemaIssue.defaultLeafHook(new SchemaIssue.InvalidType(SchemaAST.toEncoded(ast)))))

/** What is expected for a missing key: what its parent declares. */
const expectedAtMissing = ({ parent, path }: Position): string => {
  const key = path.at(-1)
  const property =
    parent !== undefined && SchemaAST.isObjects(parent.ast)
      ? parent.ast.propertySignatures.find(({ name }) => name === key)
      : undefined
  return property === undefined ? "a value" : expectedByType(property.type)
}

const keysOf = (ast: SchemaAST.AST): string =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)).join(", ") : ""

const issueOfCount = (expected: string, { parent, path }: Position, show: Show): Issue => {
  const arrayPath = path.slice(0, -1)
  return { path: formatPath(arrayPath), expected, received: show(parent?.value, arrayPath) }
}

const issueOfLeaf = (leaf: SchemaIssue.Leaf, position: Position, show: Show): Issue => {
  const { path, value } = position
  const key = path.at(-1)
  switch (leaf._tag) {
    case "MissingKey":
      return typeof key === "number"
        ? issueOfCount(`at least ${items(key + 1)}`, position, show)
        : { path: formatPath(path), expected: expectedAtMissing(position), received: show(value, path) }
    case "UnexpectedKey": {
      if (typeof key === "number") return issueOfCount(`at most ${items(key)}`, position, show)
      const keys = keysOf(leaf.ast)
      const expected = keys === "" ? "no such key" : `one of the keys ${keys}`
      return { path: formatPath(path), expected, received: "an unknown key" }
    }
    default: {
      const expected = nameKinds(withoutPrefix(SchemaIssue.defaultLeafHook(leaf)))
      return { path: formatPath(path), expected, received: show(value, path) }
    }
  }
}

const issuesOfUnion = (union: SchemaIssue.AnyOf, position: Position, show: Show): ReadonlyArray<Issue> => {
  const path = formatPath(position.path)
  const members = union.issues.map((inner) => collect(inner, position, show))
  // A member whose issue is deeper accepts the value's kind, so it is the intended one, unless it only lacks a key.
  const deeper = members.filter(([first]) => first !== undefined && first.path !== path)
  const nothing = show(undefined, position.path)
  const meant = deeper.find(([first]) => first?.received !== nothing) ?? deeper[0]
  if (meant !== undefined) return meant
  const expected = new Set(members.flatMap((issues) => issues.map((issue) => issue.expected)))
  return [
    {
      path,
      expected: expected.size === 0 ? expectedByType(union.ast) : [...expected].join("; or "),
      received: show(position.value, position.path),
    },
  ]
}

const issuesOfFilter = (filter: SchemaIssue.Filter, position: Position, show: Show): ReadonlyArray<Issue> => {
  const annotated = filter.issue._tag === "InvalidValue" ? filter.filter.annotations?.["expected"] : undefined
  const message = SchemaIssue.defaultCheckHook(filter) ?? (typeof annotated === "string" ? annotated : undefined)
  if (message === undefined) return collect(filter.issue, position, show)
  const { path, value } = position
  return [{ path: formatPath(path), expected: withoutPrefix(message), received: show(value, path) }]
}

const collect = (issue: SchemaIssue.Issue, position: Position, show: Show): ReadonlyArray<Issue> => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, issue.path.reduce(descend, position), show)
    case "Encoding":
      return collect(issue.issue, position, show)
    case "Composite":
      return issue.issues.flatMap((inner) =>
        collect(inner, { ...position, parent: { ast: issue.ast, value: position.value } }, show),
      )
    case "Filter":
      return issuesOfFilter(issue, position, show)
    case "AnyOf":
      return issuesOfUnion(issue, position, show)
    default:
      return [issueOfLeaf(issue, position, show)]
  }
}

/**
 * Returns the issues of a schema error: one, unless the schema was run with `errors: "all"`.
 *
 * **Details**
 *
 * `input` is the value that was decoded or encoded; the error itself does not hold it. `show` describes received values. The default,
 * `describe`, cuts long texts; pass another function if a secret must be removed from the text first.
 *
 * **Example** (Reading the issues of a schema error)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 * import * as Issue from "@daybook/schema/Issue"
 * import * as Schema from "effect/Schema"
 *
 * const input = { address: "0x12" }
 * const exit = Schema.decodeUnknownResult(Schema.Struct({ address: Address.Address }))(input)
 * if (exit._tag === "Failure") console.log(Issue.fromError(exit.failure, input)[0]?.path) // address
 * ```
 *
 * Source: decision 0012.
 */
export const fromError = (
  error: Schema.SchemaError | SchemaIssue.Issue,
  input: unknown,
  show: Show = describe,
): ReadonlyArray<Issue> => collect(Schema.isSchemaError(error) ? error.issue : error, { path: [], value: input }, show)

/**
 * Finds all issues of a wire value; empty if it decodes.
 *
 * **Example** (Finding what is wrong with a response)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 * import * as Receipt from "@daybook/schema/Receipt"
 *
 * const issues = Issue.find(Receipt.Log, { address: "0x12", topics: [], data: 7 })
 * console.log(issues.length) // 5
 * console.log(Issue.format("log", issues[0]!)) // Invalid log "address": expected an address of 20 bytes in hex, received "0x12".
 * ```
 *
 * Source: decision 0012.
 */
export const find = (schema: Schema.Codec<unknown, unknown>, wire: unknown): ReadonlyArray<Issue> => {
  const result = SchemaParser.decodeUnknownResult(schema)(wire, { errors: "all" })
  return Result.isFailure(result) ? fromError(result.failure, wire) : []
}

const maxPathCharacters = 80
const maxReceivedCharacters = 100
const maxMessageCharacters = 299

/**
 * Formats an issue as one line: `Invalid <what> "<path>": expected <expected>, received <received>.`
 *
 * **Details**
 *
 * `what` names the input, as in `option`, `parameter`, `response`. An empty path is omitted. The message has fewer than 300 characters;
 * longer parts are cut in the middle.
 *
 * **Example** (Writing a message)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 *
 * console.log(Issue.format("option", { path: "retry.base", expected: "a duration", received: '"soon"' }))
 * // Invalid option "retry.base": expected a duration, received "soon".
 * ```
 *
 * Source: decision 0012.
 */
export const format = (what: string, issue: Issue): string => {
  const path = issue.path === "" ? "" : ` "${shorten(issue.path, maxPathCharacters)}"`
  const head = `Invalid ${shorten(what, maxPathCharacters)}${path}: expected `
  const tail = `, received ${shorten(issue.received, maxReceivedCharacters)}.`
  return `${head}${shorten(issue.expected, maxMessageCharacters - head.length - tail.length)}${tail}`
}
