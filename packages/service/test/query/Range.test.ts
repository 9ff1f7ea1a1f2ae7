import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Range from "../../src/query/Range.ts"
import * as Rows from "../server/rows.ts"
import { openedChain } from "./openedChain.ts"

const open: Range.Bound = { _tag: "Open" }
const atBlock = (block: number): Range.Bound => ({ _tag: "Block", block })
/** The time of a block, plus milliseconds. */
const at = (block: number, millis = 0): Range.Bound => {
  return { _tag: "Date", date: new Date(Rows.timeOf(block)).getTime() + millis }
}

describe("Range", () => {
  it.live("firstBlock, lastBlock: return the index's outermost blocks with numbers or times in the range", () =>
    Effect.gen(function* () {
      const blocks = [3, 4, 5, 6].map((number) => Rows.block(number, []))
      const { chain } = yield* openedChain({ blocks, projections: [] })
      const bounds = [open, atBlock(0), atBlock(3), atBlock(4), atBlock(6), atBlock(7)]
      const times = [at(2), at(3, -1), at(3), at(3, 1), at(4, -1), at(4), at(6), at(6, 1)]
      const found = yield* chain.reader.snapshot((snapshot) =>
        Effect.gen(function* () {
          const checkpoint = (yield* snapshot.checkpoint)!
          return yield* Effect.forEach([...bounds, ...times], (bound) =>
            Effect.all([Range.firstBlock(snapshot, bound, checkpoint), Range.lastBlock(snapshot, bound, checkpoint)]),
          )
        }),
      )

      expect(found.slice(0, bounds.length)).toEqual([
        [3, 6],
        [3, 0],
        [3, 3],
        [4, 4],
        [6, 6],
        [7, 6],
      ])
      expect(found.slice(bounds.length)).toEqual([
        [3, null],
        [3, null],
        [3, 3],
        [4, 3],
        [4, 3],
        [4, 4],
        [6, 6],
        [null, 6],
      ])
    }).pipe(Effect.scoped),
  )
})
