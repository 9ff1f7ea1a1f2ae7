/** Whether a range of blocks is complete, according to what is known of an index. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Checkpoint, Gap } from "../../src/block/BlockRows.ts"
import * as CompleteRange from "../../src/query/CompleteRange.ts"
import type { Coverage } from "../../src/query/Coverage.ts"
import type { GapQuery } from "../../src/store/ChainReader.ts"
import type { AppliedSettings, ReportedStatus } from "../../src/store/StatusBoard.ts"

const checkpoint: Checkpoint = {
  first: 100,
  head: { number: 199, hash: `0x${"1".repeat(64)}` },
  headTimestamp: 1_700_000_000,
  finalized: null,
}

interface Known {
  readonly checkpoint?: Checkpoint | null
  readonly searchedTo?: number
  readonly missing?: number
  readonly gaps?: ReadonlyArray<Gap>
  /** The head as last seen by the indexer. */
  readonly nodeHead?: number | null
  /** The head as a node reports it now, `null` if it does not respond; omitted if no node is asked. */
  readonly newest?: number | null
  readonly reported?: Partial<Pick<ReportedStatus, "ageMillis" | "state">>
  readonly settings?: AppliedSettings
  /** No indexer has written a status. */
  readonly isWithoutStatus?: boolean
}

const statusOf = ({ nodeHead = 199, reported, settings = [] }: Known): ReportedStatus => ({
  state: "backfill",
  traces: null,
  nodeHead,
  message: "",
  settings,
  ageMillis: 0,
  ...reported,
})

/** A chain with this knowledge; it records the requested gaps. */
const chainOf = (known: Known, asked: Array<GapQuery> = []) =>
  // Sound: nothing else of a chain is read.
  ({
    reader: {
      gaps: (query: GapQuery) => {
        asked.push(query)
        const found = (known.gaps ?? []).filter(({ block }) => block >= query.from && block <= query.to)
        return Effect.succeed(found.slice(0, query.limit))
      },
      lastTraceGap: (to: number) =>
        Effect.succeed(
          (known.gaps ?? []).findLast(({ block, kind }) => kind === "trace" && block <= to)?.block ?? null,
        ),
    },
    lastUntraced: (_serial: number, to: number) =>
      Effect.succeed((known.gaps ?? []).findLast(({ block, kind }) => kind === "trace" && block <= to)?.block ?? null),
    status: Effect.succeed(known.isWithoutStatus === true ? null : statusOf(known)),
    settingsTo: () => Effect.succeed(known.isWithoutStatus === true ? [] : (known.settings ?? [])),
  }) as unknown as Parameters<typeof CompleteRange.check>[0] & Parameters<typeof CompleteRange.untracedTo>[0]

/** What a list of these blocks lacks, `null` for nothing, and the requested gaps. */
const lacking = (blocks: CompleteRange.Blocks, known: Known = {}, needs?: CompleteRange.Needs) => {
  const asked: Array<GapQuery> = []
  const chain = chainOf(known, asked)
  const coverage: Coverage = {
    checkpoint: known.checkpoint === undefined ? checkpoint : known.checkpoint,
    missing: known.missing ?? 0,
    reconciledTo: null,
    searchedTo: known.searchedTo,
  }
  const { newest } = known
  const readHead = newest === undefined ? undefined : Effect.succeed(newest ?? undefined)
  const checked = Effect.result(CompleteRange.check(chain, coverage, blocks, { needs, readHead }))
  return Effect.map(checked, (result) => ({
    message: Result.isFailure(result) ? String(Reflect.get(result.failure, "message")) : null,
    asked,
  }))
}

const whole = { from: 100, to: 199 }

/** Cases of one kind: what is requested, what is known, and what is lacking. */
const cases = (
  each: Readonly<
    Record<
      string,
      readonly [blocks: CompleteRange.Blocks, known: Known, lacking: string | null, needs?: CompleteRange.Needs]
    >
  >,
) =>
  Effect.forEach(Object.entries(each), ([name, [blocks, known, expected, needs]]) =>
    Effect.map(lacking(blocks, known, needs), ({ message }) => expect([name, message]).toEqual([name, expected])),
  )

