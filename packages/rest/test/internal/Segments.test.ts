import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Memory } from "../../src/internal/RowTracker.ts"
import * as Segments from "../../src/internal/Segments.ts"

const known = (block: bigint) => ({ id: `row ${block}`, blockId: `block ${block}`, block })

/** The memory of a query that returned one row of each block, with the last one furthest. */
const memory = (...blocks: ReadonlyArray<bigint>): Memory => {
  const furthest = blocks.at(-1)
  return {
    furthest: furthest === undefined ? undefined : { block: furthest, timeMillis: Number(furthest) * 1000 },
    floor: blocks.at(-2),
    tail: blocks.map(known),
    lost: undefined,
    given: 0,
  }
}
const segment = (given: Memory, bounds: Partial<Segments.Segment> = {}): Segments.Segment => ({
  ...Segments.whole,
  cursor: "c",
  memory: given,
  ...bounds,
})
const progress = (
  order: "ASC" | "DESC",
  outermost: bigint | undefined,
  ...segments: ReadonlyArray<Segments.Segment>
): Segments.Progress => ({ order, outermost, segments, isInherited: false })
const open: Segments.Bounds = { toBlock: undefined, hasToDate: false }
const shape = ({ revertedFrom, segments }: Segments.Restart) => ({
  revertedFrom,
  segments: segments.map(({ cursor, from, memory: { tail }, to }) => [
    from,
    to,
    cursor,
    tail.map(({ block }) => block),
  ]),
})

