/**
 * Bloom filters of logs: each receipt has one, and the block has their union, so that a missing or extra log is detected.
 * Pure, except for a bounded cache of the bits of addresses and topics.
 *
 * Source: Ethereum yellow paper 4.4.1; decision 0029.
 */
import type { Receipt } from "@daybook/schema/Receipt"
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Steps from "../supervision/Steps.ts"

const bloomBytes = 256
const maxCached = 50_000

/** Bit positions by the text of an address or topic: three 11-bit positions in one number. */
const bitsByText = new Map<string, number>()

const bitsOf = (text: string): number => {
  const known = bitsByText.get(text)
  if (known !== undefined) return known
  const hash = Hash.keccak256(text as Hex.Hex)
  const pair = (at: number) => Number.parseInt(hash.slice(2 + at * 4, 6 + at * 4), 16) & 0x7ff
  // 33 bits: a shift would truncate them.
  const bits = (pair(0) * 2048 + pair(1)) * 2048 + pair(2)
  if (bitsByText.size >= maxCached) bitsByText.clear()
  bitsByText.set(text, bits)
  return bits
}

const set = (bloom: Uint8Array, bit: number) => {
  bloom[bloomBytes - 1 - (bit >>> 3)]! |= 1 << (bit & 7)
}

const add = (bloom: Uint8Array, text: string) => {
  const bits = bitsOf(text)
  const low = bits % 4_194_304
  set(bloom, Math.floor(bits / 4_194_304))
  set(bloom, low >>> 11)
  set(bloom, low & 0x7ff)
}

/**
 * Bloom of no logs, in hex.
 */
export const none: string = `0x${"00".repeat(bloomBytes)}`

/** Number of logs per step. */
const stepLogs = 128

/**
 * Bloom of a receipt's logs, 256 bytes; `null` for no logs. In steps.
 */
export const stepsOfLogs = function* (logs: Receipt["logs"]): Steps.Steps<Uint8Array | null> {
  if (logs.length === 0) return null
  const bloom = new Uint8Array(bloomBytes)
  for (const [at, { address, topics }] of logs.entries()) {
    if (at % stepLogs === stepLogs - 1) yield
    add(bloom, address)
    for (const topic of topics) add(bloom, topic)
  }
  return bloom
}

/**
 * Bloom of a receipt's logs, computed in one turn.
 */
export const ofLogs = (logs: Receipt["logs"]): Uint8Array | null => Steps.runSync(stepsOfLogs(logs))

/**
 * Hex text of a bloom.
 */
export const format = (bloom: Uint8Array | null): string =>
  bloom === null ? none : `0x${Buffer.from(bloom).toString("hex")}`

/**
 * Compares a bloom with hex text of any case.
 */
export const isSame = (bloom: Uint8Array | null, text: string): boolean =>
  bloom === null ? text === none : text.length === none.length && Buffer.from(text.slice(2), "hex").equals(bloom)

/**
 * Union of blooms; `null` if none has logs.
 */
export const union = (blooms: Iterable<Uint8Array | null>): Uint8Array | null => {
  let all: Uint8Array | null = null
  for (const bloom of blooms) {
    if (bloom === null) continue
    all ??= new Uint8Array(bloomBytes)
    for (let at = 0; at < bloomBytes; at++) all[at]! |= bloom[at]!
  }
  return all
}
