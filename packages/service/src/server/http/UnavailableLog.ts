/**
 * The log of failures of the database by which requests are refused for a while. The response does not state the reason, and clients ask
 * again at once: each reason is logged once a minute.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StoreError } from "../../store/StoreError.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"

const quietMillis = 60_000

/** Reasons whose times are kept. */
const maxReasons = 100

/** Times of the process at which the reasons were last logged, in milliseconds. */
export const LoggedAt = Context.Reference<Map<string, number>>("@daybook/service/server/http/UnavailableLog/LoggedAt", {
  defaultValue: () => new Map(),
})

/** Logs why the database cannot be read, unless it was logged within a minute. A cursor that is ahead of the index is no failure. */
export const write = ({ isBehind, message }: Pick<StoreError, "isBehind" | "message">): Effect.Effect<void> =>
  Effect.flatMap(Effect.all([LoggedAt, MonotonicClock.millis]), ([loggedAt, now]) => {
    if (isBehind === true) return Effect.void
    const last = loggedAt.get(message)
    if (last !== undefined && now - last < quietMillis) return Effect.void
    if (loggedAt.size >= maxReasons) loggedAt.clear()
    loggedAt.set(message, now)
    return Effect.logWarning(`Requests are refused: ${message}`)
  })
