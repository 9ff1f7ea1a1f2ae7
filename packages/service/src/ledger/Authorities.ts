/**
 * Accounts that signed the authorizations of a set-code transaction. A recovery takes one to three milliseconds, so their number is
 * bounded, and it never happens on the path of a request. Pure.
 *
 * Source: EIP-7702; decisions 0044 and 0048.
 */
import * as Authorization from "ox/Authorization"
import * as Secp256k1 from "ox/Secp256k1"
import type * as BlockFacts from "../projection/BlockFacts.ts"

/** Authorizations of a block whose accounts are recovered; the transactions of the others are marked. */
export const maxRecovered = 4_096

const evenParity = "00"

/** The account that signed an authorization; `null` where the signature is none, or belongs to another chain. */
export const recover = (
  { address, chainId, nonce, signature }: BlockFacts.Authorization,
  chain: bigint | null,
): string | null => {
  if (signature === null || chainId === null || nonce >= 2n ** 64n) return null
  if (chainId !== 0n && (chainId > BigInt(Number.MAX_SAFE_INTEGER) || (chain !== null && chainId !== chain)))
    return null
  try {
    const payload = Authorization.getSignPayload({ address, chainId: Number(chainId), nonce })
    const r = `0x${signature.slice(2, 66)}` as const
    const s = `0x${signature.slice(66, 130)}` as const
    const yParity = signature.slice(130) === evenParity ? 0 : 1
    return Secp256k1.recoverAddress({ payload, signature: { r, s, yParity } }).toLowerCase()
  } catch {
    return null
  }
}
