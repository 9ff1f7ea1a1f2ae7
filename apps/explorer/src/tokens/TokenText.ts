/** Decodes what contracts return about themselves. The texts are untrusted, so their length is bounded and every character visible. Pure. */
import { VisibleText } from "@daybook/rest/Resource"

/** Maximum length of a name or symbol, in characters. */
const maxCharacters = 64

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: Math.floor(hex.length / 2) }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))

/** Zero bytes that pad a text to a full word. */
const fill = /^\0+|\0+$/g

/** The text on one line with every character visible; undefined if nothing is left. */
export const clean = (text: string): string | undefined => {
  const shown = VisibleText.visibleStart(text.replaceAll(fill, ""), maxCharacters)
  return shown === "" ? undefined : shown
}

/** Reads a `string`, or a `bytes32` as early tokens return it. */
export const readText = (output: string): string | undefined => {
  const body = output.slice(2)
  if (body.length === 64) return clean(new TextDecoder().decode(bytesOf(body.replace(/(?:00)+$/, ""))))
  if (body.length < 128 || BigInt(`0x${body.slice(0, 64)}`) !== 32n) return undefined
  const size = BigInt(`0x${body.slice(64, 128)}`)
  if (size > 1_024n) return undefined
  const text = body.slice(128, 128 + 2 * Number(size))
  return text.length === 2 * Number(size) ? clean(new TextDecoder().decode(bytesOf(text))) : undefined
}

/** Reads decimals, 0 to 77. */
export const readDecimals = (output: string): number | undefined => {
  if (output.length !== 66) return undefined
  const value = BigInt(output)
  return value <= 77n ? Number(value) : undefined
}

/** Reads a number of 256 bits; `null` for anything else. */
export const readWord = (output: string): bigint | null => (output.length === 66 ? BigInt(output) : null)

/** Name and symbol that a contract reports. */
export interface TokenNames {
  readonly name: string | undefined
  readonly symbol: string | undefined
}

/** Name and symbol of a token as one text: `Demo Dollar (dUSD)`. */
export const titleOf = ({ name, symbol }: TokenNames): string | undefined =>
  name === undefined || symbol === undefined ? (name ?? symbol) : `${name} (${symbol})`