describe("Segments", () => {
  describe("restart", () => {
    it("restart: an ascending query starts again at the first replaced block", () => {
      const restart = Segments.restart(progress("ASC", 2n, segment(memory(2n, 5n, 9n))), 6n, open)

      expect(shape(restart)).toStrictEqual({ revertedFrom: 6n, segments: [[6n, undefined, undefined, [2n, 5n]]] })
    })
    it("restart: an ascending query continues where it stopped if later blocks were replaced", () => {
      const restart = Segments.restart(progress("ASC", 2n, segment(memory(2n, 5n, 9n))), 40n, open)

      expect(shape(restart)).toStrictEqual({ revertedFrom: 40n, segments: [[6n, undefined, undefined, [2n, 5n, 9n]]] })
    })
    it("restart: starts from the beginning when every row is reverted", () => {
      for (const [order, given] of [
        ["ASC", memory(5n, 9n)],
        ["DESC", memory(9n, 5n)],
      ] as const) {
        const restart = Segments.restart(progress(order, order === "ASC" ? 5n : 9n, segment(given)), 4n, open)

        expect(shape(restart)).toStrictEqual({ revertedFrom: 4n, segments: [[undefined, undefined, undefined, []]] })
      }
    })
    it("restart: a descending query below the reorg reads the replaced blocks and then the rest", () => {
      const restart = Segments.restart(progress("DESC", 9n, segment(memory(9n, 7n, 3n))), 6n, open)

      expect(shape(restart)).toStrictEqual({
        revertedFrom: 6n,
        segments: [
          [6n, undefined, undefined, []],
          [undefined, 5n, undefined, [3n]],
        ],
      })
    })
    it("restart: omits replaced blocks above the bound of the query", () => {
      const read = progress("DESC", 9n, segment(memory(9n, 7n)))
      const restart = Segments.restart(read, 12n, { toBlock: 10n, hasToDate: false })

      expect(shape(restart)).toStrictEqual({ revertedFrom: 12n, segments: [[undefined, 8n, undefined, [9n, 7n]]] })
    })
    it("restart: includes a replaced block at the bound of the query", () => {
      const read = progress("DESC", 10n, segment(memory(9n, 7n)))
      const restart = Segments.restart(read, 10n, { toBlock: 10n, hasToDate: false })

      expect(shape(restart)).toStrictEqual({
        revertedFrom: 10n,
        segments: [
          [10n, undefined, undefined, []],
          [undefined, 8n, undefined, [9n, 7n]],
        ],
      })
    })
    it("restart: starts from the beginning when a date may be before the replaced blocks", () => {
      const restart = Segments.restart(progress("DESC", 9n, segment(memory(9n, 7n))), 12n, {
        toBlock: undefined,
        hasToDate: true,
      })

      expect(shape(restart)).toStrictEqual({ revertedFrom: 0n, segments: [[undefined, undefined, undefined, []]] })
    })
    it("restart: joins segments when a deeper reorg follows", () => {
      const top = segment(memory(), { from: 6n, cursor: undefined })
      const rest = segment(memory(3n), { to: 5n, cursor: undefined })

      expect(shape(Segments.restart(progress("DESC", 9n, top, rest), 4n, open))).toStrictEqual({
        revertedFrom: 4n,
        segments: [
          [4n, undefined, undefined, []],
          [undefined, 3n, undefined, [3n]],
        ],
      })
      expect(shape(Segments.restart(progress("DESC", 9n, top, rest), 2n, open))).toStrictEqual({
        revertedFrom: 2n,
        segments: [[undefined, undefined, undefined, []]],
      })
      expect(shape(Segments.restart(progress("DESC", 9n, top, rest), 8n, open))).toStrictEqual({
        revertedFrom: 8n,
        segments: [
          [6n, undefined, undefined, []],
          [undefined, 5n, undefined, [3n]],
        ],
      })
    })
    it("restart: reverts all rows if the query started at the cursor of another one", () => {
      const inherited = { ...progress("ASC", 5n, segment(memory(5n, 9n))), isInherited: true }

      expect(shape(Segments.restart(inherited, 4n, open))).toStrictEqual({
        revertedFrom: 0n,
        segments: [[undefined, undefined, undefined, []]],
      })
    })

    it("restart: an ascending query that returned no row, or whose first block was replaced, starts from the beginning", () => {
      const whole = [undefined, undefined, undefined, []]
      const none = progress("ASC", undefined, segment(memory(), { from: 3n }))

      expect(shape(Segments.restart(none, 10n, open))).toStrictEqual({ revertedFrom: 10n, segments: [whole] })
      const read = progress("ASC", 2n, segment(memory(2n, 5n, 9n)))
      expect(shape(Segments.restart(read, 2n, open))).toStrictEqual({ revertedFrom: 2n, segments: [whole] })
    })
    it("restart: an ascending query that read only one block reads it again, from the start of the query", () => {
      const read = progress("ASC", 5n, segment(memory(5n)))
      const after = { revertedFrom: 40n, segments: [[undefined, undefined, undefined, [5n]]] }

      expect(shape(Segments.restart(read, 40n, open))).toStrictEqual(after)
    })
    it("restart: rows before the cursor of another query are reverted unless it is known where this one began", () => {
      const inherited = (...blocks: ReadonlyArray<bigint>) => ({
        ...progress("ASC", 5n, segment(memory(...blocks))),
        isInherited: true,
      })

      expect(shape(Segments.restart(inherited(5n), 40n, open))).toStrictEqual({
        revertedFrom: 0n,
        segments: [[undefined, undefined, undefined, []]],
      })
      expect(shape(Segments.restart(inherited(5n, 9n), 40n, open))).toStrictEqual({
        revertedFrom: 40n,
        segments: [[6n, undefined, undefined, [5n, 9n]]],
      })
    })

    it.prop(
      "law: after a restart every reverted block is read again, and no memory contains one",
      {
        order: Schema.Literals(["ASC", "DESC"]),
        blocks: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))).check(
          Schema.isMinLength(1),
        ),
        from: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
      },
      ({ blocks, from, order }) => {
        const sorted = [...new Set(blocks)].sort((a, b) => (order === "ASC" ? a - b : b - a)).map(BigInt)
        const { revertedFrom, segments } = Segments.restart(
          progress(order, sorted[0], segment(memory(...sorted))),
          BigInt(from),
          open,
        )

        const isRead = (block: bigint) =>
          segments.some(
            (one) => (one.from === undefined || one.from <= block) && (one.to === undefined || block <= one.to),
          )
        const reverted = sorted.filter((block) => block >= revertedFrom)
        expect(revertedFrom).toBeLessThanOrEqual(BigInt(from))
        expect(reverted.filter((block) => !isRead(block))).toStrictEqual([])
        expect(
          segments.flatMap(({ memory: { tail } }) => tail).filter(({ block }) => block >= revertedFrom),
        ).toStrictEqual([])
      },
    )
  })
})
