/**
 * One HTTP request made for a call: host, start, outcome and duration. Every error of the clients lists the attempts that led to it.
 * An attempt holds no path and no key.
 */
import type * as Duration from "effect/Duration"

/**
 * One HTTP request made for a call.
 */
export interface Attempt {
  /** Host and port, as in `node.example:8545`. */
  readonly host: string
  /** Start of the request. */
  readonly at: Date
  /** Status (`"200"`), or the error's tag and phase (`"TimeoutError body"`). */
  readonly outcome: string
  /** Time from the start of the request to the last byte read, or to the failure. */
  readonly duration: Duration.Duration
  /** The same time in milliseconds. */
  readonly durationMillis: number
}
