/**
 * One HTTP request that a call made, as it may be shown to anybody: host, start, outcome and duration, never a path or a key.
 * Every error of the clients lists the attempts that led to it.
 */
import type * as Duration from "effect/Duration"

/**
 * What became of one HTTP request of a call.
 */
export interface Attempt {
  /** Host and port that were asked, as in `node.example:8545`. */
  readonly host: string
  /** When the request started. */
  readonly at: Date
  /** The status as digits (`"200"`), or the fault and its phase (`"TimeoutError body"`). */
  readonly outcome: string
  /** From the start of the request to the last byte read, or to the fault. */
  readonly duration: Duration.Duration
}
