import { describe, expect, it } from "vitest"
import type { IndexerEvent } from "../../src/indexer/IndexerEvent.ts"
import * as StatusTracker from "../../src/indexer/StatusTracker.ts"
import * as TrackerState from "../../src/indexer/TrackerState.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"

type Step = readonly [second: number, input: StatusTracker.Input]

/** Applies inputs at given seconds to the tracker of a synced index; collects the outputs. */
const track = (steps: ReadonlyArray<Step>) => {
  const settings = { traces: "off", allFrames: "false", checks: "standard" }
  const connected = { _tag: "Connected", traces: "off", unchecked: null, settings, head: 120 } as const
  let state = TrackerState.make({ pollMillis: 0, before: null })
  for (const input of [connected, { _tag: "HeadSeen", nodeHead: 120 }, { _tag: "Synced", head: 120 }] as const) {
    ;[state] = StatusTracker.step(state, input, 0)
  }
  const statuses: Array<IndexerStatus["prepend"]> = []
  const lines: Array<string> = []
  const events: Array<IndexerEvent> = []
  for (const [second, input] of steps) {
    const [next, outputs] = StatusTracker.step(state, input, second * 1000)
    state = next
    for (const output of outputs) {
      if (output._tag === "StoreStatus") statuses.push(output.status.prepend)
      else if (output._tag === "Emit") events.push(output.event)
      else lines.push(`${output.level} ${output.message} ${JSON.stringify(output.annotations)}`)
    }
  }
  return { state, statuses, lines, events }
}

const begun: ReadonlyArray<Step> = [
  [0, { _tag: "StartsBelow", first: 100, to: 0 }],
  [0, { _tag: "Prepending", first: 100, to: 0 }],
]

const prepended = (first: number): StatusTracker.Input => ({
  _tag: "Prepended",
  first,
  to: 0,
  blocks: 20,
  transactions: 40,
})

describe("PrependTracker", () => {
  it("Prepended: reports the remaining blocks with speed and time left, and logs them every 5 s", () => {
    const { events, lines, statuses } = track([...begun, [2, prepended(80)], [5, prepended(60)]])

    expect(statuses).toEqual([{ to: 0 }, { to: 0, blocksPerSecond: 10 }, { to: 0, blocksPerSecond: 8 }])
    expect(lines).toEqual([
      'Info Blocks below the first one are indexed while the index is at the head of the node {"first":100,"to":0}',
      'Info Indexing blocks below the first one {"first":60,"to":0,"left":60,"blocks":40,"transactions":80,"blocksPerSecond":8,"timeLeft":"8 s"}',
    ])
    expect(events[0]).toEqual({
      _tag: "Prepended",
      first: 80,
      to: 0,
      blocks: 20,
      transactions: 40,
      elapsedMillis: 2e3,
      blocksPerSecond: 10,
      etaMillis: 8e3,
    })
  })

  it("Prepended: the last block ends the report", () => {
    const { lines, state, statuses } = track([...begun, [2, prepended(20)], [4, prepended(0)]])

    expect(statuses.at(-1)).toBeUndefined()
    expect(lines.at(-1)).toBe(
      'Info Indexed the blocks below the first one {"first":0,"blocks":40,"transactions":80,"elapsed":"4.0 s"}',
    )
    expect(state.status).toMatchObject({ state: "synced" })
  })

  it("PrependObstructed: is shown beside the state, logged once a minute, and cleared by the next blocks", () => {
    const issue: StatusTracker.Input = { _tag: "PrependObstructed", message: "No node has block 99." }
    const { lines, statuses } = track([...begun, [1, issue], [30, issue], [62, issue], [63, prepended(80)]])

    expect(statuses.slice(1, -1)).toEqual([1, 2, 3].map(() => ({ to: 0, issue: "No node has block 99." })))
    expect(statuses.at(-1)?.issue).toBeUndefined()
    expect(lines.slice(1)).toEqual(
      [1, 2].map(() => "Warn Blocks below the first one cannot be indexed: No node has block 99. {}"),
    )
  })

  it("Reorged: blocks below are not reported for an index that starts again", () => {
    const from = { number: 120, hash: "0x78" }
    const to = { number: 99, hash: "0x63" }

    expect(track([...begun, [1, { _tag: "Reorged", from, to }]]).state.prepend).toMatchObject({ to: 0 })
    expect(track([...begun, [1, { _tag: "Reorged", from, to: null }]]).state.prepend).toBeNull()
  })
})
