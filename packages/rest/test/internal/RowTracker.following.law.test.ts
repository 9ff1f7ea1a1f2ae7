/**
 * A query that ended and is requested again from its latest rows, whatever the number of rows per block or timestamp.
 */
import * as Runs from "@daybook/harness/Runs"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { RowPosition } from "../../src/Operation.ts"
import * as Position from "../../src/internal/Position.ts"
import * as RowTracker from "../../src/internal/RowTracker.ts"
import { random } from "../history.ts"

const below = (maximum: number, minimum = 0) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const hash = (value: number) => `0x${value.toString(16).padStart(64, "0")}`

interface Shape {
  readonly seed: number
  readonly rows: number
  readonly perBlock: number
  readonly blocksPerTimestamp: number
}

/** Rows in blocks of up to `perBlock` rows, of which up to `blocksPerTimestamp` have one timestamp; blocks of one timestamp may interleave. */
const positionsOf = ({ blocksPerTimestamp, perBlock, rows, seed }: Shape, interleaves: boolean) => {
  const next = random(seed)
  const made: Array<RowPosition> = []
  let [block, timeMillis] = [1, 1_700_000_000_000]
  while (made.length < rows) {
    const ofTime: Array<RowPosition> = []
    const blocks = 1 + next(blocksPerTimestamp)
    const last = block + blocks
    for (; block < last; block++) {
      const inBlock = 1 + next(perBlock)
      for (let index = 0; index < inBlock; index++) {
        ofTime.push({ key: hash(block * 10_000 + index), block: BigInt(block), blockHash: hash(block), timeMillis })
      }
    }
    if (interleaves) {
      for (let at = ofTime.length - 1; at > 0; at--) {
        const other = next(at + 1)
        ;[ofTime[at], ofTime[other]] = [ofTime[other]!, ofTime[at]!]
      }
    }
    made.push(...ofTime.slice(0, rows - made.length))
    timeMillis += 1_000
  }
  return made
}

/** Reads all pages, and returns the new rows and what ended them. */
const readAll = (start: RowTracker.RowTracker, rows: ReadonlyArray<RowPosition>, limit: number) => {
  const fresh: Array<RowPosition> = []
  let tracker = start
  for (let at = 0; ; at += limit) {
    const cursor = at + limit < rows.length ? `${rows.length}.${at}` : null
    const taken = RowTracker.take(tracker, { cursor, result: rows.slice(at, at + limit) }, (row) => row)
    tracker = taken.tracker
    fresh.push(...taken.rows)
    if (taken.next._tag !== "Cursor") return { end: taken.next, fresh, tracker }
  }
}

/** The memory of a query as stored in a position. */
const saved = (memory: RowTracker.Memory, from: bigint): RowTracker.Memory => {
  const segments = [{ from, to: undefined, cursor: undefined, memory }]
  const position = { query: {}, order: "ASC", outermost: 0n, isInherited: false, pages: 0, rows: 0, segments } as const
  const parsed = Position.parse(Position.format(position), {})
  if (parsed._tag === "Failure") throw new Error(parsed.failure.received)
  return parsed.success.segments[0]!.memory
}

const poll = (finished: RowTracker.RowTracker, rows: ReadonlyArray<RowPosition>, limit: number) => {
  const { from, memory } = RowTracker.beyond(RowTracker.memory(finished))!
  const tracker = RowTracker.make("ASC", undefined, saved(memory, from))
  return readAll(
    tracker,
    rows.filter(({ block }) => block >= from),
    limit,
  )
}

const shape = {
  seed: below(1_000_000),
  rows: below(5_000, 1),
  perBlock: below(5_000, 1),
  blocksPerTimestamp: below(60, 1),
  limit: below(100, 20),
}
const runs = Runs.usual(40)

describe("RowTracker", () => {
  it.prop(
    "law: an idle chain that is requested again returns no row and no change, whatever the rows per block and timestamp",
    shape,
    ({ limit, ...given }) => {
      for (const interleaves of [false, true]) {
        const rows = positionsOf(given, interleaves)
        const first = readAll(RowTracker.make("ASC", undefined), rows, limit)
        const second = poll(first.tracker, rows, limit)
        const third = poll(second.tracker, rows, limit)

        expect(first.fresh.length).toBe(rows.length)
        expect([second.end, second.fresh.length]).toEqual([{ _tag: "End" }, 0])
        expect([third.end, third.fresh.length]).toEqual([{ _tag: "End" }, 0])
      }
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "law: additions to a chain are returned once when its latest rows are requested again",
    { ...shape, cut: below(5_000, 1) },
    ({ cut, limit, ...given }) => {
      const rows = positionsOf(given, false)
      const at = rows.findIndex(({ block }) => block >= rows[Math.min(cut, rows.length) - 1]!.block)
      // Whole blocks, and at least one of them.
      const before = rows.slice(0, at === 0 ? rows.findLastIndex(({ block }) => block === rows[0]!.block) + 1 : at)
      const first = readAll(RowTracker.make("ASC", undefined), before, limit)
      const second = poll(first.tracker, rows, limit)

      expect(second.end).toEqual({ _tag: "End" })
      expect(second.fresh).toEqual(rows.slice(before.length))
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "law: a block whose hash has changed is detected among the rows that are requested again",
    shape,
    ({ limit, ...given }) => {
      const rows = positionsOf(given, false)
      const last = rows.at(-1)!.block
      const first = readAll(RowTracker.make("ASC", undefined), rows, limit)
      const replaced = rows.map((row) => (row.block === last ? { ...row, blockHash: hash(9_999_999) } : row))

      expect(poll(first.tracker, replaced, limit).end._tag).toBe("Stale")
    },
    { arbitrary: { runs } },
  )
})
