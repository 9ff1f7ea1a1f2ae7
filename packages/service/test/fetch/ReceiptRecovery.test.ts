/** When a receipt that the nodes do not return counts as lost. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ReceiptRecovery from "../../src/fetch/ReceiptRecovery.ts"
import type { Node } from "../../src/node/Node.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"
import { hashOf } from "../indexer/scriptedChain.ts"

const ref = { number: 40, hash: hashOf(40), transactions: [hashOf(1), hashOf(2), hashOf(3)] }

const near = hashOf(9)

/** Nodes that return single receipts by a function. All nearby blocks are empty except the given ones. */
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
  // Sound: recovery calls nothing else.
  return { node: node as unknown as Node, asked, probed }
}

const failedBy = (cause: object) => new NodeFailed({ message: "failed", pace: "rarely", cause } as never)
const undecoded = failedBy({ _tag: "InvalidResponse", isRetryable: false, reason: "content", path: "result.gasUsed" })
const slow = failedBy({ _tag: "TimeoutError" })

/** The same nodes, with some functions replaced. */
const withOther = (node: Node, other: Readonly<Record<string, unknown>>): Node => Object.assign({}, node, other)

/** Receipts of a block by hash, one of which fails. */
const failing = (failed: string, error: NodeFailed) => (hash: string) =>
  hash === failed ? Effect.fail(error) : Effect.succeed({ transactionHash: hash, blockHash: ref.hash })

/** Hashes of the receipts that are recovered after this many failed turns. */
const recover = Effect.fnUntraced(function* (node: Node, failures: number, number = ref.number) {
  const fiber = yield* Effect.forkChild(ReceiptRecovery.recover(node, { ...ref, number }, failures))
  yield* TestClock.adjust("10 seconds")
  const found = yield* Fiber.join(fiber)
  return found?.map(({ transactionHash }) => transactionHash) ?? null
})

