/** What the parts of a user operation mean. Pure. */
import { entryPoints } from "@daybook/rpc/promise"
import { formatInteger } from "../../display/Numbers.ts"

/** The version of a known entry point; undefined for any other contract. */
export const versionOf = (entryPoint: string): string | undefined =>
  Object.hasOwn(entryPoints, entryPoint) ? entryPoints[entryPoint] : undefined

/** Bits of the sequence in a nonce, below its key. */
const sequenceBits = 64n

/** A nonce as people read it: its sequence, and the key to which that belongs unless it is 0. */
export const nonceOf = (nonce: bigint): string => {
  const key = nonce >> sequenceBits
  const sequence = formatInteger(nonce & ((1n << sequenceBits) - 1n))
  return key === 0n ? sequence : `${sequence} of key 0x${key.toString(16)}`
}
