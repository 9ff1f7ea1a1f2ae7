import { describe, expect, it } from "vitest"
import type { IndexerEvent } from "../../src/indexer/IndexerEvent.ts"
import type { Annotations } from "../../src/indexer/IndexerReport.ts"
import * as StatusTracker from "../../src/indexer/StatusTracker.ts"
import * as TrackerState from "../../src/indexer/TrackerState.ts"
import { latePollMillis } from "../../src/server/monitoring/Status.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"

/** Applies inputs at given seconds; collects the resulting statuses, log lines and events. */
const track = (
  inputs: ReadonlyArray<readonly [second: number, input: StatusTracker.Input | ReadonlyArray<StatusTracker.Input>]>,
  options: { readonly before?: IndexerStatus; readonly pollMillis?: number } = {},
) => {
  const { before = null, pollMillis = 0 } = options
  let state = TrackerState.make({ pollMillis, before })
  const statuses: Array<IndexerStatus> = []
  const writtenAt: Array<number> = []
  const lines: Array<string> = []
  const annotations: Array<Annotations> = []
  const events: Array<IndexerEvent> = []
  for (const [second, input] of inputs.flatMap(([at, given]) => [given].flat().map((one) => [at, one] as const))) {
    const [next, outputs] = StatusTracker.step(state, input, second * 1000)
    state = next
    for (const output of outputs) {
      if (output._tag === "StoreStatus") {
        statuses.push(output.status)
        writtenAt.push(next.writtenAtMillis)
      }
      if (output._tag === "Emit") events.push(output.event)
      if (output._tag !== "Log") continue
      lines.push(`${output.level} ${output.message}`)
      annotations.push(output.annotations)
    }
  }
  return { state, statuses, writtenAt, lines, annotations, events }
}

const settings = { traces: "on", allFrames: "false", checks: "standard" }

const connected: StatusTracker.Input = {
  _tag: "Connected",
  traces: "trace_block",
  unchecked: null,
  settings,
  head: null,
}

const headSeen = (nodeHead: number, isExtending = false): StatusTracker.Input => ({
  _tag: "HeadSeen",
  nodeHead,
  isExtending,
})

const stored = (head: number, blocks = 1): StatusTracker.Input => ({
  _tag: "Indexed",
  first: 0,
  head,
  blocks,
  transactions: 2 * blocks,
})

/** The node's head, then blocks below it. */
const indexed = (head: number, nodeHead: number, blocks = 1) => [headSeen(nodeHead), stored(head, blocks)]

/** The node's head, and that the index has reached it. */
const synced = (head: number, nodeHead = head): ReadonlyArray<StatusTracker.Input> => [
  headSeen(nodeHead),
  { _tag: "Synced", head },
]

const heartbeat: StatusTracker.Input = { _tag: "Heartbeat" }

const waiting = (message: string, subject?: string): StatusTracker.Input => ({
  _tag: "Waiting",
  message,
  subject,
})

