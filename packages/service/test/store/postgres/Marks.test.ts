import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Chain from "../../../src/store/postgres/Chain.ts"
import * as Marks from "../../../src/store/postgres/Marks.ts"
import { StoreError } from "../../../src/store/StoreError.ts"
import { ref } from "../TestDatabase.ts"

const unproved = new StoreError({ message: "Index moving.", isRetryable: true, isUnproved: true, cause: undefined })
const unreachable = new StoreError({ message: "Unreachable.", isRetryable: true, cause: undefined })

/** How often reads that fail with an error are made. */
const readsOf = Effect.fnUntraced(function* <E>(error: E) {
  let reads = 0
  const reading: Chain.Reading = (read) =>
    Effect.suspend(() => {
      reads++
      return read({ chain: Chain.make(ref, "database"), session: { rows: () => Effect.succeed([]) } })
    })
  yield* Effect.forkChild(Effect.exit(Marks.retried(reading)(() => Effect.fail(error))))
  yield* TestClock.adjust("1 minute")
  return reads
})

describe("Marks", () => {
  it.effect(
    "retried: reads again where nodes moved on meanwhile, eight times at most, and after no other failure",
    () =>
      Effect.gen(function* () {
        const errors = [unproved, unreachable, "reader failed", { isUnproved: true }]

        expect(yield* Effect.forEach(errors, readsOf)).toEqual([9, 1, 1, 1])
      }),
  )
})
