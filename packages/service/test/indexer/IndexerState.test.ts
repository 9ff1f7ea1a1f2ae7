import { describe, expect, it } from "@effect/vitest"
import * as IndexerState from "../../src/indexer/IndexerState.ts"
import type * as IndexerTurn from "../../src/indexer/IndexerTurn.ts"
import { CheckpointConflict, LeaseLost, StoreError } from "../../src/store/StoreError.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import { InvalidBlock } from "../../src/verification/InvalidBlock.ts"
import {
  apply,
  begun,
  checkpointAt,
  extended,
  failure,
  finalityRead,
  header,
  headSeen,
  initial,
  nodeFailed,
  ref,
  settings,
  tagsOf,
} from "./states.ts"

describe("IndexerState", () => {
  it("rules that were detected again are logged with the block that they rejected and the checks that are skipped", () => {
    const refused = new InvalidBlock({ block: 7, hash: "a7", what: "the bloom differs", isOfRules: true })
    const noteWith = (rules: HashRules.HashRules) => {
      const state = IndexerState.make(settings, null)
      const doubtful = apply([...begun, ...Array.from({ length: 9 }, () => failure(refused))], { state }).state
      return apply([headSeen(9, checkpointAt(6), { rules })], { state: doubtful }).reports[0]
    }

    expect(noteWith(HashRules.ethereum)).toMatchObject({
      message: "Detected the hash rules of the chain again, because they rejected a block",
      annotations: { block: 7, unchecked: "nothing" },
    })
    expect(noteWith(HashRules.none)).toMatchObject({
      annotations: { block: 7, unchecked: "header hashes, blooms and withdrawals" },
    })
  })

  describe("the lease", () => {
    it("is acquired at the beginning of every turn", () => {
      expect(apply([{ _tag: "Begun" }]).action).toEqual({ _tag: "AcquireLease" })
      expect(apply([...begun, extended]).action).toEqual({ _tag: "AcquireLease" })
      expect(apply([...begun, { _tag: "Waited" }]).action).toEqual({ _tag: "AcquireLease" })
    })

    it("held by another indexer is retried every second, and logged once", () => {
      const denied: IndexerTurn.Input = { _tag: "LeaseDenied" }
      const first = apply([denied])
      const second = apply([{ _tag: "Waited" }, denied], { state: first.state })

      expect([first.action, second.action]).toEqual([
        { _tag: "Wait", millis: 1_000 },
        { _tag: "Wait", millis: 1_000 },
      ])
      expect([tagsOf(first), tagsOf(second)]).toEqual([["Note"], []])
    })

    it("held by another indexer is logged again if this one has held it in the meantime", () => {
      const denied: IndexerTurn.Input = { _tag: "LeaseDenied" }
      const { state } = apply([denied, { _tag: "Waited" }, { _tag: "LeaseAcquired" }])

      expect(tagsOf(apply([denied], { state }))).toEqual(["Note"])
    })

    it("held by another indexer for a while does not reset the count of failed turns at a block", () => {
      const behind = (head: number) => [{ _tag: "LeaseAcquired" }, headSeen(head + 1, checkpointAt(head))] as const
      const { state } = apply([
        ...behind(5),
        failure(nodeFailed),
        { _tag: "Waited" },
        ...behind(5),
        failure(nodeFailed),
        { _tag: "Waited" },
        ...([{ _tag: "LeaseDenied" }, { _tag: "Waited" }, { _tag: "LeaseDenied" }, { _tag: "Waited" }] as const),
      ])

      expect(apply(behind(5), { state }).action).toMatchObject({ _tag: "Extend", from: 6, failures: 2, isRetry: true })
      const other = apply(behind(6), { state }).action
      expect(other).toMatchObject({ _tag: "Extend", from: 7, isRetry: false })
      expect(other).not.toHaveProperty("failures")
    })

    it.each([
      new StoreError({ message: "Locked.", isRetryable: true, cause: null }),
      new LeaseLost({ chain: "eth" }),
      new CheckpointConflict({ expected: ref(1), found: ref(2) }),
    ])("turns that fail by the database do not count as turns in which nodes failed at a block: $_tag", (error) => {
      const behind = [{ _tag: "LeaseAcquired" }, headSeen(6, checkpointAt(5))] as const
      const { state } = apply([
        ...behind,
        failure(error),
        { _tag: "Waited" },
        ...behind,
        failure(nodeFailed),
        { _tag: "Waited" },
      ])
      const taken: ReadonlyArray<IndexerTurn.Input> = [{ _tag: "LeaseDenied" }, { _tag: "Waited" }]

      expect(state).toMatchObject({ failures: 2 })
      expect(apply(behind, { state }).action).toMatchObject({ _tag: "Extend", failures: 1, isRetry: true })
      expect(apply([...taken, ...behind], { state }).action).toMatchObject({ failures: 1, isRetry: true })
    })

    it("is offered during the delay once turns have failed for more than a minute, and kept after a turn that succeeded", () => {
      const waited: ReadonlyArray<IndexerTurn.Input> = [{ _tag: "Waited" }, { _tag: "LeaseAcquired" }]
      const timedOut: IndexerTurn.Input = { _tag: "Failed", error: nodeFailed, millis: 29_900 }
      const second = apply([...begun, timedOut, ...waited, timedOut])
      const third = apply([...waited, timedOut], { state: second.state })
      const healthy = apply([...waited, extended, { _tag: "LeaseAcquired" }, timedOut], {
        state: third.state,
      })

      expect([second.action, third.action, healthy.action]).toEqual([
        { _tag: "Wait", millis: 100 },
        { _tag: "Wait", millis: 200, isLeaseOffered: true },
        { _tag: "Wait", millis: 50 },
      ])
    })

    it("is also offered after a minute of delays", () => {
      let transition = apply(begun)
      const offered: Array<boolean> = []
      for (let done = 0; done < 15; done++) {
        const inputs: ReadonlyArray<IndexerTurn.Input> = [failure(nodeFailed), { _tag: "Waited" }]
        const [failed, waited] = inputs
        transition = apply([failed!], { state: transition.state })
        offered.push(transition.action._tag === "Wait" && transition.action.isLeaseOffered === true)
        transition = apply([waited!, { _tag: "LeaseAcquired" }], { state: transition.state })
      }

      // 12.75 s in eight delays, then 10 s each.
      expect(offered.indexOf(true)).toBe(12)
      expect(offered.slice(12)).toEqual([true, true, true])
    })

    it("starts the indexer once", () => {
      const first = apply(begun)

      expect(tagsOf(first)).toEqual(["Started"])
      expect(tagsOf(apply([{ _tag: "LeaseAcquired" }], { state: first.state }))).toEqual([])
    })
  })

  describe("the range of a turn", () => {
    it("begins at the configured block in an empty index", () => {
      const { action } = apply([headSeen(9, null)], { settings: { fromBlock: 4 } })

      expect(action).toMatchObject({ _tag: "Extend", tip: null, from: 4, to: 9, first: 4 })
    })

    it("begins above the stored head", () => {
      const { action } = apply([headSeen(9, checkpointAt(5, 2))])

      expect(action).toMatchObject({ _tag: "Extend", tip: ref(5), from: 6, to: 9, first: 2 })
    })

    it("ends at the head of the node, however far away that is", () => {
      expect(apply([headSeen(1_000_000, null)]).action).toMatchObject({ _tag: "Extend", from: 0, to: 1_000_000 })
    })

    it("is one block after a failure, and full again once that block is stored", () => {
      const failed = apply([headSeen(9_000, null), failure(nodeFailed)])
      const probe = apply([{ _tag: "Waited" }, headSeen(9_000, null)], { state: failed.state })
      const next = apply([extended, headSeen(9_000, checkpointAt(0))], { state: probe.state })

      expect(probe.action).toMatchObject({ _tag: "Extend", from: 0, to: 0 })
      expect(next.action).toMatchObject({ _tag: "ReadFinality" })
      expect(apply([finalityRead(0)], { state: next.state }).action).toMatchObject({
        _tag: "CompareBlock",
        number: 0,
      })
    })
  })

  describe("the start block", () => {
    it("above the head of the node is waited for", () => {
      const transition = apply([headSeen(3, null)], { settings: { fromBlock: 4 } })

      expect(transition.action).toEqual({ _tag: "Wait", millis: 2_000 })
      expect(transition.reports.at(-1)).toMatchObject({ _tag: "Waiting", level: "Info", subject: "start block" })
    })

    it("from a date is searched for once, and waited for until the chain reaches it", () => {
      const dated = { fromBlock: undefined, fromTimestamp: 1_700_000_000 }
      const search = apply([headSeen(9, null)], { settings: dated })
      const missing = apply([{ _tag: "StartBlockFound", remote: header(9), number: null }], {
        settings: dated,
        state: search.state,
      })
      const found = apply([{ _tag: "StartBlockFound", remote: header(9), number: 7 }], {
        settings: dated,
        state: search.state,
      })

      expect(search.action).toMatchObject({ _tag: "FindStartBlock", timestamp: 1_700_000_000 })
      expect(missing.action).toEqual({ _tag: "Wait", millis: 2_000 })
      expect(missing.reports[0]).toMatchObject({ message: expect.stringContaining("2023-11-14T22:13:20.000Z") })
      expect(found.action).toMatchObject({ _tag: "Extend", from: 7, to: 9 })
      expect(found.state.startBlock).toBe(7)
    })
  })

  describe("the head of the node", () => {
    it("equal to the stored head is reported as in sync", () => {
      expect(apply([headSeen(5, checkpointAt(5))]).reports).toMatchObject([
        { _tag: "HeadSeen", nodeHead: 5 },
        { _tag: "Connected" },
        { _tag: "Synced", head: 5 },
      ])
    })

    it("below the stored head is treated as a lag while its hash is stored, and removes nothing", () => {
      const transition = apply([headSeen(3, checkpointAt(5))])

      expect(transition.reports[0]).toMatchObject({ _tag: "HeadSeen", nodeHead: 3 })
      expect(transition.reports.at(-1)).toMatchObject({ _tag: "Synced", head: 5 })
      expect(transition.action._tag).not.toBe("Unwind")
    })

    it("below the first indexed block is waited for", () => {
      const transition = apply([headSeen(3, checkpointAt(5, 4))])

      expect(transition.action).toEqual({ _tag: "Wait", millis: 2_000 })
      expect(transition.reports.at(-1)).toMatchObject({ _tag: "Waiting", subject: "node below the index" })
    })

    it("is reported as reached once every block up to it is appended", () => {
      const state = { ...initial(), finality: { head: 4, nodeHead: 4 } }

      expect(apply([{ _tag: "Extended", head: 5 }], { state }).reports).toEqual([{ _tag: "Synced", head: 5 }])
      expect(apply([extended], { state }).reports).toEqual([])
    })

    it("is reported as reached only after the finalized block was looked up once", () => {
      expect(apply([{ _tag: "Extended", head: 5 }]).reports).toEqual([])
    })

    it("with another hash than the stored block starts the search for the common ancestor", () => {
      const { action, state } = apply([headSeen(3, checkpointAt(5), { remote: header(3, "b") })])

      expect(action).toEqual({ _tag: "CheckChain" })
      expect(apply([{ _tag: "ChainChecked" }], { state }).action).toEqual({ _tag: "CompareBlock", number: 3 })
    })
  })

  describe("a reorg", () => {
    const broken: IndexerTurn.Input = {
      _tag: "ChainBroken",
      checkpoint: checkpointAt(5),
      nodeHead: 6,
      found: ref(6, "b"),
    }

    const compared = (number: number, isShared: boolean): IndexerTurn.Input => ({
      _tag: "BlockCompared",
      number,
      local: ref(number),
      remote: ref(number, isShared ? "a" : "b"),
    })

    it("unwinds to the highest shared block", () => {
      const { action } = apply([
        broken,
        { _tag: "ChainChecked" },
        compared(5, false),
        compared(3, true),
        compared(4, true),
      ])

      expect(action).toEqual({ _tag: "Unwind", head: ref(5), to: ref(4) })
    })

    it("unwinds everything if not even the first block is shared", () => {
      const inputs = [5, 3, 0].map((number) => compared(number, false))

      expect(apply([broken, { _tag: "ChainChecked" }, ...inputs]).action).toEqual({
        _tag: "Unwind",
        head: ref(5),
        to: null,
      })
    })

    /** A reorg from block 6 of an index whose final blocks end at `finalized`. */
    const belowFinal = (finalized: number, changes: Partial<IndexerState.Settings> = {}) => {
      const checkpoint = { ...checkpointAt(20_000), finalized }
      const start: IndexerTurn.Input = { ...broken, checkpoint, nodeHead: 6 }
      const inputs = [6, 5].map((number) => compared(number, number === 5))
      return apply([start, { _tag: "ChainChecked" }, ...inputs], { settings: changes })
    }

    it("removes at most 10,000 final blocks; beyond that the node has another chain", () => {
      const { action, reports } = belowFinal(10_006)

      expect(belowFinal(10_005)).toMatchObject({
        action: { _tag: "Unwind", head: ref(20_000), to: ref(5) },
        reports: [{ _tag: "Note", level: "Warn", annotations: { blocks: 10_000, from: 6 } }],
      })
      expect(belowFinal(5).reports).toEqual([])
      expect(action._tag).toBe("Wait")
      expect(reports).toEqual([{ _tag: "Misconfigured", message: expect.stringMatching(/block 6 on.*10001 blocks/) }])
    })

    it("removes any number of blocks of a chain whose node can be rewound", () => {
      expect(belowFinal(20_000, { rewinds: true }).action._tag).toBe("Unwind")
    })

    it("removes nothing if no stored block differs: the node contradicts itself", () => {
      const { action, reports } = apply([broken, { _tag: "ChainChecked" }, compared(5, true)])

      expect(action).toEqual({ _tag: "Wait", millis: 50 })
      expect(reports).toMatchObject([{ _tag: "Note", message: expect.stringContaining("does not extend") }])
    })

    it("removes nothing if the node no longer has the compared block", () => {
      const lost: IndexerTurn.Input = { _tag: "BlockCompared", number: 5, local: ref(5), remote: null }

      expect(apply([broken, { _tag: "ChainChecked" }, lost]).action).toEqual({ _tag: "Wait", millis: 50 })
    })

    it("is ignored if another indexer has already handled it", () => {
      const empty: IndexerTurn.Input = { ...broken, checkpoint: null }

      expect(apply([empty]).action).toEqual({ _tag: "AcquireLease" })
    })

    it("is reported once it is complete, and finality is looked up again", () => {
      const state = { ...initial(), finality: { head: 5, nodeHead: 5 } }
      const transition = apply([{ _tag: "Unwound", from: ref(5), to: ref(4) }], { state })

      expect(transition.reports).toEqual([{ _tag: "Reorged", from: ref(5), to: ref(4) }])
      expect(transition.state.finality).toBeNull()
    })
  })

  describe("finality", () => {
    const synced = headSeen(100, checkpointAt(100, 10))

    it.each([
      ["the tag of the node, whose block is known", 80, { _tag: "CompareBlock", number: 80, remote: ref(80) }],
      ["the stored head if the tag is above it", 120, { _tag: "CompareBlock", number: 100 }],
      ["64 blocks below the head if there is no tag", null, { _tag: "CompareBlock", number: 36 }],
      ["the first indexed block", 10, { _tag: "CompareBlock", number: 10, remote: ref(10) }],
      ["nothing if the tag is below the first indexed block", 9, { _tag: "FillProjections", millis: 2_000 }],
    ] as const)("is %s", (_, number, action) => {
      expect(apply([synced, finalityRead(number)]).action).toEqual(action)
    })

    it("is derived from the configured number of blocks", () => {
      const { action } = apply([synced, finalityRead(null)], { settings: { finalityBlocks: 90 } })

      expect(action).toEqual({ _tag: "CompareBlock", number: 10 })
      expect(apply([synced, finalityRead(null)], { settings: { finalityBlocks: 91 } }).action._tag).toBe(
        "FillProjections",
      )
    })

    it("is not stored if the node no longer has the block, and looked up again", () => {
      const other: IndexerTurn.Input = { _tag: "BlockCompared", number: 80, local: ref(80), remote: ref(80, "b") }
      const transition = apply([synced, finalityRead(80), other])

      expect(transition.action._tag).toBe("FillProjections")
      expect(transition.state.finality).toBeNull()
    })

    it("is looked up once for the same heads", () => {
      const shared: IndexerTurn.Input = { _tag: "BlockCompared", number: 80, local: ref(80), remote: ref(80) }
      const done = apply([synced, finalityRead(80), shared])
      const next = apply([{ _tag: "BlockFinalized" }, { _tag: "ProjectionsFilled", isDone: true }], {
        state: done.state,
      })

      expect(done.action).toEqual({ _tag: "FinalizeBlock", number: 80 })
      expect(next.action).toEqual({ _tag: "Wait", millis: 2_000 })
      expect(apply([synced], { state: next.state }).action).toEqual({
        _tag: "Wait",
        millis: 2_000,
      })
      expect(apply([headSeen(101, checkpointAt(101, 10))], { state: next.state }).action).toEqual({
        _tag: "ReadFinality",
      })
    })

    it("stays unchanged while the nodes fail to return it, and blocks nothing else", () => {
      const read = apply([synced, failure(nodeFailed)])
      const filled: IndexerTurn.Input = { _tag: "ProjectionsFilled", isDone: true }
      const later = apply([filled, headSeen(101, checkpointAt(101, 10)), failure(nodeFailed)], { state: read.state })
      const stored = new StoreError({ message: "The database is locked.", isRetryable: true, cause: null })

      expect(read.action).toEqual({ _tag: "FillProjections", millis: 2_000 })
      expect(later.action).toEqual({ _tag: "Wait", millis: 2_000 })
      expect([...read.reports, ...later.reports]).toMatchObject([
        { _tag: "Note", level: "Warn", message: "The node is gone." },
        { _tag: "Note", level: "Debug", message: "The node is gone." },
      ])
      expect(apply([synced, failure(stored)]).action).toEqual({ _tag: "Wait", millis: 50 })
    })

    /** A poll by an indexer that last looked up the finalized block at this head. */
    const growingFrom = (looked: number | null, ...poll: Parameters<typeof headSeen>) => {
      const finality = looked === null ? null : { head: looked, nodeHead: looked }
      return apply([headSeen(...poll)], { state: { ...initial(), finality } })
    }

    it.each([
      [2_000, "Extend"],
      [2_001, "ReadFinality"],
    ])("is looked up before a turn if the node is more than 2000 blocks ahead: %d", (ahead, tag) => {
      expect(growingFrom(100, 100 + ahead, checkpointAt(100)).action._tag).toBe(tag)
    })

    it.each([
      ["not within 16 blocks of the last time", 100, 115, "Extend"],
      ["after 16 blocks", 100, 116, "ReadFinality"],
      ["after a restart", null, 116, "ReadFinality"],
    ] as const)("is looked up while the head of the node moves in each turn: %s", (_, looked, head, tag) => {
      expect(growingFrom(looked, head + 1, checkpointAt(head)).action._tag).toBe(tag)
    })

    it.each([
      ["projections are filled", growingFrom(100, 117, checkpointAt(116, 10)), "FillProjections"],
      ["blocks are added above after a restart", growingFrom(null, 117, checkpointAt(116, 10)), "Extend"],
    ])("is looked up while the head of the node moves in each turn, before %s", (_, { state }, tag) => {
      expect(apply([finalityRead(9)], { state }).action._tag).toBe(tag)
    })

    it.each([
      ["blocks are added below the first one", 0, { _tag: "Wait", millis: 2_000, below: { lowest: 0 } }],
      ["blocks are added above", 10, { _tag: "Extend", from: 117 }],
    ])(
      "is looked up by a filled index while the head of the node moves in each turn, before %s",
      (_, startBlock, action) => {
        const state = { ...initial(), isFilled: true, finality: { head: 100, nodeHead: 100 } }
        const polled = headSeen(117, checkpointAt(116, 10), { startBlock })

        expect(apply([polled, finalityRead(9)], { state }).action).toMatchObject(action)
      },
    )
  })

  it("a chain that can be rewound is unwound to a lower head of its node, and a head below the first block empties the index", () => {
    const settings = { rewinds: true } as const
    const lower = apply([headSeen(7, checkpointAt(9))], { settings })
    const below = apply([headSeen(2, checkpointAt(9, 5), { localHash: null })], { settings })
    const other = apply([headSeen(7, checkpointAt(9), { localHash: "b7" })], { settings })

    expect(lower.action).toEqual({ _tag: "Unwind", head: ref(9), to: ref(7) })
    expect(below.action).toEqual({ _tag: "Unwind", head: ref(9), to: null })
    expect(other.action).toEqual({ _tag: "CheckChain" })
    expect(apply([headSeen(7, checkpointAt(9))]).action._tag).not.toBe("Unwind")
  })
})
