/** Turns what a schema has to say about an answer into a place, what came there, and what belongs there. */
import * as Issue from "@daybook/schema/Issue"
import type * as SchemaIssue from "effect/SchemaIssue"

/** So much of a value that a key in it is still whole when it is taken out; what is shown is shorter. */
const showWhole = (value: unknown): string => {
  if (value === undefined) return "missing"
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value)
    return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 8).join(", ")}`
  }
  return JSON.stringify(typeof value === "string" ? value.slice(0, 400) : value)
}

/** The first fault of an answer; its path is `body` for the whole. */
export const faultOf = (issue: SchemaIssue.Issue, answer: unknown): Issue.Issue => {
  const [first] = Issue.fromError(issue, answer, showWhole)
  // Sound: an issue has at least one problem.
  const { path, received, expected } = first as Issue.Issue
  return { path: path || "body", received, expected }
}
