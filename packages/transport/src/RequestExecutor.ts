/**
 * Sends the calls of one client: request, decoding of the response, and retries as the policy and the server require.
 * Make one per client; it holds the waits that servers requested. It knows no API: `decode` interprets the responses.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Attempt } from "./Attempt.ts"
import {
  type Failure,
  type InvalidOption,
  InvalidResponse,
  RateLimited,
  type TimeoutError,
  type TransportError,
  Unauthorized,
} from "./ClientError.ts"
import type { Event } from "./Event.ts"
import type { Fetch } from "./Fetch.ts"
import * as Http from "./Http.ts"
import * as RequestedWaits from "./internal/RequestedWaits.ts"
import * as EventReporter from "./internal/EventReporter.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"
import { searchable, shorten } from "./internal/Redaction.ts"
import * as Retry from "./internal/Retry.ts"
import * as TokenBucket from "./internal/TokenBucket.ts"
import type * as RetryPolicy from "./RetryPolicy.ts"

/**
 * Options of a request executor.
 */
export interface Options {
  readonly policy?: RetryPolicy.Options | undefined
  /** Maximum number of bytes of one decompressed response. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Default: the modules `http` and `https` on Node, the global `fetch` elsewhere, looked up at each request. */
  readonly fetch?: Fetch | undefined
  /** Called for each event of each call, synchronously. Exceptions thrown by it are ignored. */
  readonly onEvent?: ((event: Event) => void) | undefined
  /** Rate limit of the requests of this client. Default: none. */
  readonly rateLimit?: RateLimit | undefined
}

/**
 * A rate limit that a client applies to its own requests.
 */
export interface RateLimit {
  /** Requests per second. A function is read before each request, for a limit that several clients share. */
  readonly perSecond: number | (() => number)
  /** Requests that may be made at once after an idle time. Default `perSecond`, and at least 1. */
  readonly burst?: number | undefined
}

/**
 * One call.
 */
export interface Request<E = never> extends Http.Request {
  /** Time for all attempts, waits and bodies of this call. Replaces the deadline of the policy. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Replaces the limit of the client. */
  readonly maxBytes?: number | undefined
  /** Which errors are retried. Default: those whose `isRetryable` is true. */
  readonly isRetryable?: ((error: E | NetworkError) => boolean) | undefined
}

/**
 * Errors of a call that `decode` does not produce.
 */
export type NetworkError = TransportError | TimeoutError | InvalidResponse | RateLimited

/**
 * Sends the calls of one client.
 */
