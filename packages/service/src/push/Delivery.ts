/**
 * Decides when a message of a webhook is retried, and when its webhook is paused. Pure.
 *
 * Source: decision 0073; Standard Webhooks 1.0.0.
 */
import * as Backoff from "@daybook/transport/internal/Backoff"

/** Attempts for the next message. */
export interface Attempts {
  readonly failures: number
  /** Milliseconds since 1970; `null` if the last attempt succeeded. */
  readonly firstFailureAt: number | null
  /** No attempt is made earlier. */
  readonly nextAt: number
  /** Why the webhook is paused; `null` if it is not. */
  readonly paused: string | null
}

/** Outcome of an attempt. */
export type Outcome =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Gone" }
  /** The receiver requests this wait, in milliseconds; 0 for none. */
  | { readonly _tag: "Failed"; readonly waitMillis: number }

/** Before the first attempt. */
export const initial: Attempts = { failures: 0, firstFailureAt: null, nextAt: 0, paused: null }

const hourMillis = 3_600_000
/** Doubles from 5 seconds up to a day; the time limit allows fewer than three such days. */
const backoff: Backoff.Backoff = { firstMillis: 5_000, maxMillis: 24 * hourMillis }
/** Time after the first failure beyond which no attempt starts. */
const longestMillis = 75 * hourMillis
/** Random share of a delay. */
const jitter = 0.2

/** Attempts after another one. */
export const after = (
  { failures, firstFailureAt }: Attempts,
  outcome: Outcome,
  { nowMillis, random }: { readonly nowMillis: number; readonly random: number },
): Attempts => {
  if (outcome._tag === "Delivered") return initial
  const first = firstFailureAt ?? nowMillis
  const failed = { failures: failures + 1, firstFailureAt: first }
  if (outcome._tag === "Gone")
    return { ...failed, nextAt: 0, paused: "The receiver rejects further messages: status 410." }
  const delay = Backoff.delayMillis(backoff, failures + 1) * (1 - jitter * random)
  const nextAt = nowMillis + Math.ceil(Math.max(delay, outcome.waitMillis))
  if (nextAt - first > longestMillis) {
    return { ...failed, nextAt: 0, paused: `No delivery in 75 hours and ${failures + 1} attempts.` }
  }
  return { ...failed, nextAt, paused: null }
}
