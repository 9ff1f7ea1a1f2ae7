import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Eventually } from "@daybook/harness"

const afterCalls = (count: number) => {
  let calls = 0
  return () => ++calls >= count
}

describe("Eventually", () => {
  it("until: resolves once the condition holds", async () => {
    await expect(Eventually.until(afterCalls(3), { everyMillis: 1 })).resolves.toBeUndefined()
  })

  it("until: waits for a condition that is a promise", async () => {
    const condition = afterCalls(2)

    await expect(Eventually.until(() => Promise.resolve(condition()), { everyMillis: 1 })).resolves.toBeUndefined()
  })

  it("until: rejects with the bound and the description when the condition never holds", async () => {
    const waiting = Eventually.until(() => false, { withinMillis: 3, everyMillis: 1, what: "the port is free" })

    await expect(waiting).rejects.toMatchObject({
      _tag: "ConditionNotMet",
      message: "Condition not met within 3 ms: the port is free.",
    })
  })

  it.effect("untilEffect: uses the real clock even under the test clock", () =>
    Effect.gen(function* () {
      const condition = afterCalls(3)
      yield* Eventually.untilEffect(Effect.sync(condition), { everyMillis: 1 })
      const error = yield* Effect.flip(
        Eventually.untilEffect(Effect.succeed(false), { withinMillis: 2, everyMillis: 1 }),
      )

      expect(error._tag).toBe("ConditionNotMet")
    }),
  )

  it.effect("untilEffect: gives up an evaluation that does not end", () =>
    Effect.gen(function* () {
      const options = { withinMillis: 2, what: "the node answers" }
      const error = yield* Effect.flip(Eventually.untilEffect(Effect.never, options))

      expect(error.message).toBe("Condition not met within 2 ms: the node answers.")
    }),
  )
})
