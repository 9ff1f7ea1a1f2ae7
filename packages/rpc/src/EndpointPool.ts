/**
 * Calls several endpoints of one chain in turn, in the order of `callOrder`, and tracks the health of each. Health is derived from the
 * calls themselves: endpoints are never probed. An endpoint can be anything: a client, a connection, a URL. The service uses a pool for its
 * nodes; `RpcClient` uses the same state (`internal/PoolState`) directly.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as MonotonicClock from "@daybook/transport/internal/MonotonicClock"
import type { Time } from "@daybook/transport/RetryPolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as EndpointStates from "./internal/EndpointStates.ts"
import { callOrder, type Query, type Verdict } from "./internal/PoolState.ts"

export { canFailOver, verdictOf } from "./internal/EndpointStates.ts"

export {
  type EndpointState,
  type Event,
  initial,
  isHealthy,
  type Limits,
  callOrder,
  type Query,
  type State,
  step,
  type Strategy,
  type Verdict,
} from "./internal/PoolState.ts"

/**
 * No endpoint returned a final outcome: each one failed, or was skipped because it is paused.
 *
 * **Example** (Reading the failures)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 * import { Effect } from "effect"
 *
 * const pool = EndpointPool.make({ endpoints: ["first", "second"] })
 * const ask = pool.ask({ question: (node) => Effect.fail(node), verdict: () => ({ _tag: "Declined", pauseMillis: undefined }) })
 * const error = await Effect.runPromise(Effect.flip(ask))
 * if (error instanceof EndpointPool.AllEndpointsFailed) console.log(error.failures.map(({ index }) => index))
 * // [ 0, 1 ]
 * ```
 */
export class AllEndpointsFailed<E> extends Data.TaggedError("AllEndpointsFailed")<{
  /** Error of each endpoint that was called, in call order. */
  readonly failures: ReadonlyArray<{ readonly index: number; readonly error: E }>
  /** Milliseconds until the first pause of an endpoint ends, if all of them are paused; otherwise undefined. */
  readonly retryAfterMillis: number | undefined
}> {}

/**
 * A question that endpoints are asked one after the other.
 */
export interface Ask<T, A, E> extends Omit<Query, "now" | "waitMillis"> {
  readonly question: (endpoint: T, index: number) => Effect.Effect<A, E>
  /** Verdict on an outcome. Errors of the verification hook are judged too. */
  readonly verdict: (outcome: Result.Result<A, E>) => Verdict
  /** True: endpoints that requested a pause are not called at all. Default false: they are called last. */
  readonly skipPaused?: boolean | undefined
  /**
   * True: an endpoint that has not failed is called while it is being verified, and its outcome is used once verification succeeds. Only
   * for questions without side effects. Default false: the endpoint is verified first.
   */
  readonly besideVerification?: boolean | undefined
}

/**
 * A pool of endpoints.
 */
export interface EndpointPool<T, E = never> extends EndpointStates.EndpointStates<T> {
  /**
   * Calls one endpoint after the other until an outcome is final.
   *
   * **Errors**
   * - The endpoint's own error, when its verdict is `Final`.
   * - `AllEndpointsFailed`: each endpoint failed or was skipped.
   */
  readonly ask: <A, E2>(options: Ask<T, A, E | E2>) => Effect.Effect<A, E | E2 | AllEndpointsFailed<E | E2>>
  /** Runs the verification hook of an endpoint unless it has accepted the endpoint before. Concurrent callers share one run. */
  readonly verify: (index: number) => Effect.Effect<void, E>
  /** The same pool restricted to some endpoints: state is shared, and indexes stay those of the whole pool. */
  readonly restrict: (among: ReadonlyArray<number>) => EndpointPool<T, E>
}

/**
 * Options of a pool.
 */
export interface Options<T, E> {
  /** The endpoints, in order of preference. */
  readonly endpoints: ReadonlyArray<T>
  /** Cooldown after the first failure; doubles with each further one. Default 1 second. */
  readonly cooldown?: Time | undefined
  /** Longest cooldown. Default 30 seconds. */
  readonly maxCooldown?: Time | undefined
  /** Longest pause granted to a server that requests one. Default 1 day. */
  readonly maxPause?: Time | undefined
  /**
   * Runs before the first call to an endpoint, and fails if the endpoint must not be used, for example because its chain id differs.
   * Success is remembered until the connection breaks or the event `VerificationReset`.
   */
  readonly verify?: ((endpoint: T, index: number) => Effect.Effect<unknown, E>) | undefined
}

/** Calls an endpoint once it is verified, or during verification. */
const askVerified = <T, A, E, E2>(
  pool: EndpointPool<T, E>,
  { besideVerification = false, question }: Ask<T, A, E | E2>,
  index: number,
): Effect.Effect<A, E | E2> => {
  const verified = pool.verify(index)
  // Sound: the call order only holds indexes of endpoints.
  const asked = question(pool.endpoints[index] as T, index)
  const { failures = 0, isVerified = false } = pool.state().endpoints[index] ?? {}
  return besideVerification && !isVerified && failures === 0
    ? Effect.flatMap(Effect.all([verified, Effect.result(asked)], { concurrency: 2 }), ([, outcome]) =>
        Effect.fromResult(outcome),
      )
    : Effect.andThen(verified, asked)
}

