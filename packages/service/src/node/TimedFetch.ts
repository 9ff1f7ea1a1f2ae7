/**
 * A `fetch` that reports how long a node takes to respond, and with which outcome.
 */
import type { Fetch } from "@daybook/transport/Fetch"
import type * as MonotonicClock from "../supervision/MonotonicClock.ts"

/** Outcome of a request: the class of its status, `429` for a rate limit, or `none` without a response. */
export type Outcome = "2xx" | "3xx" | "4xx" | "429" | "5xx" | "none"

/** Receives each request to a node. */
export type OnRequest = (outcome: Outcome, seconds: number) => void

const outcomeOf = (status: number): Outcome => {
  if (status === 429) return "429"
  if (status < 300) return "2xx"
  if (status < 400) return "3xx"
  return status < 500 ? "4xx" : "5xx"
}

/** Wraps a `fetch` and times it with a clock, up to the headers of the response. */
export const make =
  (fetch: Fetch, onRequest: OnRequest, now: MonotonicClock.Reader): Fetch =>
  async (url, init) => {
    const startedAt = now()
    const report = (outcome: Outcome) => onRequest(outcome, (now() - startedAt) / 1000)
    try {
      const response = await fetch(url, init)
      report(outcomeOf(response.status))
      return response
    } catch (cause) {
      report("none")
      throw cause
    }
  }
