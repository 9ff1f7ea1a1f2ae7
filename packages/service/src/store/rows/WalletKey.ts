/**
 * Keys of wallets in a chain's file: the first 8 bytes of the SHA-256 of the address. Short keys halve the histories; the addresses
 * of a document are compared when it is read, so two wallets with one key cost a skipped row and never a wrong one.
 *
 * Source: decision 0034.
 */
import { hash } from "node:crypto"
import { fromHex } from "./Bytes.ts"

/** Length of a key in bytes. */
export const bytes = 8

/** Number of cached keys: most rows belong to few wallets. */
const maxKept = 4096
const kept = new Map<string, Uint8Array>()

/** Key of an address (lower-case hex text). */
export const fromAddress = (address: string): Uint8Array => {
  const found = kept.get(address)
  if (found !== undefined) return found
  // A copy: a view would retain the whole hash.
  const key = Uint8Array.from(hash("sha256", fromHex(address), "buffer").subarray(0, bytes))
  if (kept.size >= maxKept) kept.clear()
  kept.set(address, key)
  return key
}
