/** Numbers as text. Truncation is marked, so that no number is rounded without a visible sign. Pure. */

/** A number for the screen, and in full. */
export interface Shown {
  /** Ends with an ellipsis if digits were cut off. */
  readonly text: string
  readonly exact: string
}

/** Number of fraction digits shown. */
const shownDigits = 6

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")

/** A whole number with thousands separators. */
export const formatInteger = (value: bigint | number): string => {
  const text = String(value)
  return text.startsWith("-") ? `-${grouped(text.slice(1))}` : grouped(text)
}

/** The exact decimal form of an amount, without separators or trailing zeros. */
export const formatUnits = (amount: bigint, decimals: number): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0")
  const at = digits.length - decimals
  const fraction = digits.slice(at).replace(/0+$/, "")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, at)}${fraction === "" ? "" : `.${fraction}`}`
}

/** An amount in units of its asset, with every digit if `isWhole`. An amount that would read as 0 is shown as less than the smallest digit. */
export const formatAmount = (amount: bigint, decimals: number, isWhole = false): Shown => {
  const exact = formatUnits(amount, decimals)
  const [whole = "0", fraction = ""] = exact.replace(/^-/, "").split(".")
  const shown = isWhole ? fraction : fraction.slice(0, shownDigits)
  const sign = amount < 0n ? "-" : ""
  if (amount !== 0n && whole === "0" && /^0*$/.test(shown))
    return { text: `${sign}<0.${"1".padStart(shownDigits, "0")}`, exact }
  const end = shown.length < fraction.length ? "…" : ""
  return { text: `${sign}${grouped(whole)}${shown === "" ? "" : `.${shown}`}${end}`, exact }
}

/** Units of ether: gwei, in which gas prices are written, and wei, the smallest. */
const etherUnits = [
  ["gwei", 9, 1_000_000n],
  ["wei", 0, 1n],
] as const

/** An amount of ether in the largest unit that shows its digits: ether itself, gwei or wei. */
export const formatEther = (amount: bigint, symbol: string, isWhole = false): Shown & { readonly unit: string } => {
  const shown = { ...formatAmount(amount, 18, isWhole), unit: symbol }
  const size = amount < 0n ? -amount : amount
  if (isWhole || size === 0n || size >= 10n ** BigInt(18 - shownDigits)) return shown
  const [unit, decimals] = etherUnits.find(([, , smallest]) => size >= smallest) ?? etherUnits[1]
  return { ...shown, text: formatAmount(amount, decimals).text, unit }
}

/** A part of a whole in percent, with two digits. Marked with `<` or `>` if it would otherwise read as 0 % or 100 %. */
export const formatShare = (part: bigint, whole: bigint): string => {
  if (whole === 0n) return "0%"
  const hundredths = (part * 10_000n) / whole
  if (hundredths === 0n && part > 0n) return "<0.01%"
  if (part === whole) return "100%"
  return `${formatUnits(hundredths, 2)}%`
}

/** Number of bytes in a hex text. */
export const byteLength = (hex: string): number => Math.max(0, (hex.length - 2) / 2)

/** The start and the end of a hash or address. */
export const shorten = (hex: string, digits = 5): string =>
  hex.length <= 2 * digits + 3 ? hex : `${hex.slice(0, 2 + digits)}…${hex.slice(-digits)}`
