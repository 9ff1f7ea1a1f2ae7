/**
 * Bloom filters of logs: each receipt has one and the block the union of them, so a log that was left out or slipped in shows.
 * Pure, but for a bounded memory of the bits of addresses and topics that come again and again.
 *
 * Source: Ethereum yellow paper 4.4.1.
 */
import type { Receipt } from "@daybook/schema/Receipt"
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"

const bloomBytes = 256
const rememberedAtMost = 50_000

/** The three bits of an address or topic, 11 bits each, in one number; by its text. */
const bitsByText = new Map<string, number>()

const bitsOf = (text: string): number => {
  const known = bitsByText.get(text)
  if (known !== undefined) return known
  const hash = Hash.keccak256(text as Hex.Hex)
  const pair = (at: number) => Number.parseInt(hash.slice(2 + at * 4, 6 + at * 4), 16) & 0x7ff
  // 33 bits: multiplied, since a shift would cut them.
  const bits = (pair(0) * 2048 + pair(1)) * 2048 + pair(2)
  if (bitsByText.size >= rememberedAtMost) bitsByText.clear()
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
 * The bloom of no logs, as a node writes it.
 */
export const none: string = `0x${"00".repeat(bloomBytes)}`

/**
 * The bloom of a receipt's logs, 256 bytes; `null` for no logs.
 */
export const ofLogs = (logs: Receipt["logs"]): Uint8Array | null => {
  if (logs.length === 0) return null
  const bloom = new Uint8Array(bloomBytes)
  for (const { address, topics } of logs) {
    add(bloom, address)
    for (const topic of topics) add(bloom, topic)
  }
  return bloom
}

/**
 * Tells whether a bloom is the one that a node wrote, in hex of any case.
 */
export const isSame = (bloom: Uint8Array | null, text: string): boolean =>
  bloom === null ? text === none : text.length === none.length && Buffer.from(text.slice(2), "hex").equals(bloom)

/**
 * The union of blooms; `null` when all are of no logs.
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
