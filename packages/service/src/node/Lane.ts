/**
 * The way to one node: calls that are made at the same time share a request, and how many calls a request holds and how many
 * requests are open at once are learnt from the node's answers. A node that is quick gets more, one that is slow, full or short of
 * quota gets less. A call that fails in a batch is asked alone before it fails.
 */
import type { Call, Methods } from "@daybook/rpc/Method"
import type * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError } from "@daybook/rpc/RpcError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"

/**
 * What has been learnt of a node.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pace {
  /** Requests that may be open at once. */
  readonly requests: number
  /** Calls that a request may hold. */
  readonly calls: number
}

/**
 * A node, and how fast it is asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lane {
  readonly calls: Methods
  readonly pace: () => Pace
}

const requestsAtMost = 16
const callsAtMost = 50
const first: Pace = { requests: 4, calls: 4 }
/** A request that takes longer is too large; one that takes less than half of it may grow. */
const comfortableMillis = 1_000

class Ask extends Request.Class<{ readonly call: Call }, unknown, CallError> {}

type Asked = Request.Entry<Ask>

/** Shares requests: cheap for the node, and asked for in great numbers. The others are asked alone. */
const batched = ["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"] as const

const isTooLarge = (error: CallError): boolean =>
  (error._tag === "RpcError" && error.kind === "tooLarge") ||
  (error._tag === "InvalidResponse" && (error.status === 413 || error.reason === "too-large"))

/** The node has enough of us, or is gone; asking again at once makes it worse. */
const isOverloaded = (error: CallError): boolean =>
  error._tag === "RateLimited" ||
  error._tag === "TimeoutError" ||
  error._tag === "TransportError" ||
  (error._tag === "RpcError" && error.kind === "rateLimited")

const chunksOf = <A>(list: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size))

/**
 * Makes the way to a node.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (client: RpcClient.Client): Effect.fn.Return<Lane> {
  let { requests, calls } = first
  let ceiling = callsAtMost
  let successes = 0
  const permits = yield* Semaphore.make(requests)

  const setRequests = (next: number) => {
    requests = next
    return permits.resize(next)
  }
  const speedUp = Effect.suspend(() => {
    if (++successes < requests || requests >= requestsAtMost) return Effect.void
    successes = 0
    return setRequests(requests + 1)
  })
  const slowDown = Effect.suspend(() => {
    successes = 0
    calls = Math.max(1, Math.floor(calls / 2))
    return setRequests(Math.max(1, Math.floor(requests / 2)))
  })
  const learn = (outcome: Result.Result<unknown, CallError>) => {
    if (Result.isSuccess(outcome)) return speedUp
    return isOverloaded(outcome.failure) ? slowDown : Effect.void
  }

  // Sound: a call carries the name and the parameters that its method was called with.
  const single = (call: Call) =>
    (client[call.method] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, CallError>)(
      ...((call.params ?? []) as ReadonlyArray<unknown>),
    )

  const alone = (entry: Asked): Effect.Effect<void> =>
    Effect.gen(function* () {
      const outcome = yield* Effect.result(single(entry.request.call))
      yield* learn(outcome)
      entry.completeUnsafe(Result.isSuccess(outcome) ? Exit.succeed(outcome.success) : Exit.fail(outcome.failure))
    })

  const together = (entries: ReadonlyArray<Asked>): Effect.Effect<void> =>
    Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const outcomes: ReadonlyArray<Result.Result<unknown, CallError>> = yield* client.batch(
        entries.map(({ request }) => request.call),
      )
      const millis = (yield* Clock.currentTimeMillis) - startedAt
      const again: Array<Asked> = []
      let isRefused = true
      let overload: Result.Result<unknown, CallError> | undefined
      for (const [index, outcome] of outcomes.entries()) {
        const entry = entries[index]!
        if (Result.isSuccess(outcome)) {
          isRefused = false
          entry.completeUnsafe(Exit.succeed(outcome.success))
        } else if (isOverloaded(outcome.failure)) {
          isRefused = false
          overload = outcome
          entry.completeUnsafe(Exit.fail(outcome.failure))
        } else {
          if (isTooLarge(outcome.failure)) ceiling = Math.max(1, Math.floor(entries.length / 2))
          again.push(entry)
        }
      }
      if (isRefused) ceiling = Math.max(1, Math.floor(entries.length / 2))
      if (millis > comfortableMillis) calls = Math.max(1, Math.floor(calls / 2))
      else if (millis < comfortableMillis / 2 && entries.length >= calls) calls++
      calls = Math.min(calls, ceiling)
      if (overload === undefined) yield* speedUp
      else yield* learn(overload)
      yield* Effect.forEach(again, alone, { discard: true })
    })

  const send = (entries: ReadonlyArray<Asked>) =>
    permits.withPermits(1)(entries.length === 1 ? alone(entries[0]!) : together(entries))

  const resolver = RequestResolver.make<Ask>((entries) =>
    Effect.forEach(chunksOf(entries, calls), send, { concurrency: "unbounded", discard: true }),
  )

  const shared = Object.fromEntries(
    batched.map((method) => [
      method,
      (...params: ReadonlyArray<unknown>) => Effect.request(new Ask({ call: { method, params } as Call }), resolver),
    ]),
  )
  // Sound: each shared call is decoded by the client as its own method decodes it.
  return { calls: { ...client, ...shared } as Methods, pace: () => ({ requests, calls }) }
})
