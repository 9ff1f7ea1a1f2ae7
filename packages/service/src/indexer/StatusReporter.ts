/**
 * Reports an indexer's progress and state: events for the embedding program, log lines, and the status in the store for other processes.
 * Executes what `StatusTracker` decides.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { ChainSession } from "../store/ChainSession.ts"
import type { AppliedSettings, IndexerStatus } from "../store/StatusBoard.ts"
import type { IndexerEvent } from "./IndexerEvent.ts"
import type { IndexerReport } from "./IndexerReport.ts"
import * as StatusTracker from "./StatusTracker.ts"
import * as TrackerState from "./TrackerState.ts"

/**
 * Handles an indexer event; must not fail.
 */
export type OnEvent = (event: IndexerEvent) => Effect.Effect<void>

/**
 * Reports of one indexer.
 */
export interface StatusReporter {
  readonly report: (report: IndexerReport) => Effect.Effect<void>
  /** Settings with which the stored blocks were indexed. */
  readonly settings: Effect.Effect<AppliedSettings>
  /** Heartbeat: rewrites the last status periodically, so that readers can see that the indexer is alive. */
  readonly heartbeat: Effect.Effect<never>
  /** Records an orderly stop. */
  readonly stopped: Effect.Effect<void>
}

/**
 * Makes the reporter of an indexer whose status is kept in `store`.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly store: Pick<ChainSession, "readStatus" | "writeStatus">
  readonly onEvent: OnEvent
  /** Interval between polls of the node's head, in milliseconds. Default 0. */
  readonly pollMillis?: number
}): Effect.fn.Return<StatusReporter> {
  const { onEvent, pollMillis = 0, store } = options
  const before = yield* Effect.orElseSucceed(store.readStatus, () => null)
  let state = TrackerState.make({ pollMillis, before })

  const apply = Effect.fnUntraced(function* (input: StatusTracker.Input) {
    const now = yield* MonotonicClock.millis
    const [next, outputs] = StatusTracker.step(state, input, now)
    state = next
    for (const output of outputs) yield* report(output)
  })

  /** Failing to write a status must not stop the indexer. */
  const storeStatus = (status: IndexerStatus) =>
    store.writeStatus(status).pipe(
      // Another indexer has taken over and reports its own status.
      Effect.catchTag("LeaseLost", () => Effect.void),
      Effect.catch((error) => Effect.logWarning(error.message)),
    )

  const report = (output: TrackerState.Output): Effect.Effect<void> => {
    switch (output._tag) {
      case "StoreStatus":
        return storeStatus(output.status)
      case "Log":
        return Effect.annotateLogs(
          Effect.logWithLevel(output.level)(output.message),
          Record.filter(output.annotations, Predicate.isNotUndefined),
        )
      case "Emit":
        return onEvent(output.event)
    }
  }

  return {
    report: apply,
    settings: Effect.sync(() => state.settings),
    heartbeat: Effect.forever(Effect.andThen(Effect.sleep(TrackerState.heartbeatMillis), apply({ _tag: "Heartbeat" }))),
    stopped: apply({ _tag: "Stopped" }),
  }
})