export interface RequestExecutor {
  /**
   * Sends a request until `decode` accepts the response or no further attempt is allowed.
   *
   * **Errors**
   *
   * - `TransportError`, `TimeoutError`: retried while attempts and time remain.
   * - `InvalidResponse`: a redirect, too many bytes, not text. Not retried.
   * - `RateLimited`: an earlier response requested a wait beyond the deadline. Not retried.
   * - An invalid `timeout` or `maxBytes` is a defect: it dies with `InvalidOption`.
   * - Errors of `decode`: retried when `isRetryable`. Their `retryAfter` applies to all calls to the endpoint, unless their `scope` is
   *   `call`. After a `RateLimited` without `retryAfter`, those calls wait as long as this call backs off.
   */
  readonly request: <A, E extends Failure, R>(
    request: Request<E>,
    decode: (reply: Http.Reply) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | NetworkError, R>
}

/**
 * Accepts a response with a 2xx status and classifies any other by its status alone. Suits clients without an error mapping of their own.
 *
 * **Errors**
 *
 * - `RateLimited`: 429.
 * - `Unauthorized`: 401.
 * - `InvalidResponse`: any other status; retried for a 5xx, 408 or 425.
 *
 * **Example** (Failing by status)
 *
 * ```ts
 * import * as Endpoint from "@daybook/transport/Endpoint"
 * import * as RequestExecutor from "@daybook/transport/RequestExecutor"
 * import * as Effect from "effect/Effect"
 *
 * const fetch = async () => new Response("slow down", { status: 429, headers: { "retry-after": "0" } })
 * const endpoint = Endpoint.makeUnsafe({ url: "https://s.example" })
 * const executor = RequestExecutor.makeUnsafe({ fetch, policy: { maxAttempts: 1 } })
 * const error = await Effect.runPromise(Effect.flip(executor.request({ endpoint }, RequestExecutor.accept)))
 * console.log(error._tag) // RateLimited
 * ```
 */
export const accept = (reply: Http.Reply): Effect.Effect<Http.Reply, RateLimited | Unauthorized | InvalidResponse> => {
  const { status } = reply
  if (status >= 200 && status < 300) return Effect.succeed(reply)
  if (status === 429) return Effect.fail(new RateLimited(reply))
  if (status === 401) return Effect.fail(new Unauthorized(reply))
  const text = shorten(reply.scrub(searchable(reply.text)))
  return Effect.fail(
    new InvalidResponse({
      ...reply,
      reason: "status",
      path: "status",
      expected: "a status from 200 to 299",
      received: text === "" ? String(status) : `${status} with the text: ${text}`,
      isRetryable: status >= 500 || status === 408 || status === 425,
    }),
  )
}

const optionKinds = {
  policy: "any",
  maxBytes: "count",
  fetch: "function",
  onEvent: "function",
  rateLimit: "any",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

/** Options after the checks. */
interface Settings {
  readonly policy: RetryPolicy.RetryPolicy
  readonly maxBytes: number
  readonly fetch: Fetch
  readonly onEvent: Options["onEvent"]
  readonly waits: RequestedWaits.RequestedWaits
  readonly bucket: TokenBucket.TokenBucket | undefined
}

const settingsOf = (options: Options): Result.Result<Settings, InvalidOption> =>
  Result.gen(function* () {
    yield* OptionCheck.members(options, optionKinds)
    const policy = yield* Retry.policyFromOptions(options.policy, "policy")
    const { fetch = Http.platformFetch, maxBytes = 64 * 1024 * 1024, onEvent, rateLimit } = options
    if (rateLimit !== undefined) yield* TokenBucket.check(rateLimit)
    const bucket = rateLimit && TokenBucket.make(rateLimit)
    const waits = RequestedWaits.make(Duration.times(policy.base, policy.jitter))
    return { policy, maxBytes, fetch, onEvent, waits, bucket }
  })

/** Settings with the limits of one call applied. */
const settingsOfCall = <E>(settings: Settings, call: Request<E>): Result.Result<Settings, InvalidOption> =>
  Result.gen(function* () {
    const { timeout, maxBytes = settings.maxBytes } = call
    yield* OptionCheck.member("maxBytes", "count", maxBytes)
    const policy = timeout === undefined ? settings.policy : yield* Retry.withDeadline(settings.policy, timeout)
    return { ...settings, maxBytes, policy }
  })

const hasCallScope = (error: Failure): boolean => "scope" in error && error.scope === "call"

/** One attempt of a call: waits as the endpoint requested, sends, and decodes the response. */
const attemptOf = <A, E extends Failure, R>(
  call: Request<E>,
  { waits, bucket, fetch, maxBytes, policy }: Settings,
  report: EventReporter.EventReporter | undefined,
  decode: (reply: Http.Reply) => Effect.Effect<A, E, R>,
) => {
  const { endpoint } = call
  const { attemptTimeout, deadline } = policy
  let attempts: ReadonlyArray<Attempt> = []
  return Effect.fnUntraced(function* (state: Retry.State): Effect.fn.Return<A, E | NetworkError, R> {
    const waitUntilAllowed = Effect.flatMap(Retry.remaining(state), (left) => waits.wait(endpoint, left, attempts))
    yield* waitUntilAllowed
    const retryAfter = bucket && (yield* bucket.take("", Duration.toMillis(yield* Retry.remaining(state))))
    if (retryAfter !== undefined) {
      const detail = "this client's own rate limit"
      return yield* new RateLimited({ host: endpoint.host, attempts, retryAfter, scope: "call", detail })
    }
    // The server may have requested a wait while this call waited for the client's own rate limit.
    if (bucket !== undefined) yield* waitUntilAllowed
    const left = yield* Retry.remaining(state)
    const time = Duration.isLessThan(attemptTimeout, left)
      ? { within: attemptTimeout, deadline: attemptTimeout }
      : { within: left, deadline }
    report?.request(state.attempt)
    const reply = yield* Http.send(call, { fetch, maxBytes, attempts, ...time }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          attempts = error.attempts
          report?.fault(state.attempt, error)
        }),
      ),
    )
    attempts = reply.attempts
    report?.response(state.attempt, reply)
    return yield* decode(reply).pipe(
      Effect.tapError((error) => {
        const wait = Retry.requestedWait(error, policy)
        return wait === undefined || hasCallScope(error) ? Effect.void : waits.ask(endpoint, wait)
      }),
    )
  })
}

const execute = <A, E extends Failure, R>(
  call: Request<E>,
  settings: Settings,
  report: EventReporter.EventReporter | undefined,
  decode: (reply: Http.Reply) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | NetworkError, R> => {
  const { endpoint, isRetryable = (error) => error.isRetryable } = call
  const { waits, policy } = settings

  const onRetry = Effect.fnUntraced(function* (
    error: E | NetworkError,
    state: Retry.State,
    { waitMillis }: Retry.Retry<Retry.State>,
  ) {
    const wait = Duration.millis(waitMillis)
    const isShared = error._tag === "RateLimited" && error.retryAfter === undefined && !hasCallScope(error)
    if (isShared) yield* waits.ask(endpoint, wait)
    report?.retry(state.attempt, error, wait)
    yield* Effect.logDebug(
      `${endpoint.host}: attempt ${state.attempt} of ${policy.maxAttempts} failed with ${error._tag}; retry in ${Duration.format(wait)}`,
    )
  })

  return Retry.run({
    initial: (nowMillis) => Retry.initial(policy, nowMillis),
    attempt: attemptOf(call, settings, report, decode),
    next: (state, { error, ...failure }) =>
      Retry.next(policy, state, { ...failure, isRetryable: isRetryable(error), retryAfter: error.retryAfter }),
    onRetry,
  })
}

const build = (options: Options): Result.Result<RequestExecutor, InvalidOption> =>
  Result.map(settingsOf(options), (settings) => {
    const { onEvent } = settings
    let calls = 0
    return {
      request: (call, decode) =>
        Effect.suspend(() => {
          const report = onEvent && EventReporter.make(onEvent, ++calls, call)
          return Effect.flatMap(Effect.orDie(Effect.fromResult(settingsOfCall(settings, call))), (own) =>
            execute(call, own, report, decode),
          )
        }),
    }
  })

/**
 * Makes the request executor of one client.
 *
 * **Errors**
 *
 * - `InvalidOption`: a limit is invalid.
 */
export const make = (options: Options = {}): Effect.Effect<RequestExecutor, InvalidOption> =>
  Effect.suspend(() => Effect.fromResult(build(options)))

/**
 * Makes the request executor of one client, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 */
export const makeUnsafe = (options: Options = {}): RequestExecutor => Result.getOrThrow(build(options))
