/** The reason of a revert, from the bytes that it returned. Pure. */

import * as AbiReader from "@daybook/abi/AbiReader"
import * as AbiType from "@daybook/abi/AbiType"
import * as Result from "effect/Result"

/** `Error(string)` and `Panic(uint256)`. */
const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"

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

/** Longest data that is read, in characters. */
const maxCharacters = 16_384

const string = Result.getOrThrow(AbiType.fromParameter({ type: "string" }))
const uint256 = Result.getOrThrow(AbiType.fromParameter({ type: "uint256" }))

/** The value of an error with one parameter; undefined where the data is no clean encoding of it. */
const valueIn = (output: string, type: AbiType.AbiType): string | undefined => {
  const digits = output.length > maxCharacters ? null : AbiReader.digitsOf(output)
  return digits === null ? undefined : AbiReader.read([type], digits, 4, "anything")?.[0]
}

/** Whether the bytes are no error of a contract: nothing, or one of the two that the language itself has. */
export const isPlain = (output: string | null | undefined): boolean =>
  output === null ||
  output === undefined ||
  output.length < 10 ||
  [errorSelector, panicSelector].includes(output.slice(0, 10))

/** The reason in words; undefined where the bytes have none. */
export const reasonOf = (output: string | null | undefined): string | undefined => {
  if (output === null || output === undefined || output.length < 10) return undefined
  const selector = output.slice(0, 10)
  if (selector === errorSelector) return valueIn(output, string)
  if (selector !== panicSelector) return `Custom error ${selector}`
  const value = valueIn(output, uint256)
  if (value === undefined) return undefined
  const code = BigInt(value).toString(16)
  return `Panic 0x${code}: ${panics[code] ?? "unknown code"}`
}
