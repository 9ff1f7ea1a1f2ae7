/**
 * The log of failures of the database by which requests are refused. The response does not name the file or the server, and clients ask
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

/** Text for clients of a database that stays unusable until its operator acts: the part of the message that has no values. */
export const issueOf = ({ message }: StoreError): string =>
  `${message.split(":", 1)[0]!}. The log of the server states where, and what to do.`

/** Maximum number of causes below an error. */
const maxCauses = 8

/** Message of what failed below: the driver's text for a failure that the store does not recognise. */
const detailOf = (cause: unknown, left = maxCauses): string => {
  if (!(cause instanceof Error)) return ""
  return cause.cause === undefined || left === 0 ? ` (${cause.message})` : detailOf(cause.cause, left - 1)
}

/** Logs why the database cannot be read, unless it was logged within a minute. A cursor that is ahead of the index is no failure. */
export const write = ({ cause, isBehind, isRetryable, message }: StoreError): Effect.Effect<void> =>
  Effect.flatMap(Effect.all([LoggedAt, MonotonicClock.millis]), ([loggedAt, now]) => {
    if (isBehind === true) return Effect.void
    const last = loggedAt.get(message)
    if (last !== undefined && now - last < quietMillis) return Effect.void
    if (loggedAt.size >= maxReasons) loggedAt.clear()
    loggedAt.set(message, now)
    return isRetryable
      ? Effect.logWarning(`Requests are refused: ${message}`)
      : Effect.logError(`Requests fail: ${message}${detailOf(cause)}`)
  })
