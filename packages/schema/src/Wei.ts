/**
 * Formats and parses amounts in wei, gwei, ether and token units. Exact at any size, without floating point.
 */

/** Number of digits of the largest 256-bit integer. */
const maxDigits = 78

const maxDecimals = 255

/** Throws for values that only an untyped program can pass. */
const check = (amount: unknown, kind: "bigint" | "string", decimals: unknown): void => {
  if (typeof amount !== kind) {
    const received = typeof amount === "bigint" ? `${amount}n` : JSON.stringify(amount)
    throw new TypeError(`Invalid amount: expected a ${kind}, received ${received}.`)
  }
  if (!Number.isInteger(decimals) || (decimals as number) < 0 || (decimals as number) > maxDecimals) {
    const received = typeof decimals === "bigint" ? `${decimals}n` : String(decimals)
    throw new TypeError(`Invalid decimals: expected an integer from 0 to ${maxDecimals}, received ${received}.`)
  }
}

/**
 * Formats an integer amount as decimal text with `decimals` places, without trailing zeros.
 *
 * **Example** (Formatting a token amount)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.formatUnits(1_500_000n, 6)) // 1.5
 * ```
 *
 * Source: ERC-20 (decimals).
 */
export const formatUnits = (amount: bigint, decimals: number): string => {
  check(amount, "bigint", decimals)
  const sign = amount < 0n ? "-" : ""
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === "" ? sign + whole : `${sign}${whole}.${fraction}`
}

/**
 * Parses decimal text as an integer amount with `decimals` places; `undefined` if the text is not an amount or has more places.
 *
 * **Details**
 *
 * Accepts `1`, `1.5`, `.5`, `-0.1`, with at most 78 digits before the point and any number of trailing zeros. Rejects exponents, digit
 * grouping and spaces.
 *
 * **Example** (Parsing a token amount)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.parseUnits("1.5", 6), Wei.parseUnits("0.0000001", 6)) // 1500000n undefined
 * ```
 *
 * Source: ERC-20 (decimals).
 */
export const parseUnits = (text: string, decimals: number): bigint | undefined => {
  check(text, "string", decimals)
  if (text.length > maxDigits + decimals + 32) return undefined
  const match = /^(-?)([0-9]*)(?:\.([0-9]*))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = "", places = ""] = match
  const fraction = places.replace(/0+$/, "")
  if ((whole === "" && places === "") || whole.length > maxDigits || fraction.length > decimals) return undefined
  const amount = BigInt(whole + fraction.padEnd(decimals, "0") || "0")
  return sign === "-" ? -amount : amount
}

/**
 * Formats wei as ether: 10^18 wei are `1`.
 *
 * **Example** (Formatting a value)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.formatEther(1_000_000_000_000_000_001n)) // 1.000000000000000001
 * ```
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const formatEther = (wei: bigint): string => formatUnits(wei, 18)

/**
 * Parses ether as wei; `undefined` if the text is not an amount or has more than 18 places.
 *
 * **Example** (Reading an amount)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.parseEther("1.5"), Wei.parseEther("much")) // 1500000000000000000n undefined
 * ```
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const parseEther = (text: string): bigint | undefined => parseUnits(text, 18)

/**
 * Formats wei as gwei, the usual unit of gas prices: 10^9 wei are `1`.
 *
 * **Example** (Writing a gas price)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.formatGwei(1_500_000_000n)) // 1.5
 * ```
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const formatGwei = (wei: bigint): string => formatUnits(wei, 9)

/**
 * Parses gwei as wei; `undefined` if the text is not an amount or has more than 9 places.
 *
 * **Example** (Reading a gas price)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.parseGwei("1.5")) // 1500000000n
 * ```
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const parseGwei = (text: string): bigint | undefined => parseUnits(text, 9)
