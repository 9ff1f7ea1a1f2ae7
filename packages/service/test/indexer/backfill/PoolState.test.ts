import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as PoolState from "../../../src/indexer/backfill/PoolState.ts"

const after = (state: PoolState.PoolState, ...inputs: ReadonlyArray<PoolState.Input>) =>
  inputs.reduce(PoolState.step, state)

const assigned = (index: number): PoolState.Input => ({ _tag: "Assigned", index })
const answered = (index: number, size: number): PoolState.Input => ({ _tag: "Answered", index, size })
const interrupted = (index: number): PoolState.Input => ({ _tag: "Interrupted", index })
const declined = (index: number, nowMillis: number): PoolState.Input => ({ _tag: "Declined", index, nowMillis })
const lost = (index: number, nowMillis: number): PoolState.Input => ({ _tag: "Lost", index, nowMillis })

describe("PoolState", () => {
  it("next: returns the thread with the fewest ranges, and the first one if equal", () => {
    const state = PoolState.make(3)

    expect(PoolState.next(state, 0)).toBe(0)
    expect(PoolState.next(after(state, assigned(0)), 0)).toBe(1)
    expect(PoolState.next(after(state, assigned(0), assigned(1), assigned(2), answered(1, 8)), 0)).toBe(1)
  })

  it("next: skips a lost thread until its delay is over, which doubles with each loss", () => {
    const once = after(PoolState.make(2), assigned(0), lost(0, 1_000))
    const twice = after(once, assigned(0), lost(0, 2_000))

    expect([PoolState.next(once, 1_499), PoolState.next(once, 1_500)]).toEqual([1, 0])
    expect([PoolState.next(twice, 2_999), PoolState.next(twice, 3_000)]).toEqual([1, 0])
  })

  it("next: skips a thread that has declined for 30 seconds", () => {
    const state = after(PoolState.make(2), assigned(0), declined(0, 1_000))

    expect([PoolState.next(state, 30_999), PoolState.next(state, 31_000)]).toEqual([1, 0])
    expect(state[0]).toMatchObject({ ranges: 0, size: 4, losses: 0 })
  })

  it("next: returns no thread while all are lost", () => {
    const state = after(PoolState.make(2), assigned(0), assigned(1), lost(0, 0), lost(1, 0))

    expect([PoolState.next(state, 499), PoolState.next(state, 500)]).toEqual([null, 0])
  })

  it("step: counts one loss for all ranges that a thread was fetching", () => {
    const state = after(PoolState.make(1), assigned(0), assigned(0), lost(0, 0), lost(0, 10))

    expect(state).toEqual([{ ranges: 0, size: 4, losses: 1, restsUntilMillis: 500 }])
  })

  it("step: a response sets the size and ends a series of losses; an interruption does neither", () => {
    const state = after(PoolState.make(1), assigned(0), lost(0, 0), assigned(0), assigned(0))

    expect(after(state, answered(0, 32))[0]).toMatchObject({ ranges: 1, size: 32, losses: 0 })
    expect(after(state, interrupted(0))[0]).toMatchObject({ ranges: 1, size: 4, losses: 1 })
  })

  it.prop(
    "step: the open ranges are those assigned and not ended, and a size is at least 1, whatever happens",
    {
      inputs: Schema.Array(
        Schema.Struct({
          index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
          end: Schema.Literals(["answered", "interrupted", "declined", "lost", "open"]),
          size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
        }),
      ),
    },
    ({ inputs }) => {
      const open = [0, 0, 0]
      let state = PoolState.make(3)
      for (const [at, { end, index, size }] of inputs.entries()) {
        state = PoolState.step(state, assigned(index))
        const inputOf = {
          answered: answered(index, size),
          interrupted: interrupted(index),
          declined: declined(index, at),
          lost: lost(index, at),
        }
        if (end === "open") open[index]! += 1
        else state = PoolState.step(state, inputOf[end])
      }

      expect(state.map(({ ranges }) => ranges)).toEqual(open)
      expect(state.every(({ size }) => size >= 1)).toBe(true)
    },
  )
})
