/**
 * Names of enum values, which an ABI only has as numbers: read from the sources of a project and added to the ABIs of its artifacts.
 * Sources are searched for declarations, not compiled; a name with two declarations has no values. Pure.
 *
 * Source: Solidity documentation, enums and ABI specification (`internalType`); decision 0059.
 */
import * as Abi from "@daybook/schema/Abi"

/** Names of values, by the name of the enum, qualified by its contract if it has one. */
export type EnumNames = ReadonlyMap<string, ReadonlyArray<string>>

/** Longest source searched, in characters. */
export const maxCharacters = 1_048_576

/** Comments and strings, which contain no declarations. */
const comments = /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g

/** Start of a contract or an enum, and braces. */
const tokens =
  /\b(?:contract|interface|library)\s+(?<contract>[A-Za-z_$][\w$]*)|\benum\s+(?<name>[A-Za-z_$][\w$]*)\s*\{(?<members>[^{}]*)\}|[{}]/g

/** The enums of a source. */
export const fromSource = (text: string): EnumNames => {
  const found = new Map<string, ReadonlyArray<string>>()
  if (text.length > maxCharacters) return found
  let [contract, depth] = ["", 0]
  for (const { 0: token, groups = {} } of text.replaceAll(comments, " ").matchAll(tokens)) {
    const { contract: begun, members = "", name } = groups
    if (begun !== undefined && depth === 0) contract = begun
    else if (token === "{") depth++
    else if (token === "}") depth = Math.max(0, depth - 1)
    else if (name !== undefined) {
      const values = members
        .split(",")
        .map((value) => value.trim())
        .filter((value) => value !== "")
      if (values.length <= Abi.maxMembers) found.set(depth === 0 ? name : `${contract}.${name}`, values)
    }
  }
  return found
}

/** Enums of several sources, except those with conflicting declarations. */
export const join = (all: Iterable<EnumNames>): EnumNames => {
  const joined = new Map<string, ReadonlyArray<string>>()
  const ambiguous = new Set<string>()
  for (const names of all) {
    for (const [name, values] of names) {
      const before = joined.get(name)
      if (before !== undefined && before.join() !== values.join()) ambiguous.add(name)
      joined.set(name, values)
    }
  }
  for (const name of ambiguous) joined.delete(name)
  return joined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Deepest nesting of tuples searched. */
const maxDepth = 16

const parametersWith = (value: unknown, names: EnumNames, depth = 0): unknown =>
  !Array.isArray(value) || depth > maxDepth
    ? value
    : value.map((parameter: unknown) => {
        if (!isObject(parameter)) return parameter
        const { components, internalType } = parameter
        const name =
          typeof internalType === "string" ? /^enum (?<name>[\w$.]+)/.exec(internalType)?.groups?.["name"] : undefined
        return {
          ...parameter,
          components: parametersWith(components, names, depth + 1),
          enum: name === undefined ? undefined : names.get(name),
        }
      })

/** Adds the names of enum values to the items of an ABI. */
export const addTo = (abi: ReadonlyArray<unknown>, names: EnumNames): ReadonlyArray<unknown> =>
  abi.map((item) =>
    isObject(item)
      ? { ...item, inputs: parametersWith(item["inputs"], names), outputs: parametersWith(item["outputs"], names) }
      : item,
  )
