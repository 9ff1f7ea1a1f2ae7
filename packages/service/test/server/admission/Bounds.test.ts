import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Limits } from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"

describe("Bounds", () => {
  it.effect.each([
    [1, 64],
    [4, 16],
    [21, 3],
    [40, 3],
  ] as const)("batchCalls: of %i keys, each has %i calls at a node at once", ([keys, each]) =>
    Effect.gen(function* () {
      const { batchCalls } = Bounds.make(
        Schema.decodeSync(Limits)({}),
        Turns.make(() => 0),
      )
      const begun = new Map<string, number>()
      // Each key adds a call in turn.
      for (let call = 0; call < 70; call++) {
        for (let key = 0; key < keys; key++) {
          const name = `key-${key}`
          const work = Effect.andThen(
            Effect.sync(() => begun.set(name, (begun.get(name) ?? 0) + 1)),
            Effect.never,
          )
          yield* Effect.forkScoped(batchCalls.run(name, work), { startImmediately: true })
        }
      }

      expect([...begun.values()]).toEqual(Array.from({ length: keys }, () => each))
    }).pipe(Effect.scoped),
  )
})
