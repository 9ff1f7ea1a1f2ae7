/**
 * Reads contract ABI data as text, directly from hex digits, without intermediate values. Strict and bounded: data that is not a clean
 * encoding yields `null`, nothing throws, and at most twice the length of the data is read, whatever its offsets and counts.
 */
import { checksum } from "./internal/Checksum.ts"
import type { AbiType, Leaf, List, Tuple } from "./AbiType.ts"

/** The data being read, and the remaining allowance. */
interface Source {
  /** Lower-case digits without `0x`, two per byte. */
  readonly digits: string
  readonly bytes: number
  /** Bytes that may still be read. Without a limit, aliasing offsets would multiply a small input without bound. */
  allowance: number
  /** One past the last byte of any value, without padding. */
  end: number
}

/** Digits of a word above 48 bits, which a number holds exactly. */
const aboveNumber = "0".repeat(52)
const hexData = /^0x(?:[0-9a-f]{2})*$/
const allowanceFactor = 2

const take = (source: Source, at: number, bytes: number): boolean => {
  if (at + bytes > source.bytes) return false
  source.allowance -= bytes
  if (at + bytes > source.end) source.end = at + bytes
  return source.allowance >= 0
}

/** Reads a count, length or offset of at most 48 bits. One beyond the data is detected when it is followed. */
const readSize = (source: Source, at: number): number | null => {
  if (!take(source, at, 32)) return null
  const start = at * 2
  if (!source.digits.startsWith(aboveNumber, start)) return null
  return Number.parseInt(source.digits.slice(start + 52, start + 64), 16)
}

const signed = (word: string, bits: number): string | null => {
  const value = BigInt.asIntN(256, BigInt(`0x${word}`))
  return BigInt.asIntN(bits, value) === value ? value.toString() : null
}

const unsigned = (word: string): string =>
  word.startsWith(aboveNumber) ? String(Number.parseInt(word.slice(52), 16)) : BigInt(`0x${word}`).toString()

const wordText = (type: Leaf, word: string): string | null => {
  switch (type.kind) {
    case "uint":
      return word.startsWith(type.pad) ? unsigned(word) : null
    case "int":
      return signed(word, type.bits)
    case "address":
      return word.startsWith(type.pad) ? checksum(word.slice(24)) : null
    case "bool":
      if (!word.startsWith(type.pad)) return null
      return word.endsWith("1") ? "true" : word.endsWith("0") ? "false" : null
    case "fixedBytes":
      return word.endsWith(type.pad) ? `0x${word.slice(0, 64 - type.pad.length)}` : null
    default:
      return null
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Text of hex digits; `null` if the bytes are not UTF-8. */
const stringText = (digits: string): string | null => {
  const bytes = new Uint8Array(digits.length / 2)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16)
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const readLeaf = (source: Source, type: Leaf, at: number): string | null => {
  if (!type.dynamic) {
    return take(source, at, 32) ? wordText(type, source.digits.slice(at * 2, at * 2 + 64)) : null
  }
  const length = readSize(source, at)
  if (length === null || !take(source, at + 32, length)) return null
  const digits = source.digits.slice((at + 32) * 2, (at + 32 + length) * 2)
  return type.kind === "string" ? stringText(digits) : `0x${digits}`
}

/** Value of a member whose head is at `at`; its offset, if any, counts from `base`. */
const readMember = (source: Source, type: AbiType, base: number, at: number): string | null => {
  if (!type.dynamic) return readValue(source, type, at)
  const offset = readSize(source, at)
  return offset === null ? null : readValue(source, type, base + offset)
}

const asText = (_: AbiType, text: string): string => text

const asJson = (type: AbiType, text: string): string => {
  if (type.kind === "list" || type.kind === "tuple") return text
  return type.kind === "string" ? JSON.stringify(text) : `"${text}"`
}

const readList = (source: Source, type: List, at: number): string | null => {
  const count = type.count ?? readSize(source, at)
  if (count === null) return null
  const base = type.count === null ? at + 32 : at
  const stride = type.element.headBytes
  const parts: Array<string> = []
  for (let index = 0; index < count; index++) {
    const text = readMember(source, type.element, base, base + index * stride)
    if (text === null) return null
    parts.push(asJson(type.element, text))
  }
  return `[${parts.join(",")}]`
}

/** Text of each member; JSON if they are part of a list or tuple. */
const readMembers = (
  source: Source,
  members: ReadonlyArray<AbiType>,
  base: number,
  write: (type: AbiType, text: string) => string,
): Array<string> | null => {
  const texts: Array<string> = []
  let at = base
  for (const member of members) {
    const text = readMember(source, member, base, at)
    if (text === null) return null
    texts.push(write(member, text))
    at += member.headBytes
  }
  return texts
}

const readTuple = (source: Source, type: Tuple, at: number): string | null => {
  const texts = readMembers(source, type.members, at, asJson)
  return texts && `[${texts.join(",")}]`
}

const readValue = (source: Source, type: AbiType, at: number): string | null =>
  type.kind === "list"
    ? readList(source, type, at)
    : type.kind === "tuple"
      ? readTuple(source, type, at)
      : readLeaf(source, type, at)

/**
 * What may follow the last value: `nothing` except its padding, or `anything`.
 */
export type Trailing = "nothing" | "anything"

/**
 * Digits of `0x` hex in any case, two per byte, in lower case; `null` for any other text.
 *
 * **Details** Computed once for all signatures that are tried on the same data.
 */
export const digitsOf = (data: string): string | null => {
  const lower = data.toLowerCase()
  return hexData.test(lower) ? lower.slice(2) : null
}

/**
 * Text of each member of ABI data; `null` when the data is not a clean encoding of them.
 *
 * **Details** `data` is what `digitsOf` returns; `from` is the byte where the head starts, 4 after a selector.
 *
 * **Gotchas** The padding after `bytes` and `string` is not verified and may be missing at the end of the data: contracts do both.
 *
 * Source: decision 0015; Solidity ABI specification.
 */
export const read = (
  members: ReadonlyArray<AbiType>,
  data: string,
  from: number,
  trailing: Trailing,
): ReadonlyArray<string> | null => {
  const digits = data.slice(from * 2)
  const bytes = digits.length / 2
  const source: Source = { digits, bytes, allowance: bytes * allowanceFactor, end: 0 }
  const texts = readMembers(source, members, 0, asText)
  return trailing === "nothing" && bytes > Math.ceil(source.end / 32) * 32 ? null : texts
}

/**
 * Text of an indexed value: the value itself if a topic can hold it, otherwise the topic, which is its hash.
 *
 * Source: decision 0015; Solidity ABI specification, events.
 */
export const readTopic = (type: AbiType, topic: string): string | null => {
  if (topic.length !== 66 || !hexData.test(topic)) return null
  return type.kind === "list" || type.kind === "tuple" || type.dynamic ? topic : wordText(type, topic.slice(2))
}