describe("CompleteRange.check", () => {
  it.effect("names the blocks below the first one, and the search of a wallet that has not reached the range", () =>
    cases({
      "the whole index": [whole, {}, null],
      "an empty index": [whole, { checkpoint: null }, "no block of this chain is in the index yet"],
      "one block below": [{ from: 99, to: 199 }, {}, "block 99 of this chain is not in the index"],
      "blocks below": [{ from: 0, to: 50 }, {}, "blocks 0 to 50 of this chain are not in the index"],
      "no block at all": [{ from: 60, to: 50 }, {}, null],
      "a search under way": [
        { from: 0, to: 150 },
        { searchedTo: 40 },
        "blocks 0 to 99 of this chain are not in the index for this wallet yet: its past is searched up to block 40",
      ],
      "a search at its beginning": [
        { from: 0, to: 150 },
        { searchedTo: 0 },
        "blocks 0 to 99 of this chain are not in the index for this wallet yet: its past is searched up to block 0",
      ],
      "a search without a block": [
        { from: 0, to: 150 },
        { searchedTo: -1 },
        "blocks 0 to 99 of this chain are not in the index",
      ],
      "a search at its end": [
        { from: 0, to: 150 },
        { searchedTo: 99 },
        "blocks 0 to 99 of this chain are not in the index",
      ],
      "a search one block before its end": [
        { from: 0, to: 150 },
        { searchedTo: 98 },
        "blocks 0 to 99 of this chain are not in the index for this wallet yet: its past is searched up to block 98",
      ],
    }),
  )

  it.effect(
    "names the blocks in which the past of a wallet was searched, if every call of the wallet is needed",
    () => {
      const found = (blocks: string) =>
        `the search of the wallet's past does not find calls of value 0 in ${blocks} of this chain`
      const settings: AppliedSettings = [{ name: "traces", value: "off" }]

      return cases({
        "a searched past": [whole, { searchedTo: 149 }, found("blocks 100 to 149"), "calls"],
        "some of its blocks": [{ from: 120, to: 130 }, { searchedTo: 149 }, found("blocks 120 to 130"), "calls"],
        "its last block": [{ from: 149, to: 199 }, { searchedTo: 149 }, found("block 149"), "calls"],
        "blocks behind it": [{ from: 150, to: 199 }, { searchedTo: 149 }, null, "calls"],
        "a wallet of the whole index": [whole, {}, null, "calls"],
        "blocks without traces": [whole, { settings }, "blocks 100 to 199 of this chain have no traces", "calls"],
        "a searched past for other lists": [whole, { searchedTo: 149 }, null, "traces"],
      })
    },
  )

  it.effect("names the blocks above the last one if the node is more than 16 ahead and the range reaches them", () =>
    cases({
      "16 behind": [{ from: 100, to: 9_999 }, { nodeHead: 215 }, null],
      "17 behind": [
        { from: 100, to: 9_999 },
        { nodeHead: 216 },
        "blocks 200 to 216 of this chain are not in the index yet",
      ],
      "a range that ends before": [whole, { nodeHead: 5_000 }, null],
      "no status": [{ from: 100, to: 9_999 }, { isWithoutStatus: true }, null],
    }),
  )

  it.effect("names the blocks up to the head if a range ends with a block that the node has and the index lacks", () =>
    cases({
      "a block that the indexer saw": [
        { from: 100, to: 200 },
        { nodeHead: 201 },
        "blocks 200 to 201 of this chain are not in the index yet",
      ],
      "a block that the node has since": [
        { from: 200, to: 200 },
        { newest: 200 },
        "block 200 of this chain is not in the index yet",
      ],
      "a block that the node lacks": [{ from: 100, to: 201 }, { newest: 200 }, null],
      "a block that it may have": [
        { from: 100, to: 1_199 },
        { newest: 1_199 },
        "blocks 200 to 1199 of this chain are not in the index yet",
      ],
      "a block that it may have, of a node that does not state its head": [
        { from: 100, to: 200 },
        { newest: null },
        "the blocks above 199 of this chain may not be in the index: no node has stated its newest block",
      ],
      "a block that the indexer saw, for which no node is asked": [
        { from: 100, to: 205 },
        { nodeHead: 210, newest: null },
        "blocks 200 to 210 of this chain are not in the index yet",
      ],
      "a stored block, for which no node is asked": [whole, { newest: null }, null],
      "a number far above, for which no node is asked": [{ from: 100, to: 1_200 }, { newest: 1_200 }, null],
    }),
  )

  it.effect("reports that no indexer follows the node, if the range extends beyond the last block", () => {
    const open = { from: 100, to: Number.MAX_SAFE_INTEGER }
    const above = "the blocks above 199 of this chain may not be in the index"
    return cases({
      "a stopped indexer": [open, { reported: { state: "stopped" } }, `${above}: its indexer is stopped`],
      "one that reports late": [open, { reported: { ageMillis: 15_000 } }, null],
      "one that does not report": [open, { reported: { ageMillis: 15_001 } }, `${above}: its indexer does not report`],
      "a clock that was set back": [open, { reported: { ageMillis: null } }, `${above}: its indexer does not report`],
      "an indexer without a node": [open, { nodeHead: null }, `${above}: no node answers its indexer`],
      "a range of stored blocks": [whole, { reported: { state: "stopped" } }, null],
    })
  })

  it.effect("names stored blocks without traces for a list that needs them", () => {
    const settings: AppliedSettings = [
      { name: "traces", value: "on" },
      { name: "traces", value: "off", from: 150 },
      { name: "traces", value: "on", from: 160 },
    ]
    return cases({
      "blocks without traces": [whole, { settings }, "blocks 150 to 159 of this chain have no traces", "traces"],
      "one of them": [{ from: 159, to: 199 }, { settings }, "block 159 of this chain have no traces", "traces"],
      "blocks before": [{ from: 100, to: 149 }, { settings }, null, "traces"],
      "blocks behind": [{ from: 160, to: 199 }, { settings }, null, "traces"],
      "a list without traces": [whole, { settings, missing: 1 }, null],
      "a list of roles": [whole, { settings, missing: 1 }, null, "roles"],
    })
  })

  it.effect(
    "names blocks of an earlier version for a list that needs every role, up to where they were searched again",
    () => {
      const settings: AppliedSettings = [
        { name: "rows", value: "parties" },
        { name: "rows", value: "roles", from: 150 },
      ]
      const message = (range: string) =>
        `an earlier version stored ${range} of this chain without internal transactions and tokens of some wallets`
      return cases({
        roles: [whole, { settings }, message("blocks 100 to 149"), "roles"],
        traces: [whole, { settings }, message("blocks 100 to 149"), "traces"],
        "transactions of parties": [whole, { settings }, null, "transactions"],
        "blocks behind": [{ from: 150, to: 199 }, { settings }, null, "roles"],
        "a range that ends among them": [{ from: 100, to: 120 }, { settings }, message("blocks 100 to 120"), "roles"],
        "a range that ends above the index": [
          { from: 100, to: 9_999 },
          { settings: settings.slice(0, 1) },
          message("blocks 100 to 199"),
          "roles",
        ],
        "a past that was searched": [whole, { settings, searchedTo: 149 }, null, "roles"],
        "a past that was searched in part": [
          whole,
          { settings, searchedTo: 120 },
          message("blocks 121 to 149"),
          "roles",
        ],
      })
    },
  )

  it.effect("names a gap that matters to the list, and reads gaps only if there may be one", () =>
    Effect.gen(function* () {
      const gap = (block: number, kind: Gap["kind"]): Gap => ({ block, kind, reason: "" })
      const gaps = [gap(110, "trace"), gap(120, "receipt")]
      const traces = "traces of block 110 are missing from the index"
      yield* cases({
        transactions: [whole, { gaps, missing: 1 }, "transactions of block 120 are missing from the index"],
        traces: [{ from: 100, to: 119 }, { gaps, missing: 1 }, traces, "traces"],
        "traces where no transaction is missing": [whole, { gaps: gaps.slice(0, 1) }, traces, "traces"],
        "traces of the first block": [{ from: 110, to: 119 }, { gaps, missing: 1 }, traces, "traces"],
        "traces of other blocks": [{ from: 111, to: 119 }, { gaps, missing: 1 }, null, "traces"],
        "a lost trace alone": [whole, { gaps: gaps.slice(0, 1), missing: 1 }, null],
        "a lost transaction": [
          whole,
          { gaps: [gap(130, "transaction")], missing: 1 },
          "transactions of block 130 are missing from the index",
        ],
      })
      const [complete, behind] = [yield* lacking(whole), yield* lacking({ from: 150, to: 9_999 }, { missing: 1 })]

      expect(complete.asked).toEqual([])
      expect(behind.asked).toEqual([{ from: 150, to: 199, limit: 1_000 }])
    }),
  )

  it.effect("reads gaps of other kinds up to a limit, and reports more of them as an incomplete range", () =>
    Effect.gen(function* () {
      const many = (count: number, perBlock: number) =>
        Array.from({ length: count }, (_, at): Gap => {
          const block = 100 + Math.floor(at / perBlock)
          return { block, kind: "trace", reason: "" }
        })
      const last: Gap = { block: 199, kind: "receipt", reason: "" }
      const found = "transactions of block 199 are missing from the index"
      const tooMany = "blocks 100 to 199 have too many gaps"
      yield* cases({
        "more than one reading": [whole, { gaps: many(2_500, 300), missing: 1 }, null],
        "a transaction behind them": [whole, { gaps: [...many(2_500, 300), last], missing: 1 }, found],
        "a block with more than one reading": [whole, { gaps: many(1_001, 1_001), missing: 1 }, tooMany],
        "a block with one reading": [whole, { gaps: many(999, 999), missing: 1 }, null],
        "more than all readings": [whole, { gaps: many(30_000, 500), missing: 1 }, tooMany],
      })
    }),
  )
})

