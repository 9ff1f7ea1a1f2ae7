/** The hash that identifies signatures. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** Hash of a text, as `0x` hex. */
export const keccak256 = (text: string): string => `0x${bytesToHex(keccak_256(new TextEncoder().encode(text)))}`