describe("ReceiptRecovery", () => {
  it.effect("recover: looks up no receipt before the fourth failed turn", () =>
    Effect.gen(function* () {
      const { asked, node } = nodes(() => true)

      expect(yield* recover(node, 3)).toBe(null)
      expect(asked.size).toBe(0)
    }),
  )

  it.effect("recover: omits a receipt that no node has if other receipts of the block show that nodes keep them", () =>
    Effect.gen(function* () {
      const { asked, node, probed } = nodes((hash) => hash !== hashOf(2))

      expect(yield* recover(node, 4)).toEqual([hashOf(1), hashOf(3)])
      expect(probed).toEqual([])
      // The first receipt is also the evidence; the missing one is requested four times.
      expect(Object.fromEntries(asked)).toEqual({ [hashOf(1)]: 2, [hashOf(2)]: 4, [hashOf(3)]: 1 })
    }),
  )

  it.effect("recover: requests a missing receipt again, in case a node lags", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash, times) => hash !== hashOf(2) || times === 4)

      expect(yield* recover(node, 4)).toEqual(ref.transactions)
    }),
  )

  it.effect("recover: near the head, accepts only a later block as evidence, since nodes may lag", () =>
    Effect.gen(function* () {
      const ofNear = (hash: string) => hash === near

      expect(yield* recover(nodes(ofNear, [39, 38, 36], false).node, 4)).toBe(null)
      expect(yield* recover(nodes(ofNear, [41], false).node, 4)).toEqual([])
      expect(yield* recover(nodes(ofNear, [39], false).node, 7)).toBe(null)
      expect(yield* recover(nodes(ofNear, [39], false).node, 8)).toEqual([])
      expect(yield* recover(nodes(ofNear, [37], false).node, 10)).toEqual([])
    }),
  )

  it.effect("recover: treats nodes without any receipt of the block and of nearby blocks as pruned", () =>
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
    "recover: with turns a minute apart, requests one receipt of each of two nearby blocks, the first or the last",
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

  it.effect("recover: returns no receipt if none is found and a nearby block shows that the nodes keep them", () =>
    Effect.gen(function* () {
      const { node, probed } = nodes((hash) => hash === near, [42])

      expect([yield* recover(node, 4), yield* recover(node, 5)]).toEqual([null, []])
      expect(probed).toEqual([39, 41, 38, 42])
    }),
  )

  it.effect("recover: waits for one turn if receipts of a nearby block were lost too", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash !== hashOf(2))

      expect([yield* recover(node, 1), yield* recover(node, 4)]).toEqual([null, [hashOf(1), hashOf(3)]])
      expect([yield* recover(node, 0), yield* recover(node, 1)]).toEqual([null, [hashOf(1), hashOf(3)]])
    }),
  )

  it.effect("recover: treats no receipt as lost if the block has left the chain in the meantime", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash !== hashOf(2))
      const left = { ...node, header: () => Effect.succeed({ number: 40, hash: hashOf(41), parentHash: hashOf(39) }) }

      expect(yield* recover(left, 4)).toBe(null)
    }),
  )

  it.effect("recover: treats blocks within 1,000 of one with lost receipts as its neighbours", () =>
    Effect.gen(function* () {
      const { asked, node } = nodes((hash) => hash !== hashOf(2))
      yield* recover(node, 4, 2_000)
      asked.clear()
      const later = [yield* recover(node, 1, 3_000), yield* recover(node, 3, 1_000)]

      expect(later).toEqual([null, null])
      expect(asked.size).toBe(0)
      expect(yield* recover(node, 1, 1_001)).toEqual([hashOf(1), hashOf(3)])
    }),
  )

  it.effect("recover: does not count a complete set of receipts as a loss, so that neighbours need not wait", () =>
    Effect.gen(function* () {
      const { node } = nodes(() => true)

      expect([yield* recover(node, 4), yield* recover(node, 1)]).toEqual([ref.transactions, null])
    }),
  )

  it.effect("recover: requests the first and the last receipt of the block in turns before the tenth", () =>
    Effect.gen(function* () {
      const { asked, node } = nodes(() => false)
      yield* recover(node, 9)
      const before = [...asked.keys()]
      asked.clear()
      yield* recover(node, 10)

      expect(before).toEqual([hashOf(1), hashOf(3)])
      expect([...asked.keys()]).toEqual([])
    }),
  )

  it.effect(
    "recover: requests the first and the last receipt of a nearby block, and later alternates between them",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const block = (number: number) =>
          Effect.succeed({ hash: hashOf(number), transactions: [11, 12, 13].map((one) => ({ hash: hashOf(one) })) })
        const receipt = (hash: string) => Effect.sync(() => (asked.push(hash), null))
        const node = withOther(nodes(() => false).node, { block, receipt })
        const askedIn = Effect.fnUntraced(function* (failures: number) {
          asked.length = 0
          yield* recover(node, failures)
          return [...asked]
        })
        const [first, last] = [hashOf(11), hashOf(13)]

        expect(yield* askedIn(9)).toEqual([hashOf(1), hashOf(3), first, last, first, last])
        expect(yield* askedIn(10)).toEqual([first, first])
        expect(yield* askedIn(11)).toEqual([last, last])
      }),
  )

  it.effect("recover: accepts a receipt that does not decode as evidence, but not one that fails otherwise", () =>
    Effect.gen(function* () {
      const { node } = nodes(() => false)
      const proving = (error: NodeFailed) => {
        let isFirst = true
        const receipt = () => {
          const failed = isFirst
          isFirst = false
          return failed ? Effect.fail(error) : Effect.succeed(null)
        }
        return withOther(node, { receipt })
      }

      expect(yield* recover(proving(undecoded), 4)).toEqual([])
      expect(yield* recover(proving(slow), 4)).toBe(null)
    }),
  )

  it.effect("recover: accepts an undecodable receipt of a nearby block as evidence, by its transactions", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash === near)
      const links = { hash: hashOf(41), transactions: [{ hash: near }] }
      const withBlocks = (error: NodeFailed, lenient: object | null) =>
        withOther(node, { block: () => Effect.fail(error), lenientBlock: () => Effect.succeed(lenient) })

      expect(yield* recover(withBlocks(undecoded, { block: links }), 4)).toEqual([])
      expect(yield* recover(withBlocks(undecoded, null), 4)).toBe(null)
      expect(yield* recover(withBlocks(slow, { block: links }), 4)).toBe(null)
    }),
  )

  it.effect("recover: does not accept missing or pending nearby blocks as evidence", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash === near)
      const withBlock = (block: object | null) => withOther(node, { block: () => Effect.succeed(block) })

      expect(yield* recover(withBlock(null), 4)).toBe(null)
      expect(yield* recover(withBlock({ hash: null, transactions: [{ hash: near }] }), 4)).toBe(null)
    }),
  )

  it.effect("recover: omits a receipt that fails permanently or in each of eight turns, and fails before that", () =>
    Effect.gen(function* () {
      const { node } = nodes(() => true)
      const final = failedBy({ _tag: "RpcError", kind: "unknown", isRetryable: false, message: "pruned" })
      const nodeOf = (error: NodeFailed) => withOther(node, { receipt: failing(hashOf(2), error) })

      expect(yield* recover(nodeOf(final), 4)).toEqual([hashOf(1), hashOf(3)])
      expect(yield* recover(nodeOf(slow), 8)).toEqual([hashOf(1), hashOf(3)])
      expect(yield* Effect.flip(ReceiptRecovery.recover(nodeOf(slow), ref, 7))).toBe(slow)
    }),
  )

  it.effect("recover: requests a receipt that belongs to another block four times, then omits it", () =>
    Effect.gen(function* () {
      const { asked, node } = nodes(() => true)
      const receipt = (hash: string) =>
        Effect.map(node.receipt(hash, ref), (found) =>
          hash === hashOf(2) ? Object.assign({}, found, { blockHash: hashOf(77) }) : found,
        )

      expect(yield* recover(withOther(node, { receipt }), 4)).toEqual([hashOf(1), hashOf(3)])
      expect(asked.get(hashOf(2))).toBe(4)
    }),
  )

  it.effect("recover: treats no receipt as lost if the node no longer has a block with this number", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash !== hashOf(2))

      expect(yield* recover(withOther(node, { header: () => Effect.succeed(null) }), 4)).toBe(null)
    }),
  )

  it.effect("complete: requests up to four receipts that a response lacks, and keeps the order of transactions", () =>
    Effect.gen(function* () {
      const { asked, node } = nodes(() => true)
      const block = { ...ref, transactions: [1, 2, 3, 4, 5].map(hashOf) }
      const last = yield* node.receipt(hashOf(5), ref)
      asked.clear()
      const found = yield* ReceiptRecovery.complete(node, block, [last!])
      const others = [...asked.keys()]
      asked.clear()

      expect(found?.map(({ transactionHash }) => transactionHash)).toEqual(block.transactions)
      expect(others).toEqual([1, 2, 3, 4].map(hashOf))
      expect(yield* ReceiptRecovery.complete(node, block, [])).toBe(null)
      expect(asked.size).toBe(0)
    }),
  )

  it.effect("complete: returns null if a receipt is missing, fails or belongs to another block", () =>
    Effect.gen(function* () {
      const { node } = nodes((hash) => hash !== hashOf(2))
      const other = (hash: string) => Effect.succeed({ transactionHash: hash, blockHash: hashOf(77) })
      const completed = (one: Node) => ReceiptRecovery.complete(one, ref, [])

      expect(yield* completed(node)).toBe(null)
      expect(yield* completed(withOther(node, { receipt: failing(hashOf(2), slow) }))).toBe(null)
      expect(yield* completed(withOther(node, { receipt: other }))).toBe(null)
    }),
  )
})