describe("CompleteRange.directOnlyTo", () => {
  const watched = { ...checkpoint, watch: ["0xa"] }
  const settings: AppliedSettings = [
    { name: "rows", value: "parties" },
    { name: "rows", value: "roles", from: 150 },
  ]
  const lastOf = (known: Known, of: Checkpoint | null, searchedTo: number | null) =>
    CompleteRange.directOnlyTo({ status: Effect.succeed(statusOf(known)) }, of, searchedTo)

  it.effect(
    "is the last block that an earlier version stored, as far as the index and the wallet's search leave any",
    () =>
      Effect.gen(function* () {
        expect(yield* lastOf({ settings }, watched, null)).toBe(149)
        expect(yield* lastOf({ settings }, watched, 148)).toBe(149)
        expect(yield* lastOf({ settings }, { ...watched, head: { ...watched.head, number: 120 } }, null)).toBe(120)
        expect(yield* lastOf({ settings }, watched, 149)).toBe(undefined)
        expect(yield* lastOf({ settings: settings.slice(1) }, { ...watched, first: 150 }, null)).toBe(undefined)
        expect(
          yield* lastOf({ settings: [settings[0]!, { ...settings[1]!, from: 1 }] }, { ...watched, first: 0 }, null),
        ).toBe(0)
        expect(yield* lastOf({}, watched, null)).toBe(undefined)
        expect(yield* lastOf({ settings }, null, null)).toBe(undefined)
      }),
  )

  it.effect("reads no status for an index of every wallet", () =>
    Effect.gen(function* () {
      const status = Effect.die("status read")

      expect(yield* CompleteRange.directOnlyTo({ status }, checkpoint, null)).toBe(undefined)
    }),
  )
})

