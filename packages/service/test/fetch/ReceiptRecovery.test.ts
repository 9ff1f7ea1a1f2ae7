/** When a receipt that the nodes do not give counts as lost. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ReceiptRecovery from "../../src/fetch/ReceiptRecovery.ts"
import type { Node } from "../../src/node/Node.ts"
import { hashOf } from "../indexer/scriptedChain.ts"

const ref = { number: 40, hash: hashOf(40), transactions: [hashOf(1), hashOf(2), hashOf(3)] }

const near = hashOf(9)

/** Nodes that give single receipts by a function. Of the blocks nearby, all are empty but those given. */
const nodes = (given: (hash: string, times: number) => boolean, full: ReadonlyArray<number> = [], isSettled = true) => {
  const asked = new Map<string, number>()
  const probed: Array<number> = []
  const node = {
    receipt: (hash: string) =>
      Effect.sync(() => {
        const times = (asked.get(hash) ?? 0) + 1
        asked.set(hash, times)
        return given(hash, times) ? { transactionHash: hash, blockHash: ref.hash } : null
      }),
    block: (number: number) =>
      Effect.sync(() => {
        probed.push(number)
        return { hash: hashOf(number), transactions: full.includes(number) ? [{ hash: near }] : [] }
      }),
    isSettled: () => isSettled,
    header: () => Effect.succeed({ hash: ref.hash }),
  }
  // Sound: recovery asks for nothing else.
  return { node: node as unknown as Node, asked, probed }
}

/** Hashes of the receipts that are recovered after so many failed turns. */
const recover = Effect.fnUntraced(function* (node: Node, failures: number, number = ref.number) {
  const fiber = yield* Effect.forkChild(ReceiptRecovery.recover(node, { ...ref, number }, failures))
  yield* TestClock.adjust("10 seconds")
  const found = yield* Fiber.join(fiber)
  return found?.map(({ transactionHash }) => transactionHash) ?? null
})

describe("ReceiptRecovery", () => {
  it.effect("recover: looks for no receipt before four failed turns", () =>
    Effect.gen(function* () {
      const { asked, node } = nodes(() => true)

      expect(yield* recover(node, 3)).toBe(null)
      expect(asked.size).toBe(0)
    }),
  )

  it.effect(
    "recover: leaves a receipt out when no node has it, and others of the block show that they keep receipts",
    () =>
      Effect.gen(function* () {
        const { node, probed } = nodes((hash) => hash !== hashOf(2))

        expect(yield* recover(node, 4)).toEqual([hashOf(1), hashOf(3)])
        expect(probed).toEqual([])
      }),
  )

  it.effect("recover: asks again for a receipt that is missing, as of a node that lags", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash, times) => hash !== hashOf(2) || times === 4)

      expect(yield* recover(node, 4)).toEqual(ref.transactions)
    }),
  )

  it.effect("recover: takes only a later block for a proof near the head, while the nodes may lag", () =>
    Effect.gen(function* () {
      const ofNear = (hash: string) => hash === near

      expect(yield* recover(nodes(ofNear, [39, 38, 36], false).node, 4)).toBe(null)
      expect(yield* recover(nodes(ofNear, [41], false).node, 4)).toEqual([])
      expect(yield* recover(nodes(ofNear, [39], false).node, 7)).toBe(null)
      expect(yield* recover(nodes(ofNear, [39], false).node, 8)).toEqual([])
      expect(yield* recover(nodes(ofNear, [37], false).node, 10)).toEqual([])
    }),
  )

  it.effect("recover: takes nodes without any receipt of the block and those nearby for pruned ones", () =>
    Effect.gen(function* () {
      const { asked, node, probed } = nodes(() => false)

      expect([yield* recover(node, 4), yield* recover(node, 5)]).toEqual([null, null])
      expect(probed).toEqual([39, 41, 38, 42])
      expect(asked.get(hashOf(2))).toBe(undefined)
    }),
  )

  it.effect("recover: probes block 0, and none below it", () =>
    Effect.gen(function* () {
      const { node, probed } = nodes(() => false)
      for (const failures of [4, 5, 6]) yield* recover(node, failures, 1)

      expect(probed).toEqual([0, 2, 3, 4])
    }),
  )

  it.effect(
    "recover: once turns are a minute apart, asks for one receipt of each of two blocks nearby, the first or the last",
    () =>
      Effect.gen(function* () {
        const { asked, node, probed } = nodes(
          () => false,
          [8, 24, 28, 32, 34, 36, 37, 38, 39, 41, 42, 43, 44, 46, 48, 52, 56, 72],
        )
        const calls = () => [...asked.values()].reduce((sum, times) => sum + times, probed.length)
        const perTurn: Array<number> = []
        for (let failures = 11; failures < 20; failures++) {
          const before = calls()
          yield* recover(node, failures)
          perTurn.push(calls() - before)
        }

        expect(perTurn).toEqual(Array.from({ length: 9 }, () => 4))
        expect(probed).toEqual([24, 56, 8, 72, 39, 41, 38, 42, 37, 43, 36, 44, 34, 46, 32, 48, 28, 52])
        expect([...asked.keys()]).toEqual([near])
      }),
  )

  it.effect("recover: gives no receipt where none is had, and a block nearby shows that the nodes keep them", () =>
    Effect.gen(function* () {
      const { node, probed } = nodes((hash) => hash === near, [42])

      expect([yield* recover(node, 4), yield* recover(node, 5)]).toEqual([null, []])
      expect(probed).toEqual([39, 41, 38, 42])
    }),
  )

  it.effect("recover: waits for one turn where receipts of a block nearby were lost too", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash !== hashOf(2))

      expect([yield* recover(node, 1), yield* recover(node, 4)]).toEqual([null, [hashOf(1), hashOf(3)]])
      expect([yield* recover(node, 0), yield* recover(node, 1)]).toEqual([null, [hashOf(1), hashOf(3)]])
    }),
  )

  it.effect("recover: takes no receipt for lost when the block has left the chain meanwhile", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash !== hashOf(2))
      const left = { ...node, header: () => Effect.succeed({ number: 40, hash: hashOf(41), parentHash: hashOf(39) }) }

      expect(yield* recover(left, 4)).toBe(null)
    }),
  )
})
