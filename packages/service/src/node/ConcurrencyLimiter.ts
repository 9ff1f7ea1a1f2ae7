/**
 * The way to one node: how many calls are open at once is learnt from the node's answers. It doubles while the node is quick,
 * halves when the node is slow, full or short of quota, and then grows by one at a time. Which calls share a request is the
 * client's business; it learns by itself how many a request may hold.
 */
import type { Call, Methods } from "@daybook/rpc/Method"
import type * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError } from "@daybook/rpc/RpcError"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"

/**
 * What came of several calls in one request.
 */
export interface Together {
  /** In the order of the calls. */
  readonly results: ReadonlyArray<Result.Result<unknown, CallError>>
  /** Time that the node took, in milliseconds. */
  readonly millis: number
  /** The node has enough of us. */
  readonly isOverloaded: boolean
}

/**
 * A node, and how fast it is asked.
 */
export interface ConcurrencyLimiter {
  readonly calls: Methods
  /** Several calls in one request, which counts as one open call. */
  readonly maxBatchSize: (calls: ReadonlyArray<Call>) => Effect.Effect<Together>
  /** Calls that may be open at once, as learnt so far. */
  readonly open: () => number
}

const openFirst = 8
const openAtMost = 128
/** A call that takes longer waits for others. */
const comfortableMillis = 1_500

/** The node has enough of us, or is gone; asking as much again makes it worse. */
const isOverloaded = (error: CallError): boolean =>
  error._tag === "RateLimited" ||
  error._tag === "TimeoutError" ||
  error._tag === "TransportError" ||
  (error._tag === "InvalidResponse" && (error.status ?? 0) >= 500) ||
  (error._tag === "RpcError" && (error.kind === "rateLimited" || error.kind === "tooLarge"))

/**
 * Makes the way to a node.
 */
export const make = Effect.fnUntraced(function* (client: RpcClient.Client): Effect.fn.Return<ConcurrencyLimiter> {
  let open = openFirst
  let isDoubling = true
  let successes = 0
  let slowedAt = -1
  const permits = yield* Semaphore.make(open)

  const setOpen = (next: number) => {
    open = Math.max(1, Math.min(openAtMost, next))
    successes = 0
    return permits.resize(open)
  }

  /** Calls that began before the last slowing down tell nothing of what came of it. */
  const detect = (isGood: boolean, startedAt: number, now: number) => {
    if (startedAt <= slowedAt) return Effect.void
    if (!isGood) {
      slowedAt = now
      isDoubling = false
      return setOpen(Math.floor(open / 2))
    }
    if (++successes < open || open >= openAtMost) return Effect.void
    return setOpen(isDoubling ? open * 2 : open + 1)
  }

  const paced = <A>(call: Effect.Effect<A, CallError>): Effect.Effect<A, CallError> =>
    permits.withPermits(1)(
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const outcome = yield* Effect.result(call)
        const now = yield* Clock.currentTimeMillis
        const isGood = Result.isSuccess(outcome) ? now - startedAt < comfortableMillis : !isOverloaded(outcome.failure)
        yield* detect(isGood, startedAt, now)
        return yield* Effect.fromResult(outcome)
      }),
    )

  const maxBatchSize = (calls: ReadonlyArray<Call>): Effect.Effect<Together> =>
    permits.withPermits(1)(
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const results = yield* client.batch(calls)
        const now = yield* Clock.currentTimeMillis
        const isTooMuch = results.some((result) => Result.isFailure(result) && isOverloaded(result.failure))
        yield* detect(!isTooMuch, startedAt, now)
        return { results, millis: now - startedAt, isOverloaded: isTooMuch }
      }),
    )

  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (!RpcMethod.isName(name)) continue
    // Sound: each method is called with what it is given, and gives what it gives.
    const call = client[name] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, CallError>
    methods[name] = (...params: ReadonlyArray<unknown>) => paced(call(...params))
  }
  return { calls: methods as unknown as Methods, maxBatchSize, open: () => open }
})
