/** Turns what a schema has to say about an answer into a place, what came there, and what belongs there. */
import * as SchemaIssue from "effect/SchemaIssue"

export interface Fault {
  /** As in `result[3].hash`; `body` for the whole. */
  readonly path: string
  readonly came: string
  readonly expected: string
}

interface Place {
  readonly path: string
  readonly value: unknown
}

/** One step into the answer. Where a single object stands for its list, the position has no place of its own. */
const step = (place: Place, key: PropertyKey): Place => {
  const { path, value } = place
  if (typeof key === "number") {
    return Array.isArray(value) ? { path: `${path}[${key}]`, value: value[key] as unknown } : place
  }
  const name = String(key).slice(0, 60)
  const inside = typeof value === "object" && value !== null && Object.hasOwn(value, key)
  return { path: path === "" ? name : `${path}.${name}`, value: inside ? Reflect.get(value, key) : undefined }
}

const showAt = (value: unknown): string => {
  if (value === undefined) return "missing"
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value)
    return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 8).join(", ")}`
  }
  return JSON.stringify(typeof value === "string" ? value.slice(0, 400) : value)
}

const expectedBy = (issue: SchemaIssue.Leaf): string =>
  issue._tag === "MissingKey"
    ? "a value, as the interface has it"
    : SchemaIssue.defaultLeafHook(issue).replace(/^Expected /, "")

const at = (issue: SchemaIssue.Issue, place: Place): Fault => {
  switch (issue._tag) {
    case "Pointer":
      return at(issue.issue, issue.path.reduce(step, place))
    case "Filter":
    case "Encoding":
      return at(issue.issue, place)
    case "Composite":
      return at(issue.issues[0], place)
    case "AnyOf": {
      const [first] = issue.issues
      if (first !== undefined) return at(first, place)
      return { path: place.path || "body", came: showAt(place.value), expected: "another type of value" }
    }
    default:
      return { path: place.path || "body", came: showAt(place.value), expected: expectedBy(issue) }
  }
}

/** The first fault of an answer. */
export const faultOf = (issue: SchemaIssue.Issue, answer: unknown): Fault => at(issue, { path: "", value: answer })
