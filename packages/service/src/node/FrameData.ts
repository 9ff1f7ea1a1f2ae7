/**
 * Input or output of a call frame as it arrives: kept unchanged up to a number of characters, beyond which only its length and hash are
 * kept.
 *
 * Source: decision 0036.
 */
import { createHash, type Hash } from "node:crypto"

/**
 * Data of a frame, as far as it has arrived.
 */
export interface FrameData {
  /** Key of the data in its frame. */
  readonly key: string
  /** Maximum number of characters to keep. */
  readonly budget: number
  /** Kept characters; empty once the budget is exceeded. */
  readonly parts: Array<Uint8Array>
  /** Characters received. */
  length: number
  /** Hash of the bytes; `null` within the budget. */
  hash: Hash | null
  /** A hex digit that still lacks the other digit of its byte. */
  odd: string
  /** Whether the prefix `0x` has been skipped for hashing. */
  isBegun: boolean
}

/** Data that is not longer than its own length and hash. */
const shortest = 130

/**
 * True for data of this length that is kept within a budget.
 */
export const isKept = (length: number, budget: number): boolean => length <= Math.max(budget, shortest)

/**
 * Makes empty data.
 */
export const make = (key: string, budget: number): FrameData => ({
  key,
  budget: Math.max(budget, shortest),
  parts: [],
  length: 0,
  hash: null,
  odd: "",
  isBegun: false,
})

const hashPart = (data: FrameData, hash: Hash, part: Uint8Array): void => {
  let digits = data.odd + Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("latin1")
  if (!data.isBegun && digits.length < 2) {
    data.odd = digits
    return
  }
  if (!data.isBegun && digits.startsWith("0x")) digits = digits.slice(2)
  data.isBegun = true
  const whole = digits.length - (digits.length % 2)
  hash.update(Buffer.from(digits.slice(0, whole), "hex"))
  data.odd = digits.slice(whole)
}

/**
 * Adds a part.
 */
export const add = (data: FrameData, part: Uint8Array): void => {
  data.length += part.length
  if (data.hash === null && data.length <= data.budget) {
    data.parts.push(part)
    return
  }
  if (data.hash === null) {
    data.hash = createHash("sha256")
    for (const kept of data.parts.splice(0)) hashPart(data, data.hash, kept)
  }
  hashPart(data, data.hash, part)
}

/**
 * Replacement of data beyond the budget: `null`, with the number of bytes and their SHA-256 next to it.
 */
export const replacement = ({ hash, key, length }: FrameData): string => {
  const bytes = Math.max(0, Math.floor((length - 2) / 2))
  return `null,"${key}_length":"${bytes}","${key}_hash":"0x${hash?.digest("hex") ?? ""}"`
}
