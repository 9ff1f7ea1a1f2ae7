/** Interprets the fields of a user operation. Pure. */
import { entryPoints } from "@daybook/rpc/promise"
import { formatInteger } from "../../display/Numbers.ts"

/** The version of a known entry point; undefined for any other contract. */
export const versionOf = (entryPoint: string): string | undefined =>
  Object.hasOwn(entryPoints, entryPoint) ? entryPoints[entryPoint] : undefined

/** Size of a nonce's sequence number in bits, below its key. */
const sequenceBits = 64n

/** A readable nonce: its sequence number, and its key unless that is 0. */
export const nonceOf = (nonce: bigint): string => {
  const key = nonce >> sequenceBits
  const sequence = formatInteger(nonce & ((1n << sequenceBits) - 1n))
  return key === 0n ? sequence : `${sequence} of key 0x${key.toString(16)}`
}
