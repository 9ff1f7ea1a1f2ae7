/**
 * What happens during a call, moment by moment, for logs and counters. Clients tell it through their option `onEvent`.
 */
import type * as Duration from "effect/Duration"

/**
 * A moment of a call, for logs and counters. It may be shown to anybody: no key, and no value of a header that carries one.
 *
 * **Details**
 *
 * `call` numbers the calls of one client from 1, `attempt` the requests of one call from 1. Each `Request` is followed by a
 * `Response` (any status) or a `Fault` (no whole answer), unless it is interrupted. A `Retry` comes before each wait for another attempt.
 */
export type Event = { readonly call: number; readonly attempt: number; readonly host: string } & (
  | {
      readonly _tag: "Request"
      readonly method: string
      /** Path and query below the endpoint's own URL, which may hold a key and is left out. */
      readonly target: string
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      readonly _tag: "Response"
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly requestId: string | undefined
      readonly duration: Duration.Duration
    }
  | {
      readonly _tag: "Fault"
      /** Tag and message of the error. */
      readonly error: string
      readonly message: string
      readonly duration: Duration.Duration
    }
  | {
      readonly _tag: "Retry"
      /** Tag and message of the error that is the reason. */
      readonly error: string
      readonly message: string
      readonly wait: Duration.Duration
    }
)
