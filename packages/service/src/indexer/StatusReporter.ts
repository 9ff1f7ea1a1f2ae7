/**
 * Reports an indexer's progress and state: events for the program around it, log lines, and the status in the store for other
 * processes. Carries out what `StatusTracker` decides.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { IndexerStatus, StoreShape } from "../store/Store.ts"
import * as StatusTracker from "./StatusTracker.ts"

/**
 * Handles an indexer event; must not fail.
 */
export type OnEvent = (event: StatusTracker.IndexerEvent) => Effect.Effect<void>

/**
 * Reports of one indexer.
 */
export interface StatusReporter {
  readonly report: (report: StatusTracker.Report) => Effect.Effect<void>
  /** Rewrites the last status periodically, so that readers can tell that the indexer is alive. */
  readonly heartbeat: Effect.Effect<never>
  /** Records an orderly stop. */
  readonly stopped: Effect.Effect<void>
}

/**
 * Makes the reporter of an indexer whose status is kept in `store`.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly store: Pick<StoreShape, "readStatus" | "writeStatus">
  readonly onEvent: OnEvent
  /** Time between two polls of the node's head, in milliseconds. Default 0. */
  readonly pollMillis?: number
}): Effect.fn.Return<StatusReporter> {
  const { onEvent, pollMillis = 0, store } = options
  const readStatus = Effect.orElseSucceed(store.readStatus, () => null)
  let state = StatusTracker.make({ pollMillis, before: yield* readStatus })

  const apply = Effect.fnUntraced(function* (input: StatusTracker.Input) {
    const now = yield* Clock.currentTimeMillis
    const [next, outputs] = StatusTracker.step(state, input, now)
    state = next
    for (const output of outputs) yield* perform(output)
  })

  /** A status that cannot be written must not stop the indexer. */
  const storeStatus = (status: IndexerStatus) =>
    Effect.matchEffect(store.writeStatus(status), {
      onSuccess: () => apply({ _tag: "StatusStored", updatedAtMillis: status.updatedAtMillis }),
      onFailure: (error) => Effect.logWarning(error.message),
    })

  const perform = (output: StatusTracker.Output): Effect.Effect<void> => {
    switch (output._tag) {
      case "StoreStatus":
        return storeStatus(output.status)
      case "Log":
        return Effect.annotateLogs(Effect.logWithLevel(output.level)(output.message), output.annotations)
      case "Emit":
        return onEvent(output.event)
    }
  }

  const beat = Effect.gen(function* () {
    if (!StatusTracker.isHeartbeatDue(state, yield* Clock.currentTimeMillis)) return
    yield* apply({ _tag: "Heartbeat", stored: yield* readStatus })
  })

  return {
    report: apply,
    heartbeat: Effect.forever(Effect.andThen(Effect.sleep(StatusTracker.heartbeatMillis), beat)),
    stopped: Effect.flatMap(readStatus, (stored) => apply({ _tag: "Stopped", stored })),
  }
})
