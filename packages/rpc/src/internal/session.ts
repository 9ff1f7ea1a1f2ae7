/**
 * Sends calls and reads their answers, with the transport's deadline and retries. It knows JSON-RPC, but no method.
 * `single` is one call in one request; `batch` is several, of which only those that failed for now are sent again.
 */
import type { InvalidResponse, RateLimited, TimeoutError, TransportError } from "@daybook/transport/ClientError"
import type { Endpoint } from "@daybook/transport/Endpoint"
import type * as Exchange from "@daybook/transport/Exchange"
import type { Reply } from "@daybook/transport/Http"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallError } from "../RpcError.ts"
import { readBare } from "./bare.ts"
import { failureOf, failureOfText } from "./failure.ts"
import { readBatch, readSingle, requestText, type Said, type Sent } from "./wire.ts"

/** Limits of one call in place of the client's. */
export interface Limits {
  readonly timeout?: Duration.Input | undefined
  readonly maxBytes?: number | undefined
}

/** A result as JSON, and the HTTP answer it came in. */
export interface Answer {
  readonly value: unknown
  readonly reply: Reply
  /** True when the body is the result itself. */
  readonly isBare: boolean
}

/** A way to one endpoint. */
export interface Session {
  readonly endpoint: Endpoint
  /** The next id; no two calls of a client share one. */
  readonly nextId: () => number
  readonly single: (call: Sent, limits: Limits) => Effect.Effect<Answer, CallError>
  readonly batch: (
    calls: ReadonlyArray<Sent>,
    limits: Limits,
  ) => Effect.Effect<ReadonlyArray<Result.Result<Answer, CallError>>>
}

type NetworkError = TransportError | TimeoutError | InvalidResponse | RateLimited

const headers = { "content-type": "application/json", accept: "application/json" }

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const answerOf = (said: Said, reply: Reply, method: string, isBare: boolean): Result.Result<Answer, CallError> =>
  said._tag === "Value"
    ? Result.succeed({ value: said.value, reply, isBare })
    : Result.fail(failureOf(said, reply, method))

const readOne = (reply: Reply, call: Sent): Result.Result<Answer, CallError> => {
  const parsed = parse(reply.text)
  if (parsed === undefined) return Result.fail(failureOfText(reply))
  const bare = readBare(parsed.value, call)
  return answerOf(bare ?? readSingle(parsed.value, call.id), reply, call.method, bare !== undefined)
}

const readAll = (reply: Reply, calls: ReadonlyArray<Sent>): ReadonlyArray<Result.Result<Answer, CallError>> => {
  const parsed = parse(reply.text)
  if (parsed === undefined) {
    const failure = Result.fail(failureOfText(reply))
    return calls.map(() => failure)
  }
  const said = readBatch(parsed.value, calls)
  return calls.map((call, at) => answerOf(said[at]!, reply, call.method, false))
}

const millisAsked = (error: CallError): number =>
  error.retryAfter === undefined ? -1 : Number(error.retryAfter.value) || 0

/** Makes the way to an endpoint; `exchange` holds its pauses. */
export const make = (exchange: Exchange.Exchange, endpoint: Endpoint): Session => {
  let lastId = 0

  const single: Session["single"] = (call, limits) =>
    exchange.request<Answer, CallError, never>({ endpoint, headers, body: requestText(call), ...limits }, (reply) =>
      Effect.fromResult(readOne(reply, call)),
    )

  const batch: Session["batch"] = (calls, limits) =>
    Effect.suspend(() => {
      const outcomes = new Map<number, Result.Result<Answer, CallError>>()
      let pending = calls
      let told: CallError | undefined
      const request = {
        endpoint,
        headers,
        ...limits,
        // Read at each attempt: what has its answer is not asked again.
        get body() {
          return `[${pending.map(requestText).join(",")}]`
        },
      }
      const settle = (reply: Reply): Effect.Effect<void, CallError> => {
        const again: Array<Sent> = []
        told = undefined
        for (const [at, outcome] of readAll(reply, pending).entries()) {
          const call = pending[at]!
          outcomes.set(call.id, outcome)
          if (Result.isSuccess(outcome) || !outcome.failure.isRetryable) continue
          again.push(call)
          if (told === undefined || millisAsked(outcome.failure) > millisAsked(told)) told = outcome.failure
        }
        pending = again
        return told === undefined ? Effect.void : Effect.fail(told)
      }
      const giveUp = (error: CallError | NetworkError): void => {
        if (error === told) return
        for (const call of pending) outcomes.set(call.id, Result.fail(error))
      }
      return exchange.request<void, CallError, never>(request, settle).pipe(
        Effect.catch((error) => Effect.sync(() => giveUp(error))),
        Effect.map(() => calls.map((call) => outcomes.get(call.id)!)),
      )
    })

  return { endpoint, nextId: () => ++lastId, single, batch }
}
