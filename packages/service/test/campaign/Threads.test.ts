import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Threads from "./Threads.ts"

/** A thread that doubles numbers, and ends by an error for a text. */
const module = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads"
    parentPort.on("message", (task) => {
      if (typeof task === "string") throw new Error(task)
      parentPort.postMessage(task * 2)
    })
  `)}`,
)

describe("Threads", () => {
  it.live("make: replaces a thread that ended with an error, so that later tasks still run", () =>
    Effect.gen(function* () {
      const run = yield* Threads.make<number | string, number>({
        module,
        argv: [],
        threads: 2,
        here: Effect.die("Not run in this thread"),
      })
      const outcomeOf = (task: number | string) =>
        Effect.scoped(Effect.match(run(task), { onFailure: String, onSuccess: (outcome) => outcome }))

      const failed = yield* Effect.forEach(["one", "two", "three"], outcomeOf)
      const outcomes = yield* Effect.forEach([1, 2, 3, 4], outcomeOf, { concurrency: 4 })

      expect(failed).toEqual(["Error: one", "Error: two", "Error: three"])
      expect(outcomes).toEqual([2, 4, 6, 8])
    }),
  )
})