describe("CompleteRange.untracedTo", () => {
  const off: AppliedSettings = [
    { name: "traces", value: "off" },
    { name: "traces", value: "debug_traceBlock", from: 150 },
  ]
  const trace = (block: number): Gap => ({ block, kind: "trace", transaction: "0x1", reason: "it was left out" })
  const lastOf = (known: Known, untraced: number, of: Checkpoint | null = checkpoint) =>
    CompleteRange.untracedTo(chainOf(known), of, { transactions: untraced, serial: 7 })

  it.effect("is the last block that was indexed without traces, up to the last one of the index", () =>
    Effect.gen(function* () {
      expect(yield* lastOf({ settings: off }, 0)).toBe(149)
      expect(yield* lastOf({ settings: off.slice(0, 1) }, 0)).toBe(199)
      expect(yield* lastOf({ settings: off }, 0, { ...checkpoint, head: { ...checkpoint.head, number: 120 } })).toBe(
        120,
      )
      expect(yield* lastOf({ settings: off }, 0, { ...checkpoint, first: 150 })).toBe(undefined)
      expect(yield* lastOf({ settings: off }, 0, null)).toBe(undefined)
      expect(yield* lastOf({ isWithoutStatus: true }, 0)).toBe(undefined)
    }),
  )

  it.effect("is the last block with a transaction that lacks its trace, if that is higher", () =>
    Effect.gen(function* () {
      const receipt: Gap = { ...trace(190), kind: "receipt" }
      const many = [trace(110), ...Array.from({ length: 1_000 }, () => receipt)]

      expect(yield* lastOf({ gaps: [trace(120), trace(180), receipt] }, 2)).toBe(180)
      expect(yield* lastOf({ settings: off, gaps: [trace(180)] }, 1)).toBe(180)
      expect(yield* lastOf({ settings: off, gaps: [trace(120)] }, 1)).toBe(149)
      expect(yield* lastOf({ gaps: [receipt] }, 1)).toBe(undefined)
      expect(yield* lastOf({ gaps: many }, 1)).toBe(110)
      expect(yield* lastOf({ gaps: [trace(100)] }, 1)).toBe(100)
      expect(yield* lastOf({ gaps: [trace(99)] }, 1)).toBe(undefined)
    }),
  )

  it.effect("reads no gaps if every transaction or no block has a trace", () =>
    Effect.gen(function* () {
      const chain = (settings: AppliedSettings) => ({
        ...chainOf({ settings }),
        lastUntraced: () => Effect.die("gaps read"),
      })
      const untraced = (transactions: number) => ({ transactions, serial: 7 })

      expect(yield* CompleteRange.untracedTo(chain([]), checkpoint, untraced(0))).toBe(undefined)
      expect(yield* CompleteRange.untracedTo(chain([]), checkpoint, undefined)).toBe(undefined)
      expect(yield* CompleteRange.untracedTo(chain(off.slice(0, 1)), checkpoint, untraced(7))).toBe(199)
    }),
  )
})

