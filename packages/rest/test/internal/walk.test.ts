import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { Schema } from "effect"
import * as Walk from "../../src/internal/walk.ts"
import { history, row, type Row } from "../history.ts"

const decode = Schema.decodeUnknownSync(WalletPage.WalletPage)
const page = (result: ReadonlyArray<Row>, cursor: string | null = null) =>
  decode({ cursor, page: 0, page_size: 100, result })
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

const take = (walk: Walk.Walk, result: ReadonlyArray<Row>, cursor: string | null = null) => {
  const { next, rows } = Walk.take(walk, page(result, cursor))
  return { hashes: hashes(rows), next }
}

const noon = 1_700_000_000_000

describe("walk", () => {
  describe("take", () => {
    it("gives every row of a sound page and the cursor to go on with", () => {
      const rows = [row(5, 1), row(5, 0), row(3, 0)]

      expect(take(Walk.make("DESC", undefined), rows, "c1")).toStrictEqual({
        hashes: hashes(rows),
        next: { _tag: "Cursor", cursor: "c1" },
      })
    })
    it("ends where there is no cursor", () => {
      expect(take(Walk.make("ASC", undefined), [row(1, 0)]).next).toStrictEqual({ _tag: "End" })
    })
    it("drops rows that came before, on the same page or another", () => {
      const walk = Walk.make("ASC", undefined)
      const [first, second, third] = [row(1, 0), row(2, 0), row(3, 0)]

      expect(take(walk, [first, first, second], "c1").hashes).toStrictEqual(hashes([first, second]))
      expect(take(walk, [first, second, third]).hashes).toStrictEqual(hashes([third]))
    })
    it("finds a row against the order, after the rows before it", () => {
      const wrong = row(3, 0)

      expect(take(Walk.make("DESC", undefined), [row(5, 0), row(2, 0), wrong, row(1, 0)], "c1")).toStrictEqual({
        hashes: hashes([row(5, 0), row(2, 0)]),
        next: { _tag: "OutOfOrder", block: 3n, after: 2n, hash: wrong.hash },
      })
    })
    it("lets the blocks of one timestamp interleave, on both sides of a page", () => {
      for (const order of ["ASC", "DESC"] as const) {
        const walk = Walk.make(order, undefined)
        const at = [7, 8, 7, 9, 8].map((block, index) => row(block, index, { atMillis: noon }))
        const edge = order === "ASC" ? row(10, 0) : row(6, 0)

        expect(take(walk, at.slice(0, 2), "c1").hashes.length).toBe(2)
        expect(take(walk, at.slice(2), "c2").hashes.length).toBe(3)
        expect(take(walk, [edge])).toStrictEqual({ hashes: [edge.hash], next: { _tag: "End" } })
      }
    })
    it("does not let a timestamp excuse a block of an earlier one", () => {
      const walk = Walk.make("ASC", undefined)
      const rows = [
        row(9, 0, { atMillis: noon }),
        row(10, 0, { atMillis: noon + 1 }),
        row(9, 1, { atMillis: noon + 1 }),
      ]

      expect(take(walk, rows).next._tag).toBe("OutOfOrder")
    })
    it("fails on a cursor that comes back, after the rows of its page", () => {
      const walk = Walk.make("ASC", "c0")
      take(walk, [row(1, 0)], "c1")

      for (const cursor of ["c0", "c1"]) {
        const { hashes: given, next } = take(walk, [row(cursor === "c0" ? 2 : 3, 0)], cursor)

        expect(given.length).toBe(1)
        expect(next._tag === "Broken" && next.path).toBe("cursor")
      }
    })
    it("passes over empty pages, and not for ever", () => {
      const walk = Walk.make("ASC", undefined)
      let pages = 0
      for (;;) {
        const { next } = take(walk, [], `c${++pages}`)
        if (next._tag === "Cursor") continue

        expect(next).toStrictEqual({
          _tag: "Broken",
          path: "result",
          received: "empty on 1000 pages since the last new row",
          expected: "new rows, or null as the cursor",
        })
        break
      }
      expect(pages).toBe(1_000)
    })
    it("passes over two repeated pages and fails at the third", () => {
      const walk = Walk.make("DESC", undefined)
      const rows = [row(2, 0), row(1, 0)]
      const tags = ["a", "b", "c", "d"].map((cursor) => take(walk, rows, cursor).next._tag)

      expect(tags).toStrictEqual(["Cursor", "Cursor", "Cursor", "Broken"])
    })
    it("is not kept going by empty pages between repeated ones", () => {
      const walk = Walk.make("DESC", undefined)
      const tags = ["a", "b", "c", "d", "e", "f"].map(
        (cursor, at) => take(walk, at % 2 === 0 ? [] : [row(1, 0)], cursor).next._tag,
      )
      const more = ["g", "h"].map((cursor, at) => take(walk, at % 2 === 0 ? [] : [row(1, 0)], cursor).next)

      expect(tags).toStrictEqual(Array.from({ length: 6 }, () => "Cursor"))
      expect(more[1]).toStrictEqual({
        _tag: "Broken",
        path: "result",
        received: "rows that came before on 3 pages since the last new row",
        expected: "new rows, or null as the cursor",
      })
    })
    it("fails on a transaction that moved to another block", () => {
      const walk = Walk.make("ASC", undefined)
      const moved = { ...row(4, 0), hash: row(1, 0).hash }
      const { next } = take(walk, [row(1, 0), moved])

      expect(next._tag === "Broken" && next.path).toBe("result[1].block_hash")
    })
    it("remembers a bounded number of rows and cursors, and never lets an old row through again", () => {
      const walk = Walk.make("ASC", undefined)
      const rows = history(1, 9_000)
      for (let at = 0; at < rows.length; at += 3) take(walk, rows.slice(at, at + 3), `c${at}`)

      expect(walk.rows.size).toBeLessThan(2_010)
      expect(walk.cursors.size).toBe(1_000)
      expect(take(walk, rows.slice(-1_900), "again").hashes).toStrictEqual([])
      expect(take(walk, rows.slice(0, 10), "old").next._tag).toBe("OutOfOrder")
    })
    it("remembers every row that may still interleave", () => {
      const walk = Walk.make("DESC", undefined)
      const crowd = Array.from({ length: 3_000 }, (_, index) => row(50 - (index % 2), index >> 1, { atMillis: noon }))
      take(walk, crowd.slice(0, 1_500), "c1")
      take(walk, crowd.slice(1_500), "c2")

      expect(walk.rows.size).toBe(3_000)
      expect(take(walk, crowd.slice(0, 100), "c3").hashes).toStrictEqual([])
    })
  })
})