describe("StatusTracker", () => {
  it("Started: reports that the node has not responded, and any obstacle replaces it at once", () => {
    const { statuses } = track([
      [0, { _tag: "Started" }],
      [0.001, waiting("The node is gone.")],
    ])

    expect(statuses.map(({ message, state }) => [state, message])).toEqual([
      ["waiting", "The indexer has started; the node has not responded yet."],
      ["waiting", "The node is gone."],
    ])
  })

  it("Waiting: logs and emits an obstacle once per subject, whatever its message", () => {
    const { events, lines } = track([
      [0, waiting("The node is at block 4, below the index.", "below")],
      [1, waiting("The node is at block 5, below the index.", "below")],
      [2, waiting("The node is gone.")],
      [3, waiting("The node is gone.")],
    ])

    expect(lines).toEqual(["Warn The node is at block 4, below the index.", "Warn The node is gone."])
    expect(events.map(({ _tag }) => _tag)).toEqual(["Waiting", "Waiting"])
  })

  it("Waiting, Misconfigured: log a warning that lasts once a minute, and emit it once", () => {
    const start = { _tag: "Waiting", message: "Before the start block.", level: "Info", subject: "start" } as const
    const pruned = { _tag: "Misconfigured", message: "Pruned." } as const
    const seconds = Array.from({ length: 150 }, (_, second) => second)
    const every = (input: StatusTracker.Input) => track(seconds.map((second) => [second, input] as const))

    expect(every(pruned).lines).toEqual(["Warn Pruned.", "Warn Pruned.", "Warn Pruned."])
    expect(every(pruned).events).toHaveLength(1)
    expect(every(waiting("The node is gone.")).lines).toHaveLength(3)
    expect(every(start).lines).toEqual(["Info Before the start block."])
  })

  it("Waiting: logs an obstacle again after another one", () => {
    const start = { _tag: "Waiting", message: "Before the start block.", level: "Info", subject: "start" } as const
    const { lines } = track([
      [0, start],
      [1, waiting("The node is gone.")],
      [2, start],
    ])

    expect(lines).toEqual(["Info Before the start block.", "Warn The node is gone.", "Info Before the start block."])
  })

  it("Waiting: logs an obstacle again when it returns after the index was in sync", () => {
    const { lines } = track([
      [0, waiting("The node is gone.")],
      [1, synced(7)],
      [2, waiting("The node is gone.")],
    ])

    expect(lines).toEqual(["Warn The node is gone.", "Info Synced", "Warn The node is gone."])
  })

  it("Waiting: keeps the tracer unknown until the node responds", () => {
    const { statuses } = track([
      [0, waiting("The node is gone.")],
      [1, { ...connected, traces: "off" }],
      [2, waiting("The node is gone again.")],
    ])

    expect(statuses.map(({ traces }) => traces)).toEqual([null, "off"])
  })

  it("Misconfigured: has a separate state and event", () => {
    const { events, statuses } = track([[0, { _tag: "Misconfigured", message: "Another chain." }]])

    expect(statuses).toMatchObject([{ state: "misconfigured", message: "Another chain." }])
    expect(events).toEqual([{ _tag: "Misconfigured", message: "Another chain." }])
  })

  it("Connected: logs the tracer when it changes, and the skipped checks once", () => {
    const off = { ...connected, traces: "off", unchecked: "blooms" } as const
    const { lines, state } = track([
      [0, off],
      [1, off],
      [2, { ...connected, unchecked: "blooms" }],
    ])

    expect(lines).toEqual([
      "Info Checks left out by the chain's hash rules",
      "Info No internal transactions: the node has no tracer",
      "Info Tracer",
    ])
    expect(state).toMatchObject({ unchecked: "blooms", tracer: "trace_block" })
  })

  it("Connected: logs missing capabilities of the nodes when they change, and keeps them in the status", () => {
    const bare = { ...connected, lacking: "receipts one by one" } as const
    const { lines, statuses } = track([
      [0, bare],
      [1, bare],
      [2, synced(7)],
      [3, connected],
    ])

    expect(lines).toEqual(["Info The node lacks some features", "Info Tracer", "Info Synced"])
    expect(statuses.at(-1)).toMatchObject({ lacking: "receipts one by one" })
  })

  it("Synced: a chain that does not grow is never reported with a head that readers treat as unknown", () => {
    const seconds = Array.from({ length: 200 }, (_, at) => at / 10)
    const { writtenAt } = track(seconds.map((second) => [second, synced(7)] as const))

    const gaps = writtenAt.slice(1).map((at, index) => at - writtenAt[index]!)
    expect(Math.max(...gaps)).toBeLessThan(latePollMillis)
    expect(writtenAt.length).toBeLessThanOrEqual(11)
  })

  it("Indexed: writes the status once a second and logs progress every five seconds", () => {
    const { events, lines, statuses, writtenAt } = track([
      [0, connected],
      [0, headSeen(1_000)],
      [0.1, stored(10, 10)],
      [0.6, stored(20, 10)],
      [1.2, stored(30, 10)],
      [5.3, stored(40, 10)],
      [6, stored(50, 10)],
    ])

    expect(writtenAt).toEqual([100, 1_200, 5_300])
    expect(statuses[1]).toMatchObject({ state: "backfill", nodeHead: 1_000, headAgeMillis: 1_200, blocksPerSecond: 25 })
    expect(lines.filter((line) => line.endsWith("Backfill"))).toHaveLength(1)
    expect(events).toHaveLength(5)
    expect(events.at(-1)).toMatchObject({
      _tag: "Indexed",
      head: 50,
      blocks: 50,
      transactions: 100,
      etaMillis: 114_000,
    })
  })

  it("Indexed: counts as synced up to 16 blocks behind the head of the node", () => {
    const { state } = track([
      [0, connected],
      [1, synced(100)],
      [2, headSeen(116)],
      [2, stored(101)],
    ])
    expect(state.status.state).toBe("synced")

    const [behind] = StatusTracker.step(state, headSeen(118), 3_000)
    expect(behind.status.state).toBe("backfill")
  })

  it("Indexed: totals count from the start of the backfill, and the throughput excludes the time before", () => {
    const { annotations, events, lines } = track([
      [0, connected],
      [1, indexed(10, 10, 11)],
      [2, synced(10)],
      [3_599, headSeen(10)],
      [3_600, headSeen(1_010)],
      [3_606, stored(110, 100)],
    ])

    expect(events.at(-1)).toMatchObject({ blocks: 100, elapsedMillis: 6_000, nodeHead: 1_010 })
    expect(lines.at(-1)).toBe("Info Backfill")
    expect(annotations.at(-1)).toMatchObject({ block: 110, nodeHead: 1_010, lag: 900 })
  })

  it("Indexed: a wait during a backfill keeps the totals and does not count towards the throughput", () => {
    const { events } = track([
      [0, connected],
      [0, headSeen(1_009)],
      [1, stored(9, 10)],
      [2, waiting("The node is gone.")],
      [602, headSeen(1_009)],
      [603, stored(19, 10)],
    ])

    expect(events.at(-1)).toMatchObject({ blocks: 20, blocksPerSecond: 10, elapsedMillis: 2_000, etaMillis: 99_000 })
  })

  it("HeadSeen: is stored at once while blocks are fetched, with its age in every later status", () => {
    const { statuses } = track([
      [0, connected],
      [0, headSeen(100)],
      [1, stored(10, 10)],
      [1.25, headSeen(101, true)],
      [1.5, headSeen(101, true)],
      [2.75, stored(20, 10)],
    ])

    expect(statuses.map(({ headAgeMillis, nodeHead, state }) => [state, nodeHead, headAgeMillis])).toEqual([
      ["backfill", 100, 1_000],
      ["backfill", 101, 0],
      ["backfill", 101, 1_250],
    ])
  })

  it("HeadSeen: an index that was in sync catches up once the head is more than 16 blocks away", () => {
    const { statuses } = track([
      [0, synced(100)],
      [1, headSeen(116)],
      [2, headSeen(117)],
    ])

    expect(statuses.map(({ nodeHead, state }) => [state, nodeHead])).toEqual([
      ["synced", 100],
      ["synced", 116],
      ["backfill", 117],
    ])
  })

  it("HeadSeen: blocks fetched after the start are a backfill, and an obstacle remains until blocks are stored", () => {
    const started: StatusTracker.Input = { _tag: "Started" }
    const states = (between: ReadonlyArray<StatusTracker.Input>) =>
      track([
        [0, started],
        [1, between],
        [2, headSeen(100, true)],
        [3, headSeen(101, true)],
      ]).statuses.map(({ state }) => state)

    expect(states([])).toEqual(["waiting", "backfill", "backfill"])
    expect(states([waiting("No traces.")])).toEqual(["waiting", "waiting"])
  })

  it("Indexed: omits the time left while the head moves faster than the index, and includes its growth otherwise", () => {
    const etaAt = (headPerSecond: number) => {
      const seconds = Array.from({ length: 20 }, (_, second) => second)
      const { events } = track([
        [0, connected],
        [0, headSeen(1_000)],
        ...seconds.map((second) => [second + 1, indexed(second * 10, 1_000 + second * headPerSecond, 10)] as const),
      ])
      const last = events.at(-1)
      return last?._tag === "Indexed" ? last.etaMillis : undefined
    }

    expect(etaAt(0)).toBe(76_950)
    expect(etaAt(5)).toBe(156_674)
    expect(etaAt(12)).toBeNull()
  })

  it("Heartbeat: a catch-up without a response waits for its node, and its head becomes unknown", () => {
    const { state } = track([
      [0, connected],
      [0, headSeen(100)],
      [1, stored(10, 10)],
    ])

    const [silent] = StatusTracker.step(state, heartbeat, 17_000)
    const [busy] = StatusTracker.step(StatusTracker.step(state, stored(20, 10), 16_000)[0], heartbeat, 22_000)

    expect(silent.status).toMatchObject({ state: "waiting", message: "The node has not responded for 16 s." })
    expect(busy.status).toMatchObject({ state: "backfill", nodeHead: null })
  })

  it("Synced: logs and emits once for each head, at level info only when the state is new", () => {
    const { events, lines, statuses } = track([
      [0, connected],
      [1, synced(7)],
      [2, synced(7)],
      [3, synced(8)],
    ])

    expect(lines.slice(1)).toEqual(["Info Synced", "Debug Synced"])
    expect(events).toMatchObject([
      { _tag: "Synced", head: 7 },
      { _tag: "Synced", head: 8 },
    ])
    expect(statuses.map(({ nodeHead }) => nodeHead)).toEqual([7, 8])
  })

  it("Synced: counts the blocks at the head, without the time between them", () => {
    const { events } = track([
      [0, connected],
      [1, indexed(10, 10, 11)],
      [2, synced(10)],
      [3_600, headSeen(11)],
      [3_600.5, stored(11)],
      [3_601, synced(11)],
    ])

    expect(events.at(-1)).toEqual({ _tag: "Synced", head: 11, blocks: 1, transactions: 2, elapsedMillis: 500 })
  })

  it("Synced: is not reported if the head of the node has moved on by more than 16 blocks", () => {
    const { events, statuses } = track([
      [0, connected],
      [1, headSeen(17)],
      [2, { _tag: "Synced", head: 0 }],
      [3, { _tag: "Synced", head: 1 }],
    ])

    expect(events).toMatchObject([{ _tag: "Synced", head: 1 }])
    expect(statuses).toMatchObject([{ state: "synced", nodeHead: 17 }])
  })

  it("Synced: reports a node that lags behind the index", () => {
    const { statuses } = track([[0, synced(9, 5)]])

    expect(statuses).toMatchObject([{ state: "synced", nodeHead: 5, message: "The node lags behind the index." }])
  })

  it("Connected: logs that traces are off if the configuration turns them off", () => {
    const { lines } = track([[0, { ...connected, traces: "off", settings: { ...settings, traces: "off" } }]])

    expect(lines).toEqual(['Info No internal transactions: "traces" is "off"'])
  })

  it("Reorged: names one removed block, and the removal of all", () => {
    const [from, to] = [
      { number: 9, hash: "0x09" },
      { number: 8, hash: "0x08" },
    ]
    const { lines } = track([
      [0, { _tag: "Reorged", from, to }],
      [1, { _tag: "Reorged", from, to: null }],
    ])

    expect(lines).toEqual(["Info Reorg: removed block 9", "Info Reorg: removed all blocks up to 9"])
  })

  it("Synced: reports the length of a pause at the same head, whatever the obstacle, and does not repeat totals", () => {
    const { annotations, events, lines } = track([
      [0, synced(9)],
      [10, waiting("The node is gone.")],
      [30, waiting("Database unreachable.")],
      [52, synced(9)],
      [53, synced(10)],
    ])

    expect(lines).toEqual([
      "Info Synced",
      "Warn The node is gone.",
      "Warn Database unreachable.",
      "Info In sync again after 42 s.",
      "Debug Synced",
    ])
    expect(annotations[3]).toEqual({})
    expect(events.map(({ _tag }) => _tag)).toEqual(["Synced", "Waiting", "Waiting", "Synced"])
  })

  it("Reorged: emits the event, and the next sync is emitted again at the same head", () => {
    const from = { number: 9, hash: "0x09" }
    const to = { number: 7, hash: "0x07" }
    const { events, lines } = track([
      [0, synced(9)],
      [1, { _tag: "Reorged", from, to }],
      [2, synced(9)],
    ])

    expect(lines).toEqual(["Info Synced", "Info Reorg: removed blocks 8 to 9", "Debug Synced"])
    expect(events.map(({ _tag }) => _tag)).toEqual(["Synced", "Reorged", "Synced"])
  })

  it("Heartbeat: reports a node that is unanswered for longer than 15 s and the poll interval", () => {
    const { state } = track([[0, synced(7)]], { pollMillis: 2_000 })
    const at = (second: number) => StatusTracker.step(state, heartbeat, second * 1000)[0]

    expect(at(2)).toMatchObject({ writtenAtMillis: 0 })
    expect(at(17)).toMatchObject({ status: { state: "synced" }, writtenAtMillis: 17_000 })
    expect(at(18)).toMatchObject({ status: { state: "waiting", message: "The node has not responded for 18 s." } })
  })

  it("PastSearched: the status shows how far the past of added wallets is searched, until it is complete", () => {
    const past = { wallets: ["0xa"], searchedTo: 3, end: 6, calls: 40, callsLeft: 12, etaMillis: 600 }
    const { statuses } = track([
      [0, synced(7)],
      [1, { _tag: "PastSearched", past }],
      [1.1, { _tag: "PastSearched", past: { ...past, searchedTo: 4 } }],
      [9, synced(8)],
      [10, { _tag: "PastSearched", past: null }],
    ])

    expect(statuses.map((status) => status.past?.searchedTo)).toEqual([undefined, 3, 4, undefined])
  })

  it("Stopped: keeps the message of an obstacle", () => {
    const { state } = track([[0, waiting("The node is gone.")]])
    const [stopped] = StatusTracker.step(state, { _tag: "Stopped" }, 1_000)

    expect(stopped.status).toMatchObject({
      state: "stopped",
      message: 'The indexer was stopped. Start it again with "daybook serve". Last status: The node is gone.',
    })
  })
})
