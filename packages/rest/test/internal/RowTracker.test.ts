import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { Schema } from "effect"
import * as RowTracker from "../../src/internal/RowTracker.ts"
import { walletTransactions } from "../../src/internal/WalletTransactions.ts"
import { history, row, type Row } from "../history.ts"

const decode = Schema.decodeUnknownSync(WalletPage.WalletPage)
const page = (result: ReadonlyArray<Row>, cursor: string | null = null) =>
  decode({ cursor, page: 0, page_size: 100, result })
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

/** A query whose tracker advances with each page. */
const start = (order: RowTracker.Order, cursor?: string) => ({ tracker: RowTracker.make(order, cursor) })
type Query = ReturnType<typeof start>

const take = (query: Query, result: ReadonlyArray<Row>, cursor: string | null = null) => {
  const { next, rows, tracker } = RowTracker.take(query.tracker, page(result, cursor), walletTransactions.locate)
  query.tracker = tracker
  return { hashes: hashes(rows), next }
}

const noon = 1_700_000_000_000

describe("RowTracker", () => {
  describe("take", () => {
    it("take: returns every row of a valid page and the next cursor", () => {
      const rows = [row(5, 1), row(5, 0), row(3, 0)]

      expect(take(start("DESC"), rows, "c1")).toStrictEqual({
        hashes: hashes(rows),
        next: { _tag: "Cursor", cursor: "c1" },
      })
    })
    it("take: ends without a cursor", () => {
      expect(take(start("ASC"), [row(1, 0)]).next).toStrictEqual({ _tag: "End" })
    })
    it("take: drops repeated rows, on the same page or another", () => {
      const query = start("ASC")
      const [first, second, third] = [row(1, 0), row(2, 0), row(3, 0)]

      expect(take(query, [first, first, second], "c1").hashes).toStrictEqual(hashes([first, second]))
      expect(take(query, [first, second, third]).hashes).toStrictEqual(hashes([third]))
    })
    it("take: reports a row out of order after the preceding rows", () => {
      const wrong = row(3, 0)

      expect(take(start("DESC"), [row(5, 0), row(2, 0), wrong, row(1, 0)], "c1")).toStrictEqual({
        hashes: hashes([row(5, 0), row(2, 0)]),
        next: { _tag: "OutOfOrder", block: 3n, after: 2n, hash: wrong.hash },
      })
    })
    it("take: accepts interleaved blocks of one timestamp, on one page and across pages", () => {
      for (const order of ["ASC", "DESC"] as const) {
        const query = start(order)
        const at = [7, 8, 7, 9, 8].map((block, index) => row(block, index, { atMillis: noon }))
        const edge = order === "ASC" ? row(10, 0) : row(6, 0)

        expect(take(query, at.slice(0, 2), "c1").hashes.length).toBe(2)
        expect(take(query, at.slice(2), "c2").hashes.length).toBe(3)
        expect(take(query, [edge])).toStrictEqual({ hashes: [edge.hash], next: { _tag: "End" } })
      }
    })
    it("take: rejects a block of an earlier timestamp", () => {
      const query = start("ASC")
      const rows = [
        row(9, 0, { atMillis: noon }),
        row(10, 0, { atMillis: noon + 1 }),
        row(9, 1, { atMillis: noon + 1 }),
      ]

      expect(take(query, rows).next._tag).toBe("OutOfOrder")
    })
    it("take: ends a query with more than 100,000 rows with the same timestamp, as all of them are kept", () => {
      const [size, pages] = [33_400, 3]
      const pageOf = (at: number) =>
        Array.from({ length: size }, (_, index) => ({ block: at, blockHash: `0x${"b".repeat(64)}`, index }))
      const locate = ({ block, blockHash, index }: ReturnType<typeof pageOf>[number]) => ({
        key: `${"0".repeat(46)}${block} ${index}`,
        block: BigInt(block),
        blockHash,
        timeMillis: noon,
      })
      let tracker = RowTracker.make("ASC", undefined)
      const nexts: Array<RowTracker.Next> = []
      for (let at = 1; at <= pages; at++) {
        const taken = RowTracker.take(tracker, { result: pageOf(at), cursor: `c${at}` }, locate)
        tracker = taken.tracker
        nexts.push(taken.next)
        expect(taken.rows).toHaveLength(size)
      }

      expect(nexts.slice(0, -1).every(({ _tag }) => _tag === "Cursor")).toBe(true)
      expect(nexts.at(-1)).toStrictEqual({
        _tag: "Broken",
        path: "result",
        received: "more",
        expected: "at most 100000 rows with the same timestamp",
      })
    })
    it("take: reports a repeated cursor after the rows of its page", () => {
      const query = start("ASC", "c0")
      take(query, [row(1, 0)], "c1")

      for (const cursor of ["c0", "c1"]) {
        const { hashes: given, next } = take(query, [row(cursor === "c0" ? 2 : 3, 0)], cursor)

        expect(given.length).toBe(1)
        expect(next._tag === "Broken" && next.path).toBe("cursor")
      }
    })
    it("take: skips empty pages up to a limit", () => {
      const query = start("ASC")
      let pages = 0
      for (;;) {
        const { next } = take(query, [], `c${++pages}`)
        if (next._tag === "Cursor") continue

        expect(next).toStrictEqual({
          _tag: "Broken",
          path: "result",
          received: "no rows on 1000 pages since the last new row",
          expected: "new rows, or null as the cursor",
        })
        break
      }
      expect(pages).toBe(1_000)
    })
    it("take: skips two repeated pages and reports the third", () => {
      const query = start("DESC")
      const rows = [row(2, 0), row(1, 0)]
      const tags = ["a", "b", "c", "d"].map((cursor) => take(query, rows, cursor).next._tag)

      expect(tags).toStrictEqual(["Cursor", "Cursor", "Cursor", "Broken"])
    })
    it("take: empty pages do not reset the count of repeated ones", () => {
      const query = start("DESC")
      const tags = ["a", "b", "c", "d", "e", "f"].map(
        (cursor, at) => take(query, at % 2 === 0 ? [] : [row(1, 0)], cursor).next._tag,
      )
      const more = ["g", "h"].map((cursor, at) => take(query, at % 2 === 0 ? [] : [row(1, 0)], cursor).next)

      expect(tags).toStrictEqual(Array.from({ length: 6 }, () => "Cursor"))
      expect(more[1]).toStrictEqual({
        _tag: "Broken",
        path: "result",
        received: "repeated rows on 3 pages since the last new row",
        expected: "new rows, or null as the cursor",
      })
    })
    it("take: reports a transaction that moved to another block", () => {
      const query = start("ASC")
      const moved = { ...row(4, 0), hash: row(1, 0).hash }
      const { next } = take(query, [row(1, 0), moved])

      expect(next._tag === "Broken" && next.path).toBe("result[1].block_hash")
    })
    it("take: keeps a bounded number of rows and cursors, and never returns an old row again", () => {
      const query = start("ASC")
      const rows = history(1, 9_000)
      for (let at = 0; at < rows.length; at += 3) take(query, rows.slice(at, at + 3), `c${at}`)

      expect(query.tracker.rows.size).toBeLessThan(2_010)
      expect(query.tracker.cursors.size).toBe(1_000)
      expect(take(query, rows.slice(-1_900), "again").hashes).toStrictEqual([])
      expect(take(query, rows.slice(0, 10), "old").next._tag).toBe("OutOfOrder")
    })
    it("take: keeps every row that may still interleave", () => {
      const query = start("DESC")
      const crowd = Array.from({ length: 3_000 }, (_, index) => row(50 - (index % 2), index >> 1, { atMillis: noon }))
      take(query, crowd.slice(0, 1_500), "c1")
      take(query, crowd.slice(1_500), "c2")

      expect(query.tracker.rows.size).toBe(3_000)
      expect(take(query, crowd.slice(0, 100), "c3").hashes).toStrictEqual([])
    })
    it("take: leaves its argument unchanged", () => {
      const tracker = RowTracker.make("ASC", undefined)
      RowTracker.take(tracker, page([row(1, 0)], "c1"), walletTransactions.locate)

      expect(tracker).toStrictEqual(RowTracker.make("ASC", undefined))
    })
  })

  describe("resume", () => {
    const memoryOf = (rows: ReadonlyArray<Row>, given: number): RowTracker.Memory => {
      const { tracker } = RowTracker.take(RowTracker.make("ASC", undefined), page(rows, "c"), walletTransactions.locate)
      return { ...RowTracker.memory(tracker), given }
    }

    it("take: reports a removed row that was returned before the position, from its block", () => {
      const rows = [row(1, 0), row(2, 0), row(3, 0)]
      const resumed = { tracker: RowTracker.make("ASC", "c", memoryOf(rows, 3)) }

      expect(take(resumed, [row(2, 0), row(3, 0), row(4, 0)]).next).toStrictEqual({ _tag: "Stale", fromBlock: 1n })
    })
    it("take: reports a missing row even if the page has no newer one", () => {
      const rows = [row(1, 0), row(2, 0)]
      const resumed = { tracker: RowTracker.make("ASC", "c", memoryOf(rows, 2)) }

      expect(take(resumed, [row(1, 0)])).toStrictEqual({ hashes: [], next: { _tag: "Stale", fromBlock: 2n } })
    })
    it("take: reports the only row before a position within a page if it was removed", () => {
      const places = page([row(5, 0)]).result.map(walletTransactions.locate)
      for (const order of ["ASC", "DESC"] as const) {
        const memory = RowTracker.within(order, RowTracker.emptyMemory, places)
        const newer = order === "ASC" ? row(7, 0) : row(3, 0)
        const resumed = { tracker: RowTracker.make(order, "c", memory) }

        expect(take(resumed, [newer]).next).toStrictEqual({ _tag: "Stale", fromBlock: 5n })
      }
    })
    it("take: drops the rows before the position and returns those after it", () => {
      const rows = [row(1, 0), row(2, 0)]
      const resumed = { tracker: RowTracker.make("ASC", "c", memoryOf(rows, 2)) }

      expect(take(resumed, [...rows, row(3, 0)])).toStrictEqual({
        hashes: hashes([row(3, 0)]),
        next: { _tag: "End" },
      })
    })
  })

  it.prop(
    "law: any pages with any overlap return each row once and in order",
    {
      seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
      count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })),
      overlap: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
      order: Schema.Literals(["ASC", "DESC"]),
    },
    ({ count, order, overlap, seed }) => {
      const rows = order === "ASC" ? history(seed, count) : history(seed, count).toReversed()
      const query = start(order)
      const given: Array<string> = []
      for (let at = 0; at < rows.length; at += 5) {
        given.push(...take(query, rows.slice(Math.max(0, at - overlap), at + 5), `c${at}`).hashes)
      }

      expect(given).toStrictEqual(hashes(rows))
    },
  )
  it.prop(
    "law: a query that is resumed within a page returns exactly the rows after the position",
    {
      seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })),
      order: Schema.Literals(["ASC", "DESC"]),
    },
    ({ at, count, order, seed }) => {
      const rows = order === "ASC" ? history(seed, count) : history(seed, count).toReversed()
      const cut = Math.min(at, count)
      const places = page(rows).result.map(walletTransactions.locate)
      const memory = RowTracker.within(order, RowTracker.emptyMemory, places.slice(0, cut))

      expect(take({ tracker: RowTracker.make(order, "c", memory) }, rows).hashes).toStrictEqual(hashes(rows.slice(cut)))
    },
  )
})
