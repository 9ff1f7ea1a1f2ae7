/** The reason of a revert as text, from the error decoded by the service or from the return data. Pure. */
import type { DecodedItem } from "@daybook/rest/promise"

/** Selectors of Solidity's built-in errors, `Error(string)` and `Panic(uint256)`. */
const plainSelectors = new Set(["0x08c379a0", "0x4e487b71"])

const panics: Readonly<Record<string, string>> = {
  "1": "assertion failed",
  "11": "arithmetic overflow or underflow",
  "12": "division by zero",
  "21": "value is not a member of the enum",
  "22": "wrongly encoded storage",
  "31": "pop of an empty array",
  "32": "index out of bounds",
  "41": "too much memory",
  "51": "call of an uninitialised function",
}

/** Maximum length of a reason, in characters. */
const maxCharacters = 500

const shorten = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text)

const panicText = (value: string): string => {
  const code = BigInt(value).toString(16)
  return `Panic 0x${code}: ${panics[code] ?? "unknown code"}`
}

/** An error in Solidity notation, with named parameters; for the two built-in errors, their reason. */
export const formatError = ({ label, params, signature }: DecodedItem): string => {
  const values = params.map(({ name, value }) => (name === "" ? value : `${name}: ${value}`))
  const first = params[0]?.value
  if (first !== undefined && signature === "Error(string)") return shorten(first)
  if (first !== undefined && signature === "Panic(uint256)") return panicText(first)
  return shorten(`${label}(${values.join(", ")})`)
}

/** The selector of a custom error as text; undefined if the data has none. */
export const formatSelector = (output: string | null | undefined): string | undefined => {
  const selector = output?.slice(0, 10) ?? ""
  return selector.length < 10 || plainSelectors.has(selector) ? undefined : `Custom error ${selector}`
}
