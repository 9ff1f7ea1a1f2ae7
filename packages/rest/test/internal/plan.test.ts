import { describe, expect, it } from "@effect/vitest"
import * as Plan from "../../src/internal/plan.ts"
import type { Memory } from "../../src/internal/walk.ts"

const known = (block: bigint) => ({ id: `row ${block}`, blockId: `block ${block}`, block })

/** The memory of a walk that gave one row of each block, the last one furthest. */
const memory = (...blocks: ReadonlyArray<bigint>): Memory => {
  const furthest = blocks.at(-1)
  return {
    furthest: furthest === undefined ? undefined : { block: furthest, timeMillis: Number(furthest) * 1000 },
    floor: blocks.at(-2),
    tail: blocks.map(known),
    given: 0,
  }
}
const part = (given: Memory, bounds: Partial<Plan.Part> = {}): Plan.Part => ({
  ...Plan.whole,
  cursor: "c",
  memory: given,
  ...bounds,
})
const plan = (order: "ASC" | "DESC", outermost: bigint | undefined, ...parts: ReadonlyArray<Plan.Part>): Plan.Plan => ({
  order,
  outermost,
  parts,
  isInherited: false,
})
const open: Plan.Bounds = { toBlock: undefined, hasToDate: false }
const shape = ({ parts, voidFrom }: Plan.Restart) => ({
  voidFrom,
  parts: parts.map(({ cursor, from, memory: { tail }, to }) => [from, to, cursor, tail.map(({ block }) => block)]),
})

describe("plan", () => {
  describe("restart", () => {
    it("goes up again from the first replaced block", () => {
      const restart = Plan.restart(plan("ASC", 2n, part(memory(2n, 5n, 9n))), 6n, open)

      expect(shape(restart)).toStrictEqual({ voidFrom: 6n, parts: [[6n, undefined, undefined, [2n, 5n]]] })
    })
    it("goes up again from where it was when blocks further on were replaced", () => {
      const restart = Plan.restart(plan("ASC", 2n, part(memory(2n, 5n, 9n))), 40n, open)

      expect(shape(restart)).toStrictEqual({ voidFrom: 40n, parts: [[6n, undefined, undefined, [2n, 5n, 9n]]] })
    })
    it("begins anew when all that it gave is void", () => {
      for (const [order, given] of [
        ["ASC", memory(5n, 9n)],
        ["DESC", memory(9n, 5n)],
      ] as const) {
        const restart = Plan.restart(plan(order, order === "ASC" ? 5n : 9n, part(given)), 4n, open)

        expect(shape(restart)).toStrictEqual({ voidFrom: 4n, parts: [[undefined, undefined, undefined, []]] })
      }
    })
    it("replaces the top and then goes on below, when it came down past the reorganisation", () => {
      const restart = Plan.restart(plan("DESC", 9n, part(memory(9n, 7n, 3n))), 6n, open)

      expect(shape(restart)).toStrictEqual({
        voidFrom: 6n,
        parts: [
          [6n, undefined, undefined, []],
          [undefined, 5n, undefined, [3n]],
        ],
      })
    })
    it("leaves out a top that lies above the query's own bound", () => {
      const walked = plan("DESC", 9n, part(memory(9n, 7n)))
      const restart = Plan.restart(walked, 12n, { toBlock: 10n, hasToDate: false })

      expect(shape(restart)).toStrictEqual({ voidFrom: 12n, parts: [[undefined, 8n, undefined, [9n, 7n]]] })
    })
    it("begins anew when a date may lie before the replaced blocks", () => {
      const restart = Plan.restart(plan("DESC", 9n, part(memory(9n, 7n))), 12n, { toBlock: undefined, hasToDate: true })

      expect(shape(restart)).toStrictEqual({ voidFrom: 0n, parts: [[undefined, undefined, undefined, []]] })
    })
    it("joins parts again when a deeper reorganisation follows", () => {
      const top = part(memory(), { from: 6n, cursor: undefined })
      const rest = part(memory(3n), { to: 5n, cursor: undefined })

      expect(shape(Plan.restart(plan("DESC", 9n, top, rest), 4n, open))).toStrictEqual({
        voidFrom: 4n,
        parts: [
          [4n, undefined, undefined, []],
          [undefined, 3n, undefined, [3n]],
        ],
      })
      expect(shape(Plan.restart(plan("DESC", 9n, top, rest), 2n, open))).toStrictEqual({
        voidFrom: 2n,
        parts: [[undefined, undefined, undefined, []]],
      })
      expect(shape(Plan.restart(plan("DESC", 9n, top, rest), 8n, open))).toStrictEqual({
        voidFrom: 8n,
        parts: [
          [6n, undefined, undefined, []],
          [undefined, 5n, undefined, [3n]],
        ],
      })
    })
    it("voids everything when the walk began at a cursor and it is not known what came before", () => {
      const inherited = { ...plan("ASC", 5n, part(memory(5n, 9n))), isInherited: true }

      expect(shape(Plan.restart(inherited, 4n, open))).toStrictEqual({
        voidFrom: 0n,
        parts: [[undefined, undefined, undefined, []]],
      })
    })
  })
})
