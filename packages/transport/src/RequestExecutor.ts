/**
 * What a client does for one call on a bad network: sends it, decodes the answer, and tries again as the policy and the server say.
 * Make one for each client; it holds the pauses that servers asked for. It knows nothing of the interface: `decode` does.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Attempt } from "./Attempt.ts"
import {
  type Failure,
  InvalidOption,
  InvalidResponse,
  RateLimited,
  type TimeoutError,
  type TransportError,
  Unauthorized,
} from "./ClientError.ts"
import type { Event } from "./Event.ts"
import * as Http from "./Http.ts"
import * as Retry from "./internal/Retry.ts"
import { teller } from "./internal/teller.ts"
import * as OptionCheck from "./OptionCheck.ts"
import * as Backoff from "./Backoff.ts"
import { shorten } from "./Redaction.ts"
import * as RetryPolicy from "./RetryPolicy.ts"

/**
 * How a client talks to its servers.
 */
export interface Options {
  readonly policy?: RetryPolicy.Options | undefined
  /** Bytes of one decompressed answer at most. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Default: undici on Node, the platform's own `fetch` elsewhere, looked up at each request. */
  readonly fetch?: Http.Fetch | undefined
  /** Told each moment of each call, at once. What it throws is left aside: a log must not end a call. */
  readonly onEvent?: ((event: Event) => void) | undefined
}

/**
 * One call.
 */
export interface Request<E = never> extends Http.Request {
  /** Time for this call in place of the policy's deadline: all attempts, waits and bodies. */
  readonly timeout?: Duration.Input | undefined
  /** In place of the client's limit. */
  readonly maxBytes?: number | undefined
  /** Which errors are tried again. Default: those whose `isRetryable` is true. */
  readonly isRetryable?: ((error: E | NetworkError) => boolean) | undefined
}

/**
 * The failures of a call that `decode` has no part in.
 */
export type NetworkError = TransportError | TimeoutError | InvalidResponse | RateLimited

/**
 * The calls of one client.
 */
