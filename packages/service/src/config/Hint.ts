/**
 * Suggestions for invalid values of the configuration: a known key similar to an unknown one, or the right level for the key of a chain.
 */
import { quote } from "@daybook/schema/Issue"
import { ChainConfig } from "./ChainConfig.ts"

const keysOfChain = Object.keys(ChainConfig.fields)

const listPrefix = "one of the keys "

/** Edit distance of two texts: changes of one letter, or swaps of neighbouring letters. */
const distance = (one: string, other: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          last[j]! + 1,
          row[j - 1]! + 1,
          last[j - 1]! + (isSame ? 0 : 1),
          swapped ? beforeLast[j - 2]! + 1 : Infinity,
        ),
      )
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[other.length]!
}

/** Longer keys are cut in messages, and are not misspellings. */
const longestKey = 40

/**
 * Known key most similar to an unknown one, if similar enough: it differs only in case, in at most a third of its letters, or has the same
 * prefix.
 */
const nearest = (key: string, keys: ReadonlyArray<string>): string | undefined => {
  if (key.length > longestKey) return undefined
  const lower = key.toLowerCase()
  const [found] = keys
    .map((name) => {
      const other = name.toLowerCase()
      const isBegin = lower.length > 2 && other.length > 2 && (lower.startsWith(other) || other.startsWith(lower))
      return { name, edits: isBegin ? 1 : distance(lower, other) }
    })
    .filter(({ edits, name }) => edits <= Math.max(1, Math.floor(Math.min(name.length, key.length) / 3)))
    .toSorted((one, other) => one.edits - other.edits)
  return found?.name
}

/** A sentence to append to an issue, preceded by a space; empty if there is no suggestion. */
export const forIssue = (path: string, expected: string): string => {
  if (path.endsWith(".rpc") && expected === "an array") return ' Write ["http://127.0.0.1:8545"].'
  if (!expected.startsWith(listPrefix)) return ""
  const key = path.slice(path.lastIndexOf(".") + 1)
  const meant = nearest(key, expected.slice(listPrefix.length).split(", "))
  if (meant !== undefined) return ` Did you mean ${quote(meant)}?`
  return path === key && keysOfChain.includes(key) ? ' It is a key of a chain: write it in "chains.NAME".' : ""
}
