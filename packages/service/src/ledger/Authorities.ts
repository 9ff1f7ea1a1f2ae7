/**
 * Accounts that signed the authorizations of a set-code transaction. A recovery takes some tenths of a millisecond, so their number is
 * bounded, and none happens on the path of a request. Pure.
 *
 * Source: EIP-7702; decisions 0044 and 0048.
 */
import * as Authorization from "ox/Authorization"
import * as Hash from "ox/Hash"
import { recover as recoverKey } from "tiny-secp256k1"
import type * as BlockFacts from "../block/BlockFacts.ts"

/** Maximum number of recovered authorizations per block; transactions beyond it are marked. */
export const maxRecovered = 4_096

const evenParity = "00"

/** Account that signed an authorization; `null` if the signature is invalid or belongs to another chain. */
export const recover = (
  { address, chainId, nonce, signature }: BlockFacts.Authorization,
  chain: bigint | null,
): string | null => {
  if (signature === null || chainId === null || nonce >= 2n ** 64n) return null
  if (chainId !== 0n && (chainId > BigInt(Number.MAX_SAFE_INTEGER) || (chain !== null && chainId !== chain)))
    return null
  try {
    const payload = Buffer.from(
      Authorization.getSignPayload({ address, chainId: Number(chainId), nonce }).slice(2),
      "hex",
    )
    const yParity = signature.slice(130) === evenParity ? 0 : 1
    const key = recoverKey(payload, Buffer.from(signature.slice(2, 130), "hex"), yParity, false)
    // The first byte of a public key states its form.
    return key === null ? null : `0x${Hash.keccak256(key.subarray(1), { as: "Hex" }).slice(26)}`
  } catch {
    return null
  }
}
