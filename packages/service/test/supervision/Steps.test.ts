import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import * as BlockAssembler from "../../src/fetch/BlockAssembler.ts"
import * as Steps from "../../src/supervision/Steps.ts"
import { decoder } from "../indexer/chain.ts"
import * as fixture from "../indexer/fixture.ts"

/** Counts to a number, one at a time. */
const countTo = function* (count: number): Steps.Steps<number> {
  let sum = 0
  for (let at = 0; at < count; at++) {
    sum += 1
    yield
  }
  return sum
}

/** Runs an effect with a clock that advances by a millisecond at each read. */
const ticking = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    let millis = 0
    // Sound: everything except the monotonic time is read from the clock itself.
    const moving = Object.create(clock, {
      monotonicTimeNanosUnsafe: { value: () => BigInt(millis++ * 1_000_000) },
    }) as Clock.Clock
    return yield* Effect.provideService(effect, Clock.Clock, moving)
  })

describe("Steps", () => {
  it("runSync: returns the result of all steps", () => {
    expect(Steps.runSync(countTo(1_000))).toBe(1_000)
  })

  it.effect("run: yields to other work after 10 milliseconds, and returns the same result", () =>
    Effect.gen(function* () {
      let turns = 0
      const other = Effect.forever(
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => turns++),
        ),
      )
      yield* Effect.forkChild(other)
      const sum = yield* ticking(Steps.run(() => countTo(1_000)))

      expect(sum).toBe(1_000)
      expect(turns).toBeGreaterThan(40)
    }),
  )

  it("steps: counts a step per 128 logs of a block, whichever transactions they belong to", () => {
    const count = 5_000
    const logs = Array.from({ length: count }, (_, index) => fixture.logWire(index, 0))
    const block = fixture.block({ transactions: [fixture.transferWire] })
    const receipts = fixture.receipts([{ ...fixture.transferReceiptWire, logs }])
    const options = {
      decoder,
      rules: [{ fromBlock: 0n, headerHash: false, blooms: true, roots: false, withdrawals: false }],
    } as const
    const bloomless = { block, receipts, traces: null }
    const stepsOf = (checks: "links" | "standard") => {
      const work = BlockAssembler.steps(bloomless, { ...options, checks })
      let steps = 0
      for (;;) {
        const { done, value } = work.next()
        if (done === true) return { steps, value }
        steps += 1
      }
    }
    const linked = stepsOf("links")

    expect(linked.steps).toBeGreaterThan(count / 128)
    expect(Result.map(linked.value, ({ rows }) => rows)).toEqual(
      BlockAssembler.assemble(bloomless, { ...options, checks: "links" }),
    )
    expect(Result.isFailure(stepsOf("standard").value)).toBe(true)
    expect(stepsOf("standard").steps).toBeGreaterThan(count / 128 - 1)
  })
})
