import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import { maxLagBlocks } from "../../../src/store/StatusBoard.ts"
import * as Status from "../../../src/server/monitoring/Status.ts"
import type { Checkpoint } from "../../../src/block/BlockRows.ts"
import type { ReportedStatus } from "../../../src/store/StatusBoard.ts"

const chain = { id: 1, name: "eth" }

const checkpointAt = (number: number, first = 0): Checkpoint => ({
  first,
  head: { number, hash: "0x00" },
  headTimestamp: 0,
  finalized: null,
})

const reportedAs = (change: Partial<ReportedStatus>): ReportedStatus => ({
  state: "backfill",
  traces: "off",
  nodeHead: 100,
  message: "As reported.",
  ageMillis: 0,
  ...change,
})

const statusOf = (indexedTo: number | null, change: Partial<ReportedStatus>) =>
  Status.fromReport(chain, indexedTo === null ? null : checkpointAt(indexedTo), reportedAs(change))

const below = (limit: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limit }))

/** Any status of a chain that a database may contain. */
const Case = Schema.Struct({
  indexedTo: Schema.NullOr(below(200)),
  state: Schema.Literals(["waiting", "backfill", "synced", "misconfigured", "stopped"]),
  nodeHead: Schema.NullOr(below(200)),
  ageMillis: Schema.NullOr(below(40_000)),
  headAgeMillis: below(20_000),
  pollMillis: below(10_000),
  blocksPerSecond: Schema.NullOr(below(20)),
  headBlocksPerSecond: Schema.NullOr(below(20)),
})

