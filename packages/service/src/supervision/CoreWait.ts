/**
 * Time that a thread has waited for a core of the machine while other threads used it. Linux counts it for each thread. On other systems it
 * is 0, as if the thread had its own core.
 */
import { closeSync, openSync, readSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as MonotonicClock from "./MonotonicClock.ts"

/** Nanoseconds that the thread which opens it ran, those that it waited, and how often it ran. */
const path = "/proc/thread-self/schedstat"

/** Bytes of three numbers of 64 bits with the spaces behind them. */
const maxBytes = 64

const none: MonotonicClock.Reader = () => 0

/** Reads milliseconds that this thread has waited; once the scope is closed, what was read last. */
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
