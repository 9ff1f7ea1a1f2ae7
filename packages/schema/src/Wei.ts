/**
 * Amounts of a chain's coin as decimal text, exact at any size: no floating point anywhere.
 * In the program an amount is a `bigint` of wei; text is for people.
 */

const most = 78

/**
 * Writes an integer amount as decimal text with `decimals` places, without trailing zeros.
 *
 * **Example** (Showing a token's amount)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.toText(1_500_000n, 6)) // 1.5
 * ```
 *
 * Source: ERC-20 (decimals).
 */
export const toText = (amount: bigint, decimals: number): string => {
  const sign = amount < 0n ? "-" : ""
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === "" ? sign + whole : `${sign}${whole}.${fraction}`
}

/**
 * Reads decimal text of at most `decimals` places as an integer amount; `undefined` when it is none.
 *
 * **Details**
 *
 * Takes `1`, `1.5`, `.5`, `-0.1`; at most 78 digits before the point. More places than `decimals` would be lost, so such
 * text is refused, unless they are zeros. No exponents, no grouping, no spaces.
 *
 * Source: ERC-20 (decimals).
 */
export const fromText = (text: string, decimals: number): bigint | undefined => {
  if (text.length > most + decimals + 32) return undefined
  const match = /^(-?)([0-9]*)(?:\.([0-9]*))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = "", places = ""] = match
  const fraction = places.replace(/0+$/, "")
  if ((whole === "" && places === "") || whole.length > most || fraction.length > decimals) return undefined
  const amount = BigInt(whole + fraction.padEnd(decimals, "0") || "0")
  return sign === "-" ? -amount : amount
}

/**
 * Wei as ether text: 10^18 wei are `1`.
 *
 * **Example** (Showing a value)
 *
 * ```ts
 * import * as Wei from "@daybook/schema/Wei"
 *
 * console.log(Wei.toEther(1_000_000_000_000_000_001n)) // 1.000000000000000001
 * ```
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const formatEther = (wei: bigint): string => toText(wei, 18)

/**
 * Ether text as wei; `undefined` when it is no amount, or finer than a wei.
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const parseEther = (text: string): bigint | undefined => fromText(text, 18)

/**
 * Wei as gwei text, the unit in which gas prices are told: 10^9 wei are `1`.
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const formatGwei = (wei: bigint): string => toText(wei, 9)

/**
 * Gwei text as wei; `undefined` when it is no amount, or finer than a wei.
 *
 * Source: Ethereum yellow paper, 2.1.
 */
export const parseGwei = (text: string): bigint | undefined => fromText(text, 9)