describe("Status", () => {
  it.prop(
    "fromReport: state, numbers and message are consistent, whatever is stored",
    { given: Case },
    ({ given: { blocksPerSecond, headBlocksPerSecond, indexedTo, ...change } }) => {
      const rates = {
        blocksPerSecond: blocksPerSecond ?? undefined,
        headBlocksPerSecond: headBlocksPerSecond ?? undefined,
      }
      const status = statusOf(indexedTo, { ...change, ...rates })
      const { etaMillis, head, headAgeMillis, indexed, lag, message, ready, state } = status
      const isRunning = state === "synced" || state === "backfill"

      expect(ready).toBe(state === "synced")
      if (state === "synced") expect(lag ?? 0).toBeLessThanOrEqual(maxLagBlocks)
      expect(lag).toBe(head === null || indexed === null ? null : Math.max(0, head - indexed.to))
      if (!isRunning) expect([lag, etaMillis, status.blocksPerSecond]).toEqual([null, undefined, undefined])
      if (headAgeMillis !== undefined)
        expect(head === null).toBe(headAgeMillis > change.pollMillis + Status.latePollMillis)
      else expect(head).toBeNull()
      expect(message.startsWith("In sync")).toBe(state === "synced" && lag === 0 && head === indexed?.to)
      const reportedLag = /(\d+) blocks? behind/.exec(message)
      expect(reportedLag === null ? null : Number(reportedLag[1])).toBe(
        isRunning && lag !== null && lag > 0 ? lag : null,
      )
      expect(message.includes("lags behind the index")).toBe(isRunning && head !== null && head < (indexed?.to ?? -1))
      if (etaMillis !== undefined) {
        expect([state, etaMillis]).toEqual([
          "backfill",
          Math.round((lag! * 1000) / (blocksPerSecond! - (headBlocksPerSecond ?? 0))),
        ])
      }
    },
  )

  it("fromReport: shows the blocks left below the first one, with a time only while the indexer is running", () => {
    const prepend = { to: 20, blocksPerSecond: 10, issue: "No node has block 99." }
    const prependOf = (first: number, change: Partial<ReportedStatus>) =>
      Status.fromReport(chain, checkpointAt(100, first), reportedAs({ state: "synced", prepend, ...change })).prepend
    const left = { to: 20, blocks: 80, issue: "No node has block 99." }

    expect(prependOf(100, {})).toEqual({ ...left, blocksPerSecond: 10, etaMillis: 8_000 })
    expect(prependOf(100, { prepend: { to: 20 } })).toEqual({ to: 20, blocks: 80 })
    expect(prependOf(100, { state: "stopped" })).toEqual(left)
    expect(prependOf(100, { ageMillis: 60_000 })).toEqual(left)
    expect(prependOf(20, {})).toBeUndefined()
  })

  it("fromReport: shows how far the index is behind, and for how long at the current speed", () => {
    expect(
      statusOf(40, { blocksPerSecond: 10, headBlocksPerSecond: 4, headAgeMillis: 500, ageMillis: 700 }),
    ).toMatchObject({
      state: "backfill",
      head: 100,
      headAgeMillis: 1_200,
      lag: 60,
      etaMillis: 10_000,
      message: "Indexing: 60 blocks behind the head of the node.",
    })
  })

  it("fromReport: omits the time left while the head moves faster than the index", () => {
    const status = statusOf(40, { blocksPerSecond: 2, headBlocksPerSecond: 4 })

    expect(status.etaMillis).toBeUndefined()
    expect(status.message).toBe(
      "Indexing: 60 blocks behind the head of the node. The head moves faster than the index.",
    )
  })

  it("fromReport: a synced index far behind the head is shown as catching up", () => {
    expect(statusOf(84, { state: "synced" })).toMatchObject({ state: "synced", ready: true, lag: 16 })
    expect(statusOf(83, { state: "synced" })).toMatchObject({ state: "backfill", ready: false, lag: 17 })
  })

  it("fromReport: a catch-up continues until the indexer has seen that there is no further block", () => {
    expect(statusOf(99, {})).toMatchObject({ state: "backfill", ready: false, lag: 1 })
    expect(statusOf(100, {})).toMatchObject({
      state: "backfill",
      ready: false,
      lag: 0,
      message: "Indexed up to the head of the node as last seen.",
    })
  })

  it("fromReport: the lag is unknown once the head was last seen more than a poll and 3 s ago", () => {
    const given = { state: "synced", pollMillis: 2_000, headAgeMillis: 1_000 } as const

    expect(statusOf(98, { ...given, ageMillis: 4_000 })).toMatchObject({
      state: "synced",
      ready: true,
      head: 100,
      lag: 2,
    })
    expect(statusOf(98, { ...given, ageMillis: 4_001 })).toMatchObject({
      state: "synced",
      ready: true,
      head: null,
      lag: null,
      headAgeMillis: 5001,
      message: "The head of the node is unknown: it was last seen 5 s ago.",
    })
  })

  it("fromReport: names a node that is behind the index", () => {
    expect(statusOf(101, { state: "synced" })).toMatchObject({
      state: "synced",
      lag: 0,
      message: "The node lags behind the index by 1 block.",
    })
  })

  it("fromReport: notes blocks that an earlier version stored for some wallets, with the remedy", () => {
    const settings = [
      { name: "rows", value: "parties" },
      { name: "rows", value: "roles", from: 60 },
    ] as const

    expect(statusOf(100, { state: "synced", settings }).notes).toEqual([
      expect.stringMatching(
        /^An earlier version stored blocks \d+ to 59: .* Stop the service and run "daybook reindex --all"/,
      ),
    ])
  })

  it("fromReport: notes how far the past of added wallets is searched, and any obstacle", () => {
    const past = { wallets: ["0xa", "0xb"], searchedTo: 40, end: 90, calls: 400, callsLeft: 120, etaMillis: 61_200 }

    expect(statusOf(100, { state: "synced", past }).notes).toEqual([
      "The past of 2 added wallets is searched up to block 40 of 90; at least 120 calls are left, 62 s.",
    ])
    const held = { ...past, wallets: ["0xa"], etaMillis: undefined, issue: "no state" }
    expect(statusOf(100, { state: "synced", past: held }).notes).toEqual([
      "The past of an added wallet is searched up to block 40 of 90; at least 120 calls are left. It cannot continue: no state",
    ])
  })

  it("fromReport: an indexer is unresponsive if it has not reported for 15 s, or since the clock was set back", () => {
    const message = (ageMillis: number | null) => statusOf(100, { state: "synced", ageMillis }).message

    expect(message(15_000)).toBe("In sync with the head of the node.")
    expect(message(15_001)).toBe(
      "No heartbeat from the indexer for 15 s (killed, unresponsive, or disk full). Last status: As reported.",
    )
    expect(message(null)).toBe(
      "No heartbeat from the indexer since the clock was set back (killed, unresponsive, or disk full). Last status: As reported.",
    )
  })
})
