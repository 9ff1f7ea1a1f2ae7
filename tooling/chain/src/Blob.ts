/**
 * A valid EIP-4844 blob, made without a KZG library.
 *
 * All 4096 field elements are 1, so the polynomial is the constant 1. The commitment is the generator of the curve's first
 * group; the proof, a commitment to the zero quotient, is the point at infinity.
 */
import { createHash } from "node:crypto"
import type { Hex } from "viem"

const commitment: Hex =
  "0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
const infinity: Hex = `0xc0${"00".repeat(47)}`

/** Version byte 1 and the SHA-256 of the commitment without its first byte. */
const versionedHash: Hex = `0x01${createHash("sha256")
  .update(Buffer.from(commitment.slice(2), "hex"))
  .digest("hex")
  .slice(2)}`

/** Fields of a type 3 transaction request with this blob, about 260 kB. */
export const fields = () => ({
  blobs: [`0x${`${"00".repeat(31)}01`.repeat(4096)}`],
  commitments: [commitment],
  proofs: [infinity],
  blobVersionedHashes: [versionedHash],
})