describe("CompleteRange.unstatedTo", () => {
  const lastOf = (id: number, more: Partial<Checkpoint> = {}, config: object = {}) =>
    // Sound: nothing else of the configuration is read.
    CompleteRange.unstatedTo({ id, config } as unknown as Parameters<typeof CompleteRange.unstatedTo>[0], {
      ...checkpoint,
      ...more,
    })

  it("is the last block by whose rules balances change without a record, up to the last one of the index", () => {
    const bedrock = 105_235_063
    const later = { head: { number: bedrock + 5, hash: "" } }

    expect([42_161, 8_217, 100, 77_777].map((id) => lastOf(id))).toEqual([199, 199, 199, 199])
    expect([1, 31_337, 43_114, 8_453].map((id) => lastOf(id))).toEqual(Array.from({ length: 4 }, () => undefined))
    expect([lastOf(10), lastOf(10, later), lastOf(10, { ...later, first: bedrock })]).toEqual([
      199,
      bedrock - 1,
      undefined,
    ])
    expect([lastOf(1, {}, { feeRules: "kaia" }), lastOf(77_777, {}, { feeRules: "ethereum" })]).toEqual([
      199,
      undefined,
    ])
  })

  it("is null for an empty index", () => {
    // Sound: as above.
    const chain = { id: 8_217, config: {} } as unknown as Parameters<typeof CompleteRange.unstatedTo>[0]

    expect(CompleteRange.unstatedTo(chain, null)).toBe(undefined)
  })
})
