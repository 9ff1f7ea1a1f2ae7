import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as IndexerState from "../../src/indexer/IndexerState.ts"
import type * as IndexerTurn from "../../src/indexer/IndexerTurn.ts"
import { BlockNotFound } from "../../src/fetch/BlockNotFound.ts"
import { NodeFailed, WrongChain } from "../../src/node/NodeError.ts"
import type { BlockRef } from "../../src/block/BlockRows.ts"
import { CheckpointConflict, StoreError } from "../../src/store/StoreError.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import { InvalidBlock } from "../../src/verification/InvalidBlock.ts"
import {
  apply,
  begun,
  checkpointAt,
  extended,
  failure,
  finalityRead,
  gone,
  headSeen,
  nodeFailed,
  ref,
  settings,
  tagsOf,
} from "./states.ts"

describe("IndexerState", () => {
  describe("a failure", () => {
    /** Delays after this many consecutive failures. */
    const delaysAfter = (error: IndexerTurn.TurnError, count: number) => {
      let transition = apply(begun)
      const delays: Array<number> = []
      for (let done = 0; done < count; done++) {
        transition = apply([failure(error)], { state: transition.state })
        if (transition.action._tag === "Wait") delays.push(transition.action.millis)
        transition = apply([{ _tag: "Waited" }, { _tag: "LeaseAcquired" }], { state: transition.state })
      }
      return delays
    }

    it("is retried after doubling delays up to the maximum", () => {
      expect(delaysAfter(nodeFailed, 10)).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    })

    it("that the node repeats is retried once a minute as soon as a delay exceeds half of that", () => {
      const missing = new BlockNotFound({ block: 1, what: "receipts" })

      expect(delaysAfter(missing, 13).slice(-5)).toEqual([12_800, 25_600, 60_000, 60_000, 60_000])
    })

    it.each<readonly [number, string, IndexerTurn.TurnError]>([
      [10_000, "without a connection", nodeFailed],
      [15_000, "of the head", new NodeFailed({ ...gone, message: "Busy.", pace: "later" })],
      [60_000, "that the node repeats", new NodeFailed({ ...gone, message: "No.", pace: "rarely" })],
      [60_000, "by another chain", new WrongChain({ host: "node", configured: 1, found: 5n })],
      [15_000, "by a missing block", new BlockNotFound({ block: 1, what: "block" })],
      [60_000, "by pruned receipts", new BlockNotFound({ block: 1, what: "receipts", hosts: ["node"] })],
      [60_000, "by an invalid block", new InvalidBlock({ block: 7, hash: "0x07", what: "a receipt is missing" })],
    ])("is retried after at most %d ms: one %s", (maxMillis, _, error) => {
      expect(delaysAfter(error, 15).at(-1)).toBe(maxMillis)
    })

    it("that may be a reorg is reported as pruned history after the third in a row", () => {
      const pruned = failure(new BlockNotFound({ block: 1, what: "receipts", hosts: ["node"] }))

      expect(tagsOf(apply([pruned, pruned, pruned]))).toEqual(["Note"])
      expect(tagsOf(apply([pruned, pruned, pruned, pruned]))).toEqual(["Note", "Misconfigured"])
    })

    it("that does not resolve itself is reported with the remedy", () => {
      const passing = new NodeFailed({ ...gone, message: "It failed.", advice: "Use another node." })
      const once = apply([failure(passing)])
      const lasting = apply(
        [1, 2, 3].map(() => failure(passing)),
        { state: once.state },
      )

      expect(once.reports).toEqual([{ _tag: "Waiting", message: "It failed." }])
      expect(lasting.reports).toEqual([{ _tag: "Waiting", message: "It failed. Use another node." }])
    })

    it("postpones the finalized block, so that the node receives few calls", () => {
      const { state } = apply([failure(nodeFailed)])

      expect(apply([headSeen(9_000, checkpointAt(0))], { state }).action).toMatchObject({
        _tag: "Extend",
        from: 1,
        to: 1,
      })
    })

    it("of the node is reported at once", () => {
      const wrong = new WrongChain({ host: "node", configured: 1, found: 5n })
      const unsupported = new NodeFailed({ ...gone, message: "No receipts.", isMisconfigured: true })

      expect(apply([failure(nodeFailed)]).reports).toEqual([{ _tag: "Waiting", message: "The node is gone." }])
      expect(apply([failure(wrong)]).reports).toMatchObject([{ _tag: "Misconfigured" }])
      expect(apply([failure(unsupported)]).reports).toMatchObject([{ _tag: "Misconfigured" }])
    })

    it("that may resolve itself is reported after the third in a row", () => {
      const invalid = failure(new InvalidBlock({ block: 7, hash: "0x07", what: "a receipt is missing" }))
      const busy = failure(new StoreError({ message: "Locked.", isRetryable: true, cause: null }))

      expect(tagsOf(apply([invalid, invalid, invalid]))).toEqual(["Note"])
      expect(tagsOf(apply([invalid, invalid, invalid, invalid]))).toEqual(["Note", "Waiting"])
      expect(tagsOf(apply([busy, busy, busy]))).toEqual(["Note"])
      expect(tagsOf(apply([busy, busy, busy, busy]))).toEqual(["Waiting"])
    })

    it("caused by another indexer's write is not an obstacle", () => {
      const conflict = failure(new CheckpointConflict({ expected: ref(1), found: ref(2) }))

      expect(tagsOf(apply([conflict, conflict, conflict, conflict]))).toEqual(["Note"])
    })

    it("of the database that is permanent stops the indexer", () => {
      const error = new StoreError({ message: "Damaged.", isRetryable: false, cause: null })

      expect(apply([failure(error)]).action).toEqual({ _tag: "Stop", error })
    })
  })

  describe("laws", () => {
    /** A chain by its branch at each height: two chains share a block when they agree up to it. */
    const Chain = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(12),
    )
    const Moves = Schema.Array(Chain).check(Schema.isMinLength(1), Schema.isMaxLength(6))

    const blocksOf = (branches: ReadonlyArray<number>): ReadonlyArray<BlockRef> =>
      branches.map((_, number) => ({ number, hash: branches.slice(0, number + 1).join("-") }))

    const sharedBlocks = (one: ReadonlyArray<BlockRef>, other: ReadonlyArray<BlockRef>): number => {
      const differs = one.findIndex(({ hash }, at) => other[at]?.hash !== hash)
      return differs === -1 ? one.length : differs
    }

    /**
     * Drives the machine against a node whose chain is replaced after every few actions, and a store that is a list.
     * Every append and every unwind is checked.
     */
    const simulate = (chains: ReadonlyArray<ReadonlyArray<number>>, actionsPerChain: number, steps: number) => {
      const small: IndexerState.Settings = { ...settings, finalityBlocks: 3 }
      let state = IndexerState.make(small, HashRules.ethereum)
      let input: IndexerTurn.Input = { _tag: "Begun" }
      let stored: Array<BlockRef> = []
      let searched: Array<ReadonlyArray<BlockRef>> = []
      for (let count = 0; count < steps; count++) {
        const at = Math.min(Math.floor(count / actionsPerChain), chains.length - 1)
        const node = blocksOf(chains[at]!)
        const { action, state: next } = IndexerState.step(small, state, input)
        state = next
        searched.push(node)
        input = perform(action, node)
      }
      return stored

      function perform(action: IndexerTurn.Action, node: ReadonlyArray<BlockRef>): IndexerTurn.Input {
        const head = stored.at(-1)
        const checkpoint = head === undefined ? null : { ...checkpointAt(0), head }
        switch (action._tag) {
          case "AcquireLease":
            searched = [node]
            return { _tag: "LeaseAcquired" }
          case "PollHead": {
            const remote = { ...node.at(-1)!, parentHash: node.at(-2)?.hash ?? "" }
            const localHash = stored[remote.number]?.hash ?? null
            return { _tag: "HeadSeen", remote, checkpoint, localHash, traces: "off", rules: HashRules.ethereum }
          }
          case "Extend": {
            expect(action.tip).toEqual(head ?? null)
            expect(action.from).toBe(stored.length)
            for (let number = action.from; number <= action.to; number++) {
              const block = node[number]
              if (block === undefined) return failure(nodeFailed)
              const parent = number === 0 ? undefined : node[number - 1]
              if (parent?.hash !== stored.at(-1)?.hash)
                return { _tag: "ChainBroken", checkpoint, nodeHead: action.nodeHead, found: block }
              stored.push(block)
            }
            return extended
          }
          case "CompareBlock":
            return {
              _tag: "BlockCompared",
              number: action.number,
              local: stored[action.number] ?? null,
              remote: node[action.number] ?? null,
            }
          case "Unwind": {
            const kept = action.to === null ? 0 : action.to.number + 1
            expect(action.head).toEqual(head)
            expect(action.to).toEqual(stored[kept - 1] ?? null)
            // Never below a block that every chain of this turn has, and never without removing a block.
            expect(kept).toBeGreaterThanOrEqual(Math.min(...searched.map((seen) => sharedBlocks(stored, seen))))
            expect(kept).toBeLessThan(stored.length)
            stored = stored.slice(0, kept)
            return { _tag: "Unwound", from: action.head, to: action.to }
          }
          case "FinalizeBlock":
            expect(stored[action.number]).toBeDefined()
            return { _tag: "BlockFinalized" }
          case "ReadFinality":
            return finalityRead(null)
          case "FillProjections":
            return { _tag: "ProjectionsFilled", isDone: true }
          case "CheckChain":
            return { _tag: "ChainChecked" }
          case "FindStartBlock":
            return { _tag: "StartBlockFound", remote: action.remote, number: 0 }
          case "Wait":
          case "Stop":
            return { _tag: "Waited" }
        }
      }
    }

    it.prop(
      "step: never unwinds below the common ancestor of the chains seen in a turn, and appends only linked blocks",
      { chains: Moves, actionsPerChain: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })) },
      ({ actionsPerChain, chains }) => {
        const stored = simulate(chains, actionsPerChain, chains.length * actionsPerChain)

        expect(stored).toEqual(blocksOf(stored.at(-1)?.hash.split("-").map(Number) ?? []))
      },
      { arbitrary: { runs: 300 } },
    )

    it.prop(
      "step: reaches the node's chain once the chain is stable",
      { chains: Moves, actionsPerChain: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })) },
      ({ actionsPerChain, chains }) => {
        const last = blocksOf(chains.at(-1)!)
        const stored = simulate(chains, actionsPerChain, chains.length * actionsPerChain + 200)

        expect(stored.slice(0, last.length)).toEqual(last)
      },
      { arbitrary: { runs: 300 } },
    )
  })

  describe("blocks below the first one", () => {
    const filled = apply([...begun, headSeen(20, checkpointAt(20)), { _tag: "ProjectionsFilled", isDone: true }]).state
    /** A poll of the head by an index from block 10 to 20, and the finalized block that follows. */
    const polled = (number: number, startBlock: number | null, state = filled) =>
      apply(
        [
          { _tag: "Waited" },
          { _tag: "LeaseAcquired" },
          headSeen(number, checkpointAt(20, 10), { startBlock }),
          finalityRead(null),
        ],
        { state },
      ).action

    it("are indexed while the index waits at the head, down to the configured start", () => {
      const rules = HashRules.ethereum

      expect(polled(20, 4)).toEqual({ _tag: "Wait", millis: 2_000, below: { lowest: 4, rules } })
      expect(polled(20, 10)).toEqual({ _tag: "Wait", millis: 2_000 })
      expect(polled(20, null)).toEqual({ _tag: "Wait", millis: 2_000 })
    })

    it("wait for the blocks above the head, and until projections are filled", () => {
      expect(polled(25, 4)._tag).not.toBe("Wait")
      expect(polled(20, 4, { ...filled, isFilled: false })._tag).toBe("FillProjections")
    })

    it("that cannot be fetched are reported after three failures, and the head is polled at once", () => {
      const failed = (error: IndexerTurn.TurnError, failures: number) =>
        apply([{ _tag: "PrependFailed", error, failures }], { state: filled })
      const missing = new BlockNotFound({ block: 9, what: "block", hosts: ["a"] })

      expect([tagsOf(failed(missing, 3)), tagsOf(failed(missing, 4))]).toEqual([
        ["Note"],
        ["Note", "PrependObstructed"],
      ])
      expect(tagsOf(failed(nodeFailed, 1))).toEqual(["PrependObstructed"])
      expect(failed(missing, 9)).toMatchObject({ action: { _tag: "AcquireLease" }, state: { failures: 0 } })
    })

    it("that detected rules reject again cause another detection of the rules", () => {
      const refused = new InvalidBlock({ block: 7, hash: "a7", what: "the bloom differs", isOfRules: true })
      const state = { ...filled, doubt: IndexerState.make(settings, null).doubt }
      const doubtful = (failures: number) =>
        apply([{ _tag: "PrependFailed", error: refused, failures }], { state }).state.doubt.doubtful

      expect([doubtful(3), doubtful(4)]).toEqual([null, 7])
    })
  })
})
