/**
 * Bounds the parsed result of a tracer by the rules of `TraceBudget`, with the same outcome as `TraceFilter` on its text. Applied to
 * responses too small to be filtered as they arrive.
 *
 * Source: decision 0036.
 */
import * as FrameData from "./FrameData.ts"
import * as TraceBudget from "./TraceBudget.ts"
import * as TraceKeys from "./TraceKeys.ts"

/**
 * A bounded result, or why there is none.
 */
export type Bounded =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Error"; readonly code: number; readonly message: string }

type Fields = Record<string, unknown>

interface Walk {
  readonly budget: TraceBudget.TraceBudget
  readonly element: TraceBudget.Element
}

/** Writes the replacement of data. If the node's own member with the same key follows, that one stands, as in the text. */
const replace = (fields: Fields, keys: ReadonlyArray<string>, key: string, text: string, budget: number): void => {
  const data = FrameData.make(key, budget)
  FrameData.add(data, Buffer.from(text, "latin1"))
  if (key === "revertReason") {
    fields[key] = ""
    return
  }
  // Sound: a replacement is the rest of a JSON object whose first key is that of the data.
  const replacement = JSON.parse(`{"${key}":${FrameData.replacement(data)}}`) as Fields
  const at = keys.indexOf(key)
  for (const [name, value] of Object.entries(replacement)) if (keys.indexOf(name) <= at) fields[name] = value
}

const isContainer = (value: unknown): value is Fields | ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null

/** Enters an object or array; false if its element exceeds a bound, in which case the rest is not read. */
const enter = ({ budget, element }: Walk, levels: number, holderKey: string): boolean => {
  element.excess = TraceBudget.enter(budget, element, levels, holderKey === "calls")
  return element.excess === null
}

/** Reads an object or array of an element and its contents, which the depth limit keeps shallow; false beyond a bound. */
const read = (walk: Walk, value: Fields | ReadonlyArray<unknown>, levels: number, key: string): boolean => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    for (const item of items) {
      if (isContainer(item) && !(enter(walk, levels + 1, key) && read(walk, item, levels + 1, ""))) return false
    }
    return true
  }
  // Sound: it is not a list.
  const fields = value as Fields
  const { budget, element } = walk
  /** The keys as received, once a member is replaced. */
  let keys: ReadonlyArray<string> | undefined
  for (const name in fields) {
    const member = fields[name]
    if (levels === 1 && name === "action") element.isFlat = true
    if (typeof member === "string") {
      if (TraceKeys.dataKeys.has(name)) {
        const left = TraceBudget.remaining(budget)
        if (FrameData.isKept(member.length, left)) TraceBudget.keep(budget, member.length)
        else replace(fields, (keys ??= Object.keys(fields)), name, member, left)
      } else if (levels === 1 && TraceKeys.hashKeys.has(name)) element.hash = member.slice(0, TraceBudget.maxHash)
    } else if (isContainer(member) && !(enter(walk, levels + 1, key) && read(walk, member, levels + 1, name))) {
      return false
    }
  }
  return true
}

/** Reads an element, and decides how to handle it. */
const boundElement = (budget: TraceBudget.TraceBudget, value: Fields, isWhole: boolean) => {
  const element = TraceBudget.element(isWhole)
  const walk = { budget, element }
  if (enter(walk, 1, "")) read(walk, value, 1, "")
  return { element, decision: TraceBudget.end(budget, element) }
}

/**
 * Bounds a result in place.
 */
export const bound = (result: unknown, limits: TraceBudget.Limits): Bounded => {
  const budget = TraceBudget.make(limits)
  if (!isContainer(result)) return { _tag: "Result", result }
  if (!Array.isArray(result)) {
    // Sound: it is not a list.
    const { decision, element } = boundElement(budget, result as Fields, true)
    return decision === "keep"
      ? { _tag: "Result", result }
      : { _tag: "Error", code: TraceBudget.errorCode, message: TraceBudget.messageOf(element) }
  }
  const items: ReadonlyArray<unknown> = result
  const kept: Array<unknown> = []
  for (const item of items) {
    if (!isContainer(item) || Array.isArray(item)) {
      kept.push(item)
      continue
    }
    // Sound: it is not a list.
    const { decision, element } = boundElement(budget, item as Fields, false)
    if (decision === "keep") kept.push(item)
    else if (decision === "replace") kept.push(TraceBudget.replacementOf(element))
  }
  return { _tag: "Result", result: kept }
}
