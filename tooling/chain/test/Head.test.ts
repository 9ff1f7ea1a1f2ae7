import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { Anvil, Head } from "@daybook/chain"

const transactions = (node: Anvil.Node, block: string) =>
  node.call<{ readonly transactions: ReadonlyArray<string> }>("eth_getBlockByNumber", [block, false])

describe("Head", () => {
  describe("mine", () => {
    it.live("mine: includes the transactions of the pool in the first block", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const [from = "", to = ""] = node.accounts
        const hash = yield* Head.transfer(node, { from, to, valueWei: 5n })

        const head = yield* Head.mine(node, 2)
        expect(head.number).toBe(2)
        expect((yield* transactions(node, "0x1")).transactions).toEqual([hash])
        expect((yield* transactions(node, "0x2")).transactions).toEqual([])
      }),
    )
  })

  describe("reorganise", () => {
    it.live("reorganise: replaces the newest blocks by others on the same ancestor", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        yield* Head.mine(node, 6)
        const before = yield* Head.range(node, 0, 6)

        const { ancestor, removed, added } = yield* Head.reorganise(node, { depth: 3 })
        expect(ancestor).toEqual(before[3])
        expect(removed).toEqual(before.slice(4))
        expect(added.map(({ number }) => number)).toEqual([4, 5, 6])
        expect(added.filter(({ hash }) => removed.some((old) => old.hash === hash))).toEqual([])
        expect(yield* Head.range(node, 0, 6)).toEqual([...before.slice(0, 4), ...added])
      }),
    )

    it.live("reorganise: creates a different chain each time", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        yield* Head.mine(node, 4)

        const first = yield* Head.reorganise(node, { depth: 2 })
        const second = yield* Head.reorganise(node, { depth: 2 })
        expect(second.ancestor).toEqual(first.ancestor)
        expect(second.removed).toEqual(first.added)
        expect(second.added.map(({ hash }) => hash)).not.toEqual(first.added.map(({ hash }) => hash))
      }),
    )

    it.live("reorganise: includes the given transfers in their blocks and mines more blocks on top", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const [from = "", to = ""] = node.accounts
        yield* Head.mine(node, 3)

        const transfers = [{ from, to, valueWei: 1n, blockIndex: 1 }]
        const { added } = yield* Head.reorganise(node, { depth: 2, transfers, moreBlocks: 2 })
        const counts = yield* Effect.forEach(["0x2", "0x3", "0x4", "0x5"], (block) => transactions(node, block))
        expect(added.map(({ number }) => number)).toEqual([2, 3, 4, 5])
        expect(counts.map((block) => block.transactions.length)).toEqual([0, 1, 0, 0])
      }),
    )

    it.live("reorganise: discards the transactions of the removed blocks", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const [from = "", to = ""] = node.accounts
        yield* Head.mine(node)
        const hash = yield* Head.transfer(node, { from, to, valueWei: 5n })
        yield* Head.mine(node)

        yield* Head.reorganise(node, { depth: 1, moreBlocks: 1 })
        expect(yield* node.call("eth_getTransactionByHash", [hash])).toBe(null)
      }),
    )
  })
})
