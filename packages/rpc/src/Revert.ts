/**
 * Reason of a revert, decoded from the bytes that the node returns.
 * `Error(string)` and `Panic(uint256)` are built into Solidity; a custom error is left as data, to be decoded with the ABI of its contract.
 */

/**
 * The reason of a revert.
 *
 * **Details**
 * - `Error`: the message of `require` or `revert`.
 * - `Panic`: a failed check of the compiler, identified by its code; `reason` is its meaning.
 * - `Custom`: a custom error, with its `selector` and all bytes for decoding.
 * - `Empty`: no bytes at all.
 *
 * Source: Solidity, error handling.
 */
export type Revert =
  | { readonly _tag: "Error"; readonly reason: string }
  | { readonly _tag: "Panic"; readonly code: bigint; readonly reason: string }
  | { readonly _tag: "Custom"; readonly selector: `0x${string}`; readonly data: `0x${string}` }
  | { readonly _tag: "Empty" }

/** Source: Solidity, panic codes. */
const panics: Readonly<Record<string, string>> = {
  0x00: "a compiler panic",
  0x01: "a failed assertion",
  0x11: "an arithmetic overflow or underflow",
  0x12: "a division by zero",
  0x21: "a value outside its enum",
  0x22: "an invalid storage array",
  0x31: "pop on an empty array",
  0x32: "an array index out of bounds",
  0x41: "too much memory allocated",
  0x51: "an uninitialized function",
}

const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"

const isBytes = (text: string): text is `0x${string}` => /^0x(?:[0-9a-f]{2})*$/i.test(text)

const textAt = (digits: string): string | undefined => {
  const offset = Number.parseInt(digits.slice(0, 64), 16) * 2
  const length = Number.parseInt(digits.slice(offset, offset + 64), 16) * 2
  const start = offset + 64
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || start + length > digits.length) return undefined
  const bytes = Uint8Array.from({ length: length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(start + at * 2, start + at * 2 + 2), 16),
  )
  return new TextDecoder().decode(bytes)
}

/**
 * Decodes the bytes of a revert; undefined if the text is not hex bytes.
 *
 * **Example** (Decoding a reason)
 *
 * ```ts
 * import * as Revert from "@daybook/rpc/Revert"
 *
 * const word = (value: number) => value.toString(16).padStart(64, "0")
 * const paused = "706175736564".padEnd(64, "0")
 * console.log(Revert.fromData(`0x08c379a0${word(32)}${word(6)}${paused}`)) // { _tag: 'Error', reason: 'paused' }
 * ```
 *
 * Source: Solidity, error handling.
 */
export const fromData = (data: string): Revert | undefined => {
  if (!isBytes(data)) return undefined
  if (data.length === 2) return { _tag: "Empty" }
  const selector = data.slice(0, 10).toLowerCase()
  if (selector === errorSelector) {
    const reason = textAt(data.slice(10))
    if (reason !== undefined) return { _tag: "Error", reason }
  }
  if (selector === panicSelector && data.length === 74) {
    const code = BigInt(`0x${data.slice(10)}`)
    return { _tag: "Panic", code, reason: panics[code.toString()] ?? "an unknown panic" }
  }
  return { _tag: "Custom", selector: selector as `0x${string}`, data }
}

/** Finds the bytes in `data`: directly (geth), after a word (parity, nethermind), or in an object (hardhat, ganache). */
const bytesIn = (data: unknown, depth: number): string | undefined => {
  if (typeof data === "string") return /^(?:reverted\s+)?(0x[0-9a-f]*)$/i.exec(data.trim())?.[1]
  if (typeof data !== "object" || data === null || depth === 0) return undefined
  const object = data as Readonly<Record<string, unknown>>
  for (const key of ["data", "result", "output", "return", "originalError", "error"]) {
    const found = bytesIn(object[key], depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Decodes the revert in the `data` of a node's error, wherever the node puts its bytes; undefined if there are none.
 *
 * **Example** (Finding the revert in the data of an error)
 *
 * ```ts
 * import * as Revert from "@daybook/rpc/Revert"
 *
 * const word = (value: number) => value.toString(16).padStart(64, "0")
 * const data = `0x08c379a0${word(32)}${word(6)}${"706175736564".padEnd(64, "0")}`
 * console.log(Revert.fromError({ originalError: { data } })) // { _tag: 'Error', reason: 'paused' }
 * ```
 */
export const fromError = (data: unknown): Revert | undefined => {
  const bytes = bytesIn(data, 3)
  return bytes === undefined ? undefined : fromData(bytes)
}

/**
 * Formats the reason of `Error(string)` or `Panic(uint256)`; undefined for any other revert, or for none.
 *
 * **Example** (Writing a panic)
 *
 * ```ts
 * import * as Revert from "@daybook/rpc/Revert"
 *
 * const data = `0x4e487b71${"12".padStart(64, "0")}`
 * console.log(Revert.formatReason(Revert.fromData(data))) // Panic 0x12: a division by zero
 * ```
 */
export const formatReason = (revert: Revert | undefined): string | undefined => {
  if (revert?._tag === "Error") return revert.reason
  return revert?._tag === "Panic" ? `Panic 0x${revert.code.toString(16)}: ${revert.reason}` : undefined
}
