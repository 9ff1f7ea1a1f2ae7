/**
 * Time for which a thread was ready to run but waited for a core of the machine. Linux counts it for each thread. On other systems it is 0,
 * as if the thread had its own core.
 */
import { closeSync, openSync, readSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as MonotonicClock from "./MonotonicClock.ts"

/** Nanoseconds that the opening thread ran, nanoseconds that it waited, and how often it ran. */
const path = "/proc/thread-self/schedstat"

/** Maximum length in bytes: three 64-bit numbers, each followed by a separator. */
const maxBytes = 64

const none: MonotonicClock.Reader = () => 0

/** Reads how long this thread has waited, in milliseconds; after the scope is closed, returns the last reading. */
export const reader: Effect.Effect<MonotonicClock.Reader, never, Scope.Scope> = Effect.gen(function* () {
  const file = yield* Effect.acquireRelease(
    Effect.try(() => openSync(path, "r")),
    (opened) => Effect.sync(() => closeSync(opened)),
  )
  const bytes = Buffer.alloc(maxBytes)
  let isOpen = true
  let last = 0
  yield* Effect.addFinalizer(() => Effect.sync(() => (isOpen = false)))
  return () => {
    if (!isOpen) return last
    const [, waited] = bytes.toString("latin1", 0, readSync(file, bytes, 0, maxBytes, 0)).split(" ")
    return (last = Number(waited) / 1e6)
  }
}).pipe(Effect.orElseSucceed(() => none))
