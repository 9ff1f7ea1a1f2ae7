import { describe, expect, it } from "vitest"
import * as StatusTracker from "../../src/indexer/StatusTracker.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"

/** Applies inputs at given seconds; collects the statuses, log lines and events that follow. */
const track = (
  inputs: ReadonlyArray<readonly [second: number, input: StatusTracker.Input]>,
  options: { readonly before?: IndexerStatus; readonly pollMillis?: number } = {},
) => {
  const { before = null, pollMillis = 0 } = options
  let state = StatusTracker.make({ pollMillis, before })
  const statuses: Array<IndexerStatus> = []
  const writtenAt: Array<number> = []
  const lines: Array<string> = []
  const annotations: Array<StatusTracker.Annotations> = []
  const events: Array<StatusTracker.IndexerEvent> = []
  for (const [second, input] of inputs) {
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

const connected: StatusTracker.Input = { _tag: "Connected", traces: "trace_block", unchecked: null }

const indexed = (head: number, nodeHead: number, blocks = 1): StatusTracker.Input => ({
  ...{ _tag: "Indexed", first: 0, head, nodeHead, blocks, transactions: 2 * blocks },
})

const synced = (head: number, nodeHead = head): StatusTracker.Input => ({ _tag: "Synced", head, nodeHead })

const heartbeat: StatusTracker.Input = { _tag: "Heartbeat" }

const waiting = (message: string, subject?: string): StatusTracker.Input => ({
  _tag: "Waiting",
  message,
  ...(subject === undefined ? {} : { subject }),
})

describe("StatusTracker", () => {
  it("Started: reports that the node has not answered, and any obstacle replaces it at once", () => {
    const { statuses } = track([
      [0, { _tag: "Started" }],
      [0.001, waiting("The node is gone.")],
    ])

    expect(statuses.map(({ message, state }) => [state, message])).toEqual([
      ["waiting", "The indexer has started; the node has not answered yet."],
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

  it("Waiting: keeps the tracer unknown until the node answered", () => {
    const { statuses } = track([
      [0, waiting("The node is gone.")],
      [1, { _tag: "Connected", traces: "off", unchecked: null }],
      [2, waiting("The node is gone again.")],
    ])

    expect(statuses.map(({ traces }) => traces)).toEqual([null, "off"])
  })

  it("Misconfigured: has a state and an event of its own", () => {
    const { events, statuses } = track([[0, { _tag: "Misconfigured", message: "Another chain." }]])

    expect(statuses).toMatchObject([{ state: "misconfigured", message: "Another chain." }])
    expect(events).toEqual([{ _tag: "Misconfigured", message: "Another chain." }])
  })

  it("Connected: logs the tracer when it changes, and the checks that are left out once", () => {
    const off = { _tag: "Connected", traces: "off", unchecked: "blooms" } as const
    const { lines, state } = track([
      [0, off],
      [1, off],
      [2, connected],
    ])

    expect(lines).toEqual([
      "Info Checks left out by the chain's hash rules",
      "Info No internal transactions: no tracer, or traces are off",
      "Info Tracer",
    ])
    expect(state).toMatchObject({ unchecked: "blooms", tracer: "trace_block" })
  })

  it("Indexed: writes the status once a second and logs progress every five seconds", () => {
    const { events, lines, statuses, writtenAt } = track([
      [0, connected],
      [0.1, indexed(10, 1_000, 10)],
      [0.6, indexed(20, 1_000, 10)],
      [1.2, indexed(30, 1_000, 10)],
      [5.3, indexed(40, 1_000, 10)],
      [6, indexed(50, 1_000, 10)],
    ])

    expect(writtenAt).toEqual([100, 1_200, 5_300])
    expect(statuses[1]).toMatchObject({ state: "backfill", nodeHead: 1_000, blocksPerSecond: 25, etaMillis: 38_800 })
    expect(lines.filter((line) => line.endsWith("Backfill"))).toHaveLength(1)
    expect(events).toHaveLength(5)
    expect(events.at(-1)).toMatchObject({ _tag: "Indexed", head: 50, blocks: 50, transactions: 100 })
  })

  it("Indexed: counts as synced up to 16 blocks behind the head of the node", () => {
    const { state } = track([
      [0, connected],
      [1, synced(100)],
      [2, indexed(101, 117)],
    ])
    expect(state.status.state).toBe("synced")

    const [behind] = StatusTracker.step(state, indexed(102, 119), 3_000)
    expect(behind.status.state).toBe("backfill")
  })

  it("Indexed: totals count from the beginning of the backfill, and its throughput leaves out the time before", () => {
    const { annotations, events, lines } = track([
      [0, connected],
      [1, indexed(10, 10, 11)],
      [2, synced(10)],
      [3_600, connected],
      [3_606, indexed(110, 1_010, 100)],
    ])

    expect(events.at(-1)).toMatchObject({ blocks: 100, elapsedMillis: 6_000, etaMillis: 54_000 })
    expect(lines.at(-1)).toBe("Info Backfill")
    expect(annotations.at(-1)).toMatchObject({ block: 110, nodeHead: 1_010, timeLeft: "54 s" })
  })

  it("Indexed: a wait in the middle of a backfill keeps the totals and is no part of the throughput", () => {
    const { events } = track([
      [0, connected],
      [1, indexed(9, 1_009, 10)],
      [2, waiting("The node is gone.")],
      [602, connected],
      [603, indexed(19, 1_009, 10)],
    ])

    expect(events.at(-1)).toMatchObject({ blocks: 20, blocksPerSecond: 10 })
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

  it("Synced: reports a node that lags behind the index", () => {
    const { statuses } = track([[0, synced(9, 5)]])

    expect(statuses).toMatchObject([{ state: "synced", nodeHead: 5, message: "The node lags behind the index." }])
  })

  it("Reorged: emits the event, and the next sync is emitted again at the same head", () => {
    const from = { number: 9, hash: "0x09" }
    const to = { number: 7, hash: "0x07" }
    const { annotations, events, lines } = track([
      [0, synced(9)],
      [1, { _tag: "Reorged", from, to }],
      [2, synced(9)],
    ])

    expect(lines).toEqual(["Info Synced", "Info Reorg: removed blocks", "Debug Synced"])
    expect(annotations[1]).toEqual({ blocks: 2, from: 9, to: 7 })
    expect(events.map(({ _tag }) => _tag)).toEqual(["Synced", "Reorged", "Synced"])
  })

  it("Heartbeat: reports a node that is unanswered for longer than 15 s and the poll interval", () => {
    const { state } = track([[0, synced(7)]], { pollMillis: 2_000 })
    const at = (second: number) => StatusTracker.step(state, heartbeat, second * 1000)[0]

    expect(at(2)).toMatchObject({ writtenAtMillis: 0 })
    expect(at(17)).toMatchObject({ status: { state: "synced" }, writtenAtMillis: 17_000 })
    expect(at(18)).toMatchObject({ status: { state: "waiting", message: "The node has not answered for 18 s." } })
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