export interface RequestExecutor {
  /** The pauses in force, for those who send requests of their own. */
  readonly pause: Backoff.Backoff
  readonly policy: RetryPolicy.RetryPolicy
  /**
   * Sends a request until `decode` accepts the answer or no further attempt is allowed.
   *
   * **Errors**
   * - `TransportError`, `TimeoutError`: tried again while attempts and time last.
   * - `InvalidResponse`: a redirect, too many bytes, not text. Not tried again.
   * - `RateLimited`: an earlier answer asked for a pause that outlasts the deadline. Not tried again.
   * - A `timeout` or `maxBytes` that makes no sense is a defect: it dies with `InvalidOption`.
   * - whatever `decode` fails with: tried again when it says `isRetryable`; its `retryAfter` holds for all calls to the endpoint,
   *   unless its `scope` is `call`. A `RateLimited` without `retryAfter` holds for them as long as this call backs off.
   */
  readonly request: <A, E extends Failure, R>(
    request: Request<E>,
    decode: (reply: Http.Reply) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | NetworkError, R>
}

const bytesOf = (maxBytes: number): Result.Result<number, InvalidOption> =>
  Number.isSafeInteger(maxBytes) && maxBytes > 0
    ? Result.succeed(maxBytes)
    : Result.fail(new InvalidOption({ option: "maxBytes", issue: `takes a whole number above 0; ${maxBytes} came.` }))

const orDie = <A>(result: Result.Result<A, InvalidOption>): Effect.Effect<A> => Effect.orDie(Effect.fromResult(result))

/**
 * Accepts an answer with a 2xx status and tells the others apart by status alone. For clients that know no better.
 *
 * **Errors**
 * - `RateLimited`: 429.
 * - `Unauthorized`: 401.
 * - `InvalidResponse`: any other status; tried again when it is a 5xx, 408 or 425.
 */
export const accept = (reply: Http.Reply): Effect.Effect<Http.Reply, RateLimited | Unauthorized | InvalidResponse> => {
  const { status } = reply
  if (status >= 200 && status < 300) return Effect.succeed(reply)
  if (status === 429) return Effect.fail(new RateLimited(reply))
  if (status === 401) return Effect.fail(new Unauthorized(reply))
  const text = shorten(reply.scrub(reply.text.slice(0, 4096)))
  return Effect.fail(
    new InvalidResponse({
      ...reply,
      reason: "status",
      path: "status",
      received: text === "" ? String(status) : `${status} with the text: ${text}`,
      expected: "a status from 200 to 299",
      isRetryable: status >= 500 || status === 408 || status === 425,
    }),
  )
}

const scopeOf = (error: Failure): string =>
  "scope" in error && typeof error.scope === "string" ? error.scope : "endpoint"

const optionKinds = {
  policy: "any",
  maxBytes: "count",
  fetch: "function",
  onEvent: "function",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

const build = (options: Options): Result.Result<RequestExecutor, InvalidOption> =>
  Result.gen(function* () {
    yield* OptionCheck.members(options, optionKinds)
    const policy = yield* RetryPolicy.parse(options.policy, "policy")
    const maxBytes = yield* bytesOf(options.maxBytes ?? 64 * 1024 * 1024)
    const fetch = options.fetch ?? Http.platformFetch
    const pause = Backoff.make({ spread: Duration.times(policy.base, policy.jitter) })
    const { onEvent } = options
    let calls = 0

    const request: RequestExecutor["request"] = Effect.fnUntraced(function* (call, decode) {
      const tell = onEvent === undefined ? undefined : teller(onEvent, ++calls, call)
      const ownPolicy =
        call.timeout === undefined ? policy : yield* orDie(RetryPolicy.withDeadline(policy, call.timeout))
      const ownMaxBytes = call.maxBytes === undefined ? maxBytes : yield* orDie(bytesOf(call.maxBytes))
      const { deadline, attemptTimeout } = ownPolicy
      const { endpoint } = call
      let attempts: ReadonlyArray<Attempt> = []

      const attempt = (state: Retry.State) =>
        Effect.gen(function* () {
          yield* pause.wait(endpoint, yield* Retry.remaining(state), attempts)
          const left = yield* Retry.remaining(state)
          const isCut = Duration.isLessThan(attemptTimeout, left)
          const limits: Http.Limits = {
            fetch,
            maxBytes: ownMaxBytes,
            within: isCut ? attemptTimeout : left,
            deadline: isCut ? attemptTimeout : deadline,
            attempts,
          }
          if (tell !== undefined) yield* tell.request(state.attempt)
          const reply = yield* Http.send(call, limits).pipe(
            Effect.tapError((error) => {
              attempts = error.attempts
              return tell === undefined ? Effect.void : tell.fault(state.attempt, error)
            }),
          )
          attempts = reply.attempts
          if (tell !== undefined) yield* tell.response(state.attempt, reply)
          return yield* decode(reply).pipe(
            Effect.tapError((error) =>
              error.retryAfter === undefined || scopeOf(error) === "call"
                ? Effect.void
                : pause.ask(endpoint, error.retryAfter),
            ),
          )
        })

      const { isRetryable = (error) => error.isRetryable } = call
      return yield* Retry.run({
        initial: (nowMillis) => Retry.initial(ownPolicy, nowMillis),
        attempt,
        next: (state, { error, ...failure }) =>
          Retry.next(ownPolicy, state, { ...failure, isRetryable: isRetryable(error), retryAfter: error.retryAfter }),
        onRetry: (error, state, { waitMillis }) => {
          const wait = Duration.millis(waitMillis)
          return Effect.andThen(
            error._tag === "RateLimited" && error.retryAfter === undefined && scopeOf(error) !== "call"
              ? pause.ask(endpoint, wait)
              : Effect.void,
            tell === undefined ? Effect.void : tell.retry(state.attempt, error, wait),
          ).pipe(
            Effect.andThen(
              Effect.logDebug(
                `${endpoint.host}: attempt ${state.attempt} of ${ownPolicy.maxAttempts} ended with ${error._tag}; the next one in ${Duration.format(wait)}`,
              ),
            ),
          )
        },
      })
    })

    return { pause, policy, request }
  })

/**
 * Makes the exchange of one client.
 *
 * **Errors**
 * - `InvalidOption`: a limit makes no sense.
 */
export const make = (options: Options = {}): Effect.Effect<RequestExecutor, InvalidOption> =>
  Effect.suspend(() => Effect.fromResult(build(options)))

/**
 * Makes the exchange of one client, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 */
export const makeUnsafe = (options: Options = {}): RequestExecutor => Result.getOrThrow(build(options))
