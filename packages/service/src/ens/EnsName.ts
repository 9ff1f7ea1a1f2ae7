/**
 * Names of the Ethereum Name Service: their normal form, their hashes, and the encoding of contract calls and results. Pure.
 *
 * Source: ENSIP-1, ENSIP-10, ENSIP-15, ENSIP-19.
 */
import * as Address from "@daybook/schema/Address"
import { visibleLine } from "@daybook/schema/VisibleText"
import * as Ens from "ox/Ens"

/** Maximum number of bytes of a name, so that in DNS form the length of each label fits into one byte. */
const maxBytes = 255

/** Maximum number of labels of a name, since each costs a call if the name has no resolver of its own. */
const maxLabels = 10

/**
 * Normalizes a name entered by a person; `null` if the text is not a name, or has a single label and thus may be an operator's label.
 */
export const normalize = (text: string): string | null => {
  if (text.length > maxBytes || !text.includes(".")) return null
  try {
    const name = Ens.normalize(text)
    const labels = name.split(".")
    const isBounded = Buffer.byteLength(name) <= maxBytes && labels.length <= maxLabels
    return isBounded && labels.every((label) => label !== "") && visibleLine(name) === name ? name : null
  } catch {
    return null
  }
}

/**
 * True for a name in normal form, which excludes mixed scripts and invisible characters. Names in one script may still look alike, such as
 * those with `l` and `1`.
 */
export const isNormal = (text: string): boolean => normalize(text) === text

/** The name and each parent name, without the root. */
export const withParents = (name: string): ReadonlyArray<string> => {
  const labels = name.split(".")
  return labels.map((_, at) => labels.slice(at).join("."))
}

/** Reverse names of an address in order of precedence: that of Ethereum, and that of every chain. */
export const reverseNames = (address: string): ReadonlyArray<string> =>
  ["addr", "default"].map((of) => `${address.slice(2)}.${of}.reverse`)

const word = 64
const wordOf = (value: number): string => value.toString(16).padStart(word, "0")

/** Encoded tail of bytes: length, data, and zero padding. */
const tailOf = (digits: string): string =>
  `${wordOf(digits.length / 2)}${digits.padEnd(Math.ceil(digits.length / word) * word, "0")}`

const nodeOf = (name: string): string => Ens.namehash(name).slice(2)

/** DNS form: each label preceded by its length, and a final zero. */
const dnsOf = (name: string): string => {
  const labels = name.split(".").map((label) => Buffer.from(label))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)]).toString("hex")
}

/** Calls to the contracts. */
export const calls = {
  resolver: (name: string): string => `0x0178b8bf${nodeOf(name)}`,
  addr: (name: string): string => `0x3b3b57de${nodeOf(name)}`,
  name: (name: string): string => `0x691f3431${nodeOf(name)}`,
  /** Checks whether a resolver supports `resolve`. */
  isExtended: `0x01ffc9a7${"9061b923".padEnd(word, "0")}`,
  resolve: (name: string, data: string): string => {
    const dns = tailOf(dnsOf(name))
    return `0x9061b923${wordOf(word)}${wordOf(word + dns.length / 2)}${dns}${tailOf(data.slice(2))}`
  },
} as const

/** Maximum number of digits of a result: bytes that hold the text of the longest name, with their encoding. */
const maxDigits = 2 * (5 * 32 + 2 * 288)

const sizeAt = (digits: string, at: number): number => {
  const found = digits.slice(at, at + word)
  return /^0{56}[0-9a-f]{8}$/.test(found) ? Number.parseInt(found.slice(56), 16) : Number.POSITIVE_INFINITY
}

/** Bytes of a result with one dynamic value, in hex; `null` if it is malformed. */
export const bytesIn = (answer: string): string | null => {
  const digits = answer.slice(2).toLowerCase()
  if (digits.length > maxDigits || !/^(?:[0-9a-f]{2})+$/.test(digits)) return null
  const start = sizeAt(digits, 0) * 2
  const from = start + word
  const end = from + sizeAt(digits, start) * 2
  return end <= digits.length ? `0x${digits.slice(from, end)}` : null
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Text in a result; `null` if it is malformed. */
export const textIn = (answer: string): string | null => {
  const bytes = bytesIn(answer)
  try {
    return bytes === null ? null : utf8.decode(Buffer.from(bytes.slice(2), "hex"))
  } catch {
    return null
  }
}

/** Address in a result, lower case; `null` if it is malformed or zero. */
export const addressIn = (answer: string): string | null => {
  if (!/^0x0{24}[0-9a-f]{40}$/i.test(answer) || /^0x0+$/.test(answer)) return null
  const address = `0x${answer.slice(-40).toLowerCase()}`
  return Address.pattern.test(address) ? address : null
}

/** True for the result of a contract that supports an interface. */
export const isTrue = (answer: string): boolean => answer === `0x${wordOf(1)}`
