import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { expect } from "vitest"
import { Anvil, Head, Sender } from "@daybook/chain"
import { Random } from "@daybook/testkit"

const make = (node: Anvil.Node, size: number) => Sender.make(node, { size, random: Random.make(1), onBlock: () => {} })

const transfer = (node: Anvil.Node, reverts: boolean): Sender.Planned => ({
  account: 0,
  to: node.accounts[1] as Hex,
  valueWei: 1n,
  gas: 30_000,
  reverts,
})

describe("Sender", () => {
  describe("send", () => {
    it.live("mines when a block is full and keeps the order", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const sender = yield* make(node, 2)
        for (const label of ["a", "b", "c"]) yield* sender.send(label, transfer(node, false))

        expect(sender.sent.map(({ label }) => label)).toEqual(["a", "b"])
        expect(sender.waiting()).toBe(1)
        expect((yield* Head.current(node)).number).toBe(1)
      }),
    )

    it.live("fails when a transaction succeeds that was meant to revert", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const sender = yield* make(node, 1)

        const error = yield* Effect.flip(sender.send("oops", transfer(node, true)))
        expect(error._tag).toBe("ScenarioFailed")
        expect(error.message).toMatch(/^oops \(0x[0-9a-f]{64}\) ended with status 0x1, which is not the plan$/)
      }),
    )

    it.live("fails when a transaction is not in the block it was sent for", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const sender = yield* make(node, 2)
        yield* sender.send("late", transfer(node, false))
        yield* Head.mine(node)

        const error = yield* Effect.flip(sender.mine)
        expect(error.message).toBe("block 1 does not hold late at index 0")
      }),
    )
  })
})
