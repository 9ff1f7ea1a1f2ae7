import { describe, expect, it } from "@effect/vitest"
import * as Address from "@daybook/schema/Address"
import { Schema } from "effect"
import * as OxAuthorization from "ox/Authorization"
import * as Secp256k1 from "ox/Secp256k1"
import * as Authorities from "../../src/ledger/Authorities.ts"
import { topic, word } from "./sources.ts"

const contract = Address.fromText(`0x${"c".repeat(40)}`)!
const privateKey = topic(1) as `0x${string}`
const signer = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"

const sign = (chainId: number, nonce: bigint) => {
  const payload = OxAuthorization.getSignPayload({ address: contract, chainId, nonce })
  const { r, s, yParity } = Secp256k1.sign({ payload, privateKey })
  return { chainId: BigInt(chainId), address: contract, nonce, signature: `0x${word(r)}${word(s)}0${yParity}` } as const
}

const Digits = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 }))).check(
  Schema.isMaxLength(64),
)
const wordOf = (digits: ReadonlyArray<number>) =>
  digits
    .map((digit) => digit.toString(16))
    .join("")
    .padStart(64, "0")

const maxChainId = Number.MAX_SAFE_INTEGER

describe("Authorities", () => {
  it("recover: returns the account that signed, for either parity of its signature", () => {
    const signed = Array.from({ length: 16 }, (_, nonce) => sign(1, BigInt(nonce)))

    expect(new Set(signed.map(({ signature }) => signature.slice(-2)))).toEqual(new Set(["00", "01"]))
    for (const one of signed) expect(Authorities.recover(one, 1n)).toBe(signer)
  })

  it("recover: returns null for another chain, and the account for any chain or an unknown chain", () => {
    expect(Authorities.recover(sign(5, 1n), 1n)).toBeNull()
    expect(Authorities.recover(sign(0, 1n), 1n)).toBe(signer)
    expect(Authorities.recover(sign(5, 1n), null)).toBe(signer)
  })

  it("recover: returns null without a chain, without a signature or with an invalid one", () => {
    const one = sign(0, 1n)

    expect(Authorities.recover({ ...one, chainId: null }, null)).toBeNull()
    expect(Authorities.recover({ ...one, signature: null }, 1n)).toBeNull()
    expect(Authorities.recover({ ...one, signature: `0x${"0".repeat(130)}` }, 1n)).toBeNull()
  })

  it.prop(
    "recover: returns what another implementation recovers from any signature",
    { first: Digits, second: Digits, isOdd: Schema.Boolean },
    ({ first, isOdd, second }) => {
      const [r, s] = [wordOf(first), wordOf(second)]
      const payload = OxAuthorization.getSignPayload({ address: contract, chainId: 1, nonce: 7n })
      const other = (): string | null => {
        try {
          return Secp256k1.recoverAddress({ payload, signature: { r: `0x${r}`, s: `0x${s}`, yParity: isOdd ? 1 : 0 } })
        } catch {
          return null
        }
      }
      const one = { chainId: 1n, address: contract, nonce: 7n, signature: `0x${r}${s}0${isOdd ? 1 : 0}` } as const

      expect(Authorities.recover(one, 1n)).toBe(other()?.toLowerCase() ?? null)
    },
  )

  it("recover: limits the nonce by EIP-2681 and the chain id to exact integers", () => {
    expect(Authorities.recover(sign(1, 2n ** 64n - 1n), 1n)).toBe(signer)
    expect(Authorities.recover(sign(1, 2n ** 64n), 1n)).toBeNull()
    expect(Authorities.recover(sign(maxChainId, 1n), null)).toBe(signer)
    expect(Authorities.recover({ ...sign(maxChainId, 1n), chainId: BigInt(maxChainId) + 1n }, null)).toBeNull()
  })
})
