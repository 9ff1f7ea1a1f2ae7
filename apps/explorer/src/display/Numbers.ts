/** Numbers as text. What is cut off is marked, so that no number is rounded without a sign of it. Pure. */

/** A number for the screen, and in full. */
export interface Shown {
  /** Ends with an ellipsis where digits were cut off. */
  readonly text: string
  readonly exact: string
}

/** Digits after the point that are shown, unless the number would read as 0. */
const shownDigits = 6

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")

/** A whole number with separators of thousands. */
export const formatInteger = (value: bigint | number): string => {
  const text = String(value)
  return text.startsWith("-") ? `-${grouped(text.slice(1))}` : grouped(text)
}

/** Digits of a fraction: at least `shownDigits`, and four from the first one that is not zero. */
const cut = (fraction: string): string => {
  const first = fraction.search(/[1-9]/)
  return fraction.slice(0, Math.max(shownDigits, first + 4))
}

/** The exact decimal form of an amount, without separators and without zeros at its end. */
export const formatUnits = (amount: bigint, decimals: number): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0")
  const at = digits.length - decimals
  const fraction = digits.slice(at).replace(/0+$/, "")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, at)}${fraction === "" ? "" : `.${fraction}`}`
}

/** An amount in units of its asset; `isWhole` with every digit. */
export const formatAmount = (amount: bigint, decimals: number, isWhole = false): Shown => {
  const exact = formatUnits(amount, decimals)
  const [whole = "0", fraction = ""] = exact.replace(/^-/, "").split(".")
  const shown = isWhole ? fraction : cut(fraction)
  const sign = amount < 0n ? "-" : ""
  const end = shown.length < fraction.length ? "…" : ""
  return { text: `${sign}${grouped(whole)}${shown === "" ? "" : `.${shown}`}${end}`, exact }
}

/** A part of a whole in percent, with two digits; marked with `<` and `>` where those would read as none or all. */
export const formatShare = (part: bigint, whole: bigint): string => {
  if (whole === 0n) return "0%"
  const hundredths = (part * 10_000n) / whole
  if (hundredths === 0n && part > 0n) return "<0.01%"
  if (part === whole) return "100%"
  return `${formatUnits(hundredths, 2)}%`
}

/** Bytes of hex text. */
export const byteLength = (hex: string): number => Math.max(0, (hex.length - 2) / 2)

/** The start and the end of a hash or address. */
export const shorten = (hex: string, digits = 5): string =>
  hex.length <= 2 * digits + 3 ? hex : `${hex.slice(0, 2 + digits)}…${hex.slice(-digits)}`
