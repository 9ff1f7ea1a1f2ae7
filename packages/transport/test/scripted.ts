/** A `fetch` with scripted responses, for tests with the test clock. */
import type { Fiber } from "effect"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Fetch } from "../src/index.ts"

/** One scripted response; `"stalled"` never responds. */
export type Scripted =
  | { readonly status: number; readonly text?: string; readonly headers?: Record<string, string> }
  | "stalled"

/** Responds to the n-th request with the n-th response, and to every later request with the last one. */
export const scriptedFetch = (...script: ReadonlyArray<Scripted>) => {
  let requests = 0
  const fetch: Fetch.Fetch = async (_url, { signal }) => {
    const next = script[Math.min(requests++, script.length - 1)] ?? "stalled"
    if (next === "stalled") {
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))
    }
    return new Response(next.text ?? "", { status: next.status, headers: next.headers ?? {} })
  }
  return { fetch, requests: () => requests }
}

/** Lets the promises of a `fetch` settle. */
export const turnOfEventLoop = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Advances the test clock in steps of 10 ms until the fiber ends. Promises of a `fetch` settle between the steps. */
export const advanceUntilDone = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* turnOfEventLoop
      yield* TestClock.adjust("10 millis")
    }
  })
