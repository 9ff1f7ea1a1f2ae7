/**
 * Events of a call, for logs and counters. A client reports them to its option `onEvent`.
 */
import type * as Duration from "effect/Duration"

/**
 * Event of a call. Never holds a key or the value of a header that carries one.
 *
 * **Details**
 *
 * `call` numbers the calls of one client from 1, `attempt` the requests of one call from 1. Each `Request` is followed by a `Response` (any
 * status) or a `Fault` (no complete response), unless it is interrupted. A `Retry` precedes each wait before another attempt.
 */
export type Event = { readonly call: number; readonly attempt: number; readonly host: string } & (
  | {
      readonly _tag: "Request"
      readonly method: string
      /** Path and query below the URL of the endpoint. That URL may hold a key and is omitted. */
      readonly target: string
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      readonly _tag: "Response"
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly requestId: string | undefined
      readonly duration: Duration.Duration
      /** The same time in milliseconds. */
      readonly durationMillis: number
    }
  | {
      readonly _tag: "Fault"
      /** Tag of the error. */
      readonly error: string
      readonly message: string
      readonly duration: Duration.Duration
      /** The same time in milliseconds. */
      readonly durationMillis: number
    }
  | {
      readonly _tag: "Retry"
      /** Tag of the error that caused the retry. */
      readonly error: string
      readonly message: string
      readonly wait: Duration.Duration
      /** The same time in milliseconds. */
      readonly waitMillis: number
    }
)
