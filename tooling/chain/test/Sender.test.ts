import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { expect } from "vitest"
import { Anvil, Head, Sender } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"

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
    it.live("send: mines a full block and keeps the order of the transactions", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const sender = yield* make(node, 2)
        for (const label of ["a", "b", "c"]) yield* sender.send(label, transfer(node, false))

        expect(sender.mined.map(({ label }) => label)).toEqual(["a", "b"])
        expect(sender.queued()).toBe(1)
        expect((yield* Head.current(node)).number).toBe(1)
      }),
    )

    it.live("send: fails if a transaction that is expected to revert succeeds", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const sender = yield* make(node, 1)

        const error = yield* Effect.flip(sender.send("oops", transfer(node, true)))
        expect(error._tag).toBe("ScenarioFailed")
        expect(error.message).toMatch(/^Unexpected status of oops \(0x[0-9a-f]{64}\): 0x1\.$/)
      }),
    )

    it.live("mine: fails when a transaction is missing from its block", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const sender = yield* make(node, 2)
        yield* sender.send("late", transfer(node, false))
        yield* Head.mine(node)

        const error = yield* Effect.flip(sender.mine)
        expect(error.message).toBe("Transaction missing from block 1 at index 0: late.")
      }),
    )
  })
})
