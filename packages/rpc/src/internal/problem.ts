/** Says in a few words what a schema refused: where, what came there, and what belongs there. */
import { shorten } from "@daybook/transport/Redaction"
import * as SchemaIssue from "effect/SchemaIssue"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** A value in a few words, at most about a hundred characters. */
export const describe = (value: unknown): string => {
  if (value === undefined) return "missing"
  if (value === "") return "an empty text"
  if (typeof value === "string") return shorten(JSON.stringify(value.slice(0, 400)), 100)
  if (typeof value === "bigint") return `${value}n`
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`
  if (Array.isArray(value) && value.length > 3) return `an array of ${value.length}`
  try {
    return shorten(JSON.stringify(value) ?? "a value without a text", 100)
  } catch {
    return "a value that is not JSON"
  }
}

const keysOf = (path: ReadonlyArray<unknown> | undefined): ReadonlyArray<PropertyKey> =>
  (path ?? []).map((part) => {
    const key: unknown = typeof part === "object" && part !== null && "key" in part ? part.key : part
    return typeof key === "number" || typeof key === "symbol" ? key : String(key)
  })

const valueAt = (value: unknown, keys: ReadonlyArray<PropertyKey>): unknown =>
  keys.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Readonly<Record<PropertyKey, unknown>>)[key] : undefined,
    value,
  )

const pathText = (keys: ReadonlyArray<PropertyKey>): string =>
  keys.reduce<string>(
    (text, key) => (/^\d+$/.test(String(key)) ? `${text}[${String(key)}]` : `${text}.${String(key)}`),
    "",
  )

/** Where a value is wrong and how. */
export interface Problem {
  /** As in `.transactions[3].hash`; empty for the value itself. */
  readonly path: string
  readonly came: string
  readonly expected: string
}

/** The first thing that is wrong with `value`. */
export const firstProblem = (issue: SchemaIssue.Issue, value: unknown): Problem => {
  const first = format(issue).issues[0]
  const keys = keysOf(first?.path)
  const message = first?.message ?? "Expected another value"
  const expected = /^Expected (.*)$/s.exec(message)?.[1]
  const wanted = expected ?? (message === "Missing key" ? "this key" : message)
  return { path: pathText(keys), came: describe(valueAt(value, keys)), expected: shorten(wanted, 300) }
}
