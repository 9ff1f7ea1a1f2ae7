import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Role from "../../src/ledger/Role.ts"
import * as MovementFlags from "../../src/query/MovementFlags.ts"
import * as TransferFlags from "../../src/query/TransferFlags.ts"

const { recipient, sender } = Role.bits
const described = (name: string, symbol: string) => ({ address: `0x${"7".repeat(40)}`, name, symbol })
const fake = described("USD Coin", "USDC")
const link = described("Claim at usd-gift.com", "GIFT")
const plain = { chainId: 1, token: undefined, roles: recipient, isIncoming: true, isZero: false, isLookalike: false }

describe("MovementFlags", () => {
  it.each([
    [{}, []],
    [{ isLookalike: true }, ["poisoning"]],
    [{ isLookalike: true, roles: sender }, ["poisoning"]],
    [{ isZero: true }, ["poisoning"]],
    [{ isZero: true, isIncoming: false }, ["poisoning"]],
    [{ isZero: true, roles: sender | recipient }, []],
    [{ token: fake }, ["fake_symbol"]],
    [{ token: fake, roles: sender, isIncoming: false }, ["fake_symbol"]],
    [{ token: fake, chainId: 31_337 }, []],
    [{ token: link }, ["link"]],
    [{ token: link, isIncoming: false }, []],
    [{ token: link, roles: sender | recipient }, []],
    [{ token: { ...link, symbol: "USDC" }, isZero: true }, ["poisoning", "fake_symbol", "link"]],
  ])("of: %j is flagged %j", (facts, flags) => {
    expect(MovementFlags.of({ ...plain, ...facts })).toEqual(flags)
  })
})

describe("TransferFlags", () => {
  it.effect("make: marks a transfer of 0 in a contract's list if the account did not send the transaction", () =>
    Effect.gen(function* () {
      const [owner, stranger] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]
      const row = (sender: string, amount: bigint) =>
        // Sound: flags of a contract's list depend only on these fields.
        ({
          document: { transaction: { from_address: sender }, row: { roles: recipient } },
          part: { token: link.address, from: owner, to: stranger, amount },
        }) as unknown as Parameters<Effect.Success<ReturnType<typeof TransferFlags.make>>>[0]
      const flags = yield* TransferFlags.make(undefined as never, 1, undefined, [], new Map())

      expect([row(stranger, 0n), row(owner, 0n), row(stranger, 1n)].map(flags)).toEqual([["poisoning"], [], []])
    }),
  )
})
