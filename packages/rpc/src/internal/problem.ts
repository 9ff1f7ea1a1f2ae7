/** Says in a few words what a schema refused: where, what came there, and what belongs there. */
import * as Issue from "@daybook/schema/Issue"
import { shorten } from "@daybook/transport/internal/Redaction"
import type * as SchemaIssue from "effect/SchemaIssue"

/** So much of a value that a key in it is still whole when it is taken out; cut it after that. */
export const describeWhole = (value: unknown): string => {
  if (value === undefined) return "missing"
  if (value === "") return "an empty text"
  if (typeof value === "string") return JSON.stringify(value.slice(0, 1_000))
  if (typeof value === "bigint") return `${value}n`
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`
  if (Array.isArray(value) && value.length > 3) return `an array of ${value.length}`
  try {
    return (JSON.stringify(value) ?? "a value without a text").slice(0, 10_000)
  } catch {
    return "a value that is not JSON"
  }
}

/** A value of the program's own in a few words, in which nothing that may be a private key is whole. */
export const describe = (value: unknown): string => {
  if (value === undefined) return "missing"
  if (value === "") return "an empty text"
  const isInexact = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
  return `${Issue.describe(value)}${isInexact ? " (a number so large is not exact: give a bigint)" : ""}`
}

/** All that is wrong with `value`. A path is as in `.transactions[3].hash`, and empty for the value itself. */
export const issues = (
  issue: SchemaIssue.Issue,
  value: unknown,
  showing: (value: unknown) => string,
): ReadonlyArray<Issue.Issue> =>
  Issue.fromError(issue, value, showing).map(({ path, received, expected }) => ({
    path: path === "" || path.startsWith("[") ? path : `.${path}`,
    received,
    expected: shorten(expected, 300),
  }))

/** The first thing that is wrong with `value`. */
export const firstProblem = (
  issue: SchemaIssue.Issue,
  value: unknown,
  showing: (value: unknown) => string,
): Issue.Issue => {
  // Sound: an issue has at least one problem.
  const [first] = issues(issue, value, showing) as [Issue.Issue]
  return first
}
