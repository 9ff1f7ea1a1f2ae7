import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"
import { expect } from "vitest"
import { quantity } from "../../src/verification/HeaderHash.ts"
import * as StateProof from "../../src/verification/StateProof.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), "hex"))
const hexOf = (bytes: Uint8Array): Hex.Hex => `0x${Buffer.from(bytes).toString("hex")}`
const addressOf = (index: number): Hex.Hex => `0x${(index + 1).toString(16).padStart(40, "0")}`
const word: Hex.Hex = `0x${"56".repeat(32)}`

/** A state of accounts, made by ethereumjs, and the proofs of its addresses. */
const stateOf = async (accounts: ReadonlyArray<StateProof.Account>) => {
  const trie = await createMPT()
  for (const [index, { balance, nonce }] of accounts.entries()) {
    const value = Rlp.fromHex([quantity(nonce), quantity(balance), word, word])
    await trie.put(bytesOf(Hash.keccak256(addressOf(index))), bytesOf(value))
  }
  const proofOf = async (index: number) =>
    (await createMerkleProof(trie, bytesOf(Hash.keccak256(addressOf(index))))).map(hexOf)
  return { root: hexOf(trie.root()), proofOf }
}

const accountsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ nonce: BigInt(at % 3), balance: BigInt(at) * 10n ** 18n }))

const Amounts = Schema.Array(
  Schema.Tuple([Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 40 })), Schema.Boolean]),
)

describe("StateProof", () => {
  it.each([1, 2, 17, 300])(
    "account: reads every account of a state of %i, and none for an address outside it",
    async (count) => {
      const accounts = accountsOf(count)
      const { proofOf, root } = await stateOf(accounts)

      for (const [index, account] of accounts.entries()) {
        expect(StateProof.account(root, addressOf(index), await proofOf(index))).toEqual(Result.succeed(account))
      }
      for (let index = count; index < count + 20; index++) {
        expect(StateProof.account(root, addressOf(index), await proofOf(index))).toEqual(
          Result.succeed({ nonce: 0n, balance: 0n }),
        )
      }
    },
  )

  it.effect.prop("account: reads what ethereumjs put into the state", [Amounts], ([amounts]) =>
    Effect.gen(function* () {
      const accounts = amounts.map(([nonce, isLarge]) => ({ nonce: BigInt(nonce), balance: isLarge ? 2n ** 255n : 0n }))
      const { proofOf, root } = yield* Effect.promise(() => stateOf(accounts))
      for (const [index, account] of accounts.entries()) {
        const proof = yield* Effect.promise(() => proofOf(index))
        expect(StateProof.account(root, addressOf(index), proof)).toEqual(Result.succeed(account))
      }
    }),
  )

  it("account: rejects a proof in which one bit of any node is changed", async () => {
    const { proofOf, root } = await stateOf(accountsOf(100))
    const proof = await proofOf(42)

    for (const [index, node] of proof.entries()) {
      for (let at = 2; at < node.length; at++) {
        const digit = (Number.parseInt(node[at]!, 16) ^ 1).toString(16)
        const changed = proof.with(index, `${node.slice(0, at)}${digit}${node.slice(at + 1)}` as Hex.Hex)
        expect(Result.isFailure(StateProof.account(root, addressOf(42), changed))).toBe(true)
      }
    }
  })

  it("account: rejects the proof of another address, of another root, and one without its last node", async () => {
    const { proofOf, root } = await stateOf(accountsOf(100))
    const other = await stateOf(accountsOf(101))
    const proof = await proofOf(42)

    expect(StateProof.account(other.root, addressOf(42), proof)).toEqual(
      Result.fail("its first node is not the state root"),
    )
    expect(StateProof.account(root, addressOf(42), proof.slice(0, -1))).toEqual(Result.fail("a node is missing"))
    expect(Result.isFailure(StateProof.account(root, addressOf(43), proof))).toBe(true)
    expect(StateProof.account(root, addressOf(42), [])).toEqual(Result.fail("a node is missing"))
  })

  it("account: rejects nodes that are not RLP, too large, too many, or endlessly nested", () => {
    const root = `0x${"11".repeat(32)}`
    const nested = Hash.keccak256("0xc1c0")

    expect(StateProof.account(root, addressOf(0), ["zz"])).toEqual(Result.fail("node 0 is not a trie node"))
    expect(StateProof.account(root, addressOf(0), [`0x${"c1".repeat(2_000)}`])).toEqual(
      Result.fail("node 0 is not a trie node"),
    )
    expect(StateProof.account(nested, addressOf(0), ["0xc1c0"])).toEqual(Result.fail("node 0 is not a trie node"))
    expect(
      StateProof.account(
        root,
        addressOf(0),
        Array.from({ length: 66 }, () => "0xc0"),
      ),
    ).toEqual(Result.fail("it has 66 nodes, and at most 65 are possible"))
  })

  it("account: finds nothing in an empty state", () => {
    expect(StateProof.account(TrieRoot.empty, addressOf(0), [])).toEqual(Result.succeed({ nonce: 0n, balance: 0n }))
  })
})