const askInTurn = Effect.fnUntraced(function* <T, A, E>(
  pool: EndpointPool<T, E>,
  options: Ask<T, A, E>,
): Effect.fn.Return<A, E | AllEndpointsFailed<E>> {
  const { strategy, skipPaused = false } = options
  const now = yield* MonotonicClock.millis
  const failures: Array<{ readonly index: number; readonly error: E }> = []
  let empty: Result.Result<A, E> | undefined
  for (const [turn, index] of callOrder(pool.state(), { ...options, now }).entries()) {
    if (skipPaused && (pool.state().endpoints[index]?.pausedUntil ?? 0) > now) continue
    const outcome = yield* Effect.result(askVerified(pool, options, index))
    const verdict = options.verdict(outcome)
    pool.note({ _tag: "Judged", index, verdict, now: yield* MonotonicClock.millis })
    if (verdict._tag === "Final") {
      if (strategy === "sticky" && turn > 0) pool.note({ _tag: "Preferred", index })
      return yield* Effect.fromResult(outcome)
    }
    if (verdict._tag === "Empty" || Result.isSuccess(outcome)) empty ??= outcome
    else failures.push({ index, error: outcome.failure })
  }
  if (empty !== undefined) return yield* Effect.fromResult(empty)
  const end = yield* MonotonicClock.millis
  const waits = (options.among ?? Array.from(pool.endpoints.keys())).map(
    (index) => (pool.state().endpoints[index]?.pausedUntil ?? 0) - end,
  )
  const retryAfterMillis = waits.every((millis) => millis > 0) ? Math.min(...waits) : undefined
  return yield* new AllEndpointsFailed({ failures, retryAfterMillis })
})

/**
 * Makes a pool without sending a request.
 *
 * **Example** (Failing over to the next node)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 * import { Effect } from "effect"
 *
 * const nodes = [
 *   { chainId: Effect.succeed(1), head: Effect.fail("down") },
 *   { chainId: Effect.succeed(1), head: Effect.succeed(100) },
 * ]
 * const pool = EndpointPool.make({
 *   endpoints: nodes,
 *   verify: (node) => Effect.filterOrFail(node.chainId, (id) => id === 1, () => "wrong chain"),
 * })
 * const head = pool.ask({
 *   strategy: "sticky",
 *   question: (node) => node.head,
 *   verdict: (outcome) => ({ _tag: outcome._tag === "Success" ? "Final" : "Unavailable" }),
 * })
 * console.log(await Effect.runPromise(head), pool.state().preferred) // 100 1
 * ```
 */
export const make = <T, E = never>(options: Options<T, E>): EndpointPool<T, E> => {
  const { endpoints, cooldown = "1 second", maxCooldown = "30 seconds", maxPause = "1 day", verify: hook } = options
  const shared = EndpointStates.make(endpoints, {
    cooldownMillis: Duration.toMillis(cooldown),
    maxCooldownMillis: Duration.toMillis(maxCooldown),
    maxPauseMillis: Duration.toMillis(maxPause),
  })
  const { note, state } = shared
  const verifications = new Map<number, Deferred.Deferred<void, E>>()
  /** Runs in a fiber of its own, because others may wait for it after its first caller is interrupted. */
  const runHook = (run: NonNullable<typeof hook>, index: number): Effect.Effect<void, E> => {
    const verification = Deferred.makeUnsafe<void, E>()
    verifications.set(index, verification)
    const running = Effect.suspend(() =>
      // Sound: callers pass indexes of endpoints.
      Effect.map(run(endpoints[index] as T, index), () => note({ _tag: "Verified", index })),
    ).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          verifications.delete(index)
          Deferred.doneUnsafe(verification, exit)
        }),
      ),
    )
    return Effect.andThen(Effect.forkDetach(Effect.exit(running)), Deferred.await(verification))
  }
  const verify = (index: number): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      if (hook === undefined || state().endpoints[index]?.isVerified === true) return Effect.void
      const verification = verifications.get(index)
      return verification === undefined ? runHook(hook, index) : Deferred.await(verification)
    })
  const over = (all: ReadonlyArray<number> | undefined): EndpointPool<T, E> => {
    const pool: EndpointPool<T, E> = {
      ...shared,
      verify,
      ask: (asked) =>
        Effect.suspend(() => {
          const among = asked.among ?? all
          const key = asked.key ?? state().turns
          if (asked.strategy === "spread" && asked.key === undefined) note({ _tag: "TurnTaken" })
          return askInTurn(pool as EndpointPool<T, never>, { ...asked, key, among })
        }),
      restrict: over,
    }
    return pool
  }
  return over(undefined)
}
