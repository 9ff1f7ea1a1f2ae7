/**
 * The relay's connection to the nodes of one chain. Tries the nodes in turn until one responds, and only uses nodes with the chain's id.
 * Results are the text written by the node. Messages contain no URL, host or key.
 */
import * as EndpointPool from "@daybook/rpc/EndpointPool"
import * as RequestBytes from "@daybook/rpc/RequestBytes"
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError, RpcError } from "@daybook/rpc/RpcError"
import type { InvalidOption, InvalidResponse } from "@daybook/transport/ClientError"
import * as MonotonicClock from "@daybook/transport/internal/MonotonicClock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as NodeConfig from "../../config/NodeConfig.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as SignedFetch from "../../node/SignedFetch.ts"
import type { Limits } from "../../config/Limits.ts"
import * as Turns from "../admission/Turns.ts"
import type { NodeCall } from "../monitoring/Observations.ts"
import type { SharingOf } from "./LargeResponses.ts"

/** No node of the chain responds now, or the response of one was not processed in time. */
export class UpstreamUnavailable extends Data.TaggedError("UpstreamUnavailable")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}

/** The response of a node exceeds a limit. Another node's response would too. */
export class ResponseRejected extends Data.TaggedError("ResponseRejected")<{ readonly message: string }> {}

/** Receives each call to a node. */
export type OnNodeCall = (call: NodeCall) => void

/** How node responses are read. */
export interface Reading {
  readonly limits: Pick<Limits, "answerBytes" | "answerDepth">
  /** What they share. */
  readonly sharingOf: SharingOf
}

/** The nodes of a chain. */
export interface Upstream {
  /** Result of a call as JSON text. The parameters must fit the method. */
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>,
  ) => Effect.Effect<Uint8Array, RpcError | UpstreamUnavailable | ResponseRejected>
}

/** The node belongs to another chain. */
class WrongChain extends Data.TaggedError("WrongChain")<{}> {}

/** A node responded, but other work of the API key that sent the call left no turn for the response until the timeout of the call. */
class NoTurn extends Data.TaggedError("NoTurn")<{}> {}

type AskError = CallError | WrongChain | NoTurn

const isTooLarge = (error: AskError): error is InvalidResponse =>
  error._tag === "InvalidResponse" && error.reason === "too-large"

const timeout = "15 seconds"
const maxPause = "1 minute"
const defaultRetrySeconds = 2

/** A kept-alive connection may have been closed meanwhile: the only failure that is retried on the same node. */
const isDisconnected = (error: AskError): boolean => error._tag === "TransportError"

const verdict = (outcome: Result.Result<unknown, AskError>): EndpointPool.Verdict => {
  if (Result.isSuccess(outcome)) return { _tag: "Final" }
  const error = outcome.failure
  if (error._tag === "WrongChain") return { _tag: "Unavailable" }
  if (error._tag === "NoTurn") return { _tag: "Final" }
  if (isTooLarge(error)) return { _tag: "Final" }
  return error._tag === "RpcError" && !error.isRetryable ? { _tag: "Final" } : EndpointPool.verdictOf(error)
}

type Failed = EndpointPool.AllEndpointsFailed<AskError>

const unavailable = (chain: string, retryAfterMillis: number | undefined): UpstreamUnavailable =>
  new UpstreamUnavailable({
    message: `No node of ${chain} responds now. Retry later.`,
    retryAfterSeconds: retryAfterMillis === undefined ? defaultRetrySeconds : Math.ceil(retryAfterMillis / 1000),
  })

const withoutTurn = new UpstreamUnavailable({
  message: "The response of a node was not processed in time because of other requests. Retry later.",
  retryAfterSeconds: defaultRetrySeconds,
})

const tooLarge = ({ received }: InvalidResponse, maxBytes: number) =>
  new ResponseRejected({
    message:
      received === `more than ${maxBytes} bytes`
        ? `Response too large: the node's answer exceeds limits.answerBytes (${maxBytes} bytes). Request less at once.`
        : `Response too large: the node's error has ${received}.`,
  })

const tooDeep = (maxDepth: number) =>
  new ResponseRejected({
    message: `Response nested too deeply: the node's answer exceeds limits.answerDepth (${maxDepth} levels). Request less at once.`,
  })

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EAI_AGAIN: "host not found",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "host not found",
  EPIPE: "connection closed",
  ETIMEDOUT: "timed out",
  UND_ERR_CONNECT_TIMEOUT: "timed out",
  UND_ERR_SOCKET: "connection closed",
}

const reasons: Readonly<Record<Exclude<AskError["_tag"], "TransportError">, string>> = {
  InvalidParams: "invalid parameters",
  InvalidResponse: "invalid response",
  NoTurn: "not processed in time",
  RateLimited: "rate limited",
  RpcError: "JSON-RPC error",
  TimeoutError: "timed out",
  Unauthorized: "credentials rejected",
  WrongChain: "another chain",
}

/** Why a node did not respond, in two words without its name. */
const reasonOf = (error: AskError): string => {
  if (error._tag !== "TransportError") return reasons[error._tag]
  return Object.entries(networkReasons).find(([code]) => error.reason.includes(code))?.[1] ?? "connection failed"
}

const quietMillis = 60_000

/** Logs once a minute that no node responds, since the calls of one key may cause it at any time, and then that one responds again. */
const availabilityLog = (chain: string) => {
  let isAvailable = true
  let quietUntil = 0
  const named = Effect.annotateLogs({ chain })
  return {
    responded: Effect.suspend(() => {
      if (isAvailable) return Effect.void
      isAvailable = true
      return named(Effect.logInfo("A node responds to the relay again"))
    }),
    failed: ({ failures }: Failed) =>
      Effect.flatMap(MonotonicClock.millis, (now) => {
        if (!isAvailable || now < quietUntil) return Effect.void
        isAvailable = false
        quietUntil = now + quietMillis
        const found = [...new Set(failures.map(({ error }) => reasonOf(error)))].join(", ")
        return named(Effect.logWarning(`No node responds to the relay (${found === "" ? "all are paused" : found})`))
      }),
  }
}

/** Counts the steps that wait for their turn, by call: identical calls of several keys share the steps of the first. */
const makeWaitingSteps = () => {
  const counts = new Map<string, number>()
  return (call: string, { hold, inTurn }: RequestBytes.Sharing) => {
    const add = (steps: number) => {
      const count = (counts.get(call) ?? 0) + steps
      if (count === 0) counts.delete(call)
      else counts.set(call, count)
    }
    const sharing: RequestBytes.Sharing = {
      hold,
      inTurn: (step, onError) => {
        add(1)
        inTurn(() => {
          add(-1)
          step()
        }, onError)
      },
    }
    return { sharing, isWaiting: () => counts.has(call) }
  }
}

/** Makes a client for each node of a chain. */
const connect = (
  { config }: Pick<ServedChain, "config">,
  maxBytes: number,
): Effect.Effect<ReadonlyArray<RpcClient.Client>, InvalidOption> =>
  Effect.forEach(config.rpc.map(NodeConfig.toOptions), (node) => {
    const { perSecond, url } = node
    const rateLimit = perSecond === undefined ? undefined : { perSecond }
    const [headers, fetch] = [NodeConfig.headersOf(node), SignedFetch.forNode(node)]
    return RpcClient.make({
      url,
      headers,
      fetch,
      rateLimit,
      timeout,
      retry: { maxAttempts: 1 },
      maxBytes,
    })
  })

/**
 * Connects to the nodes of a chain. No request is made yet.
 *
 * **Errors**
 * - `InvalidOption`: a URL cannot be used; the message does not show it.
 */
export const make = Effect.fn("Upstream.make")(function* (
  chain: Pick<ServedChain, "name" | "id" | "config">,
  { limits: { answerBytes, answerDepth }, sharingOf }: Reading,
  onNodeCall: OnNodeCall = () => undefined,
): Effect.fn.Return<Upstream, InvalidOption> {
  const { id, name } = chain
  const endpoints = yield* connect(chain, answerBytes)
  const log = availabilityLog(name)
  const waitingSteps = makeWaitingSteps()

  /** Reports the outcome and duration of a call. */
  const observe = <A, E extends AskError>(client: RpcClient.Client, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(MonotonicClock.millis, (startedAt) => {
      const node = endpoints.indexOf(client)
      const report = (outcome: string) =>
        Effect.map(MonotonicClock.millis, (now) =>
          onNodeCall({ chain: name, node, outcome, seconds: (now - startedAt) / 1000 }),
        )
      return Effect.tap(
        Effect.tapError(call, ({ _tag }) => report(_tag)),
        report("success"),
      )
    })

  /** Checks that a node belongs to the chain. */
  const verify = Effect.fnUntraced(function* (client: RpcClient.Client): Effect.fn.Return<void, AskError> {
    const found = yield* observe(client, client.eth_chainId().pipe(Effect.retry({ times: 1, while: isDisconnected })))
    if (found === BigInt(id)) return
    const text = `A node of the relay belongs to chain ${found}, not ${id}; it is not used`
    yield* Effect.annotateLogs({ chain: name })(Effect.logWarning(text))
    return yield* new WrongChain()
  })
  const pool = EndpointPool.make<RpcClient.Client, AskError>({ endpoints, maxPause, verify })

  return {
    call: Effect.fnUntraced(function* (method, params): Effect.fn.Return<
      Uint8Array,
      RpcError | UpstreamUnavailable | ResponseRejected
    > {
      const own = sharingOf(yield* Turns.Holder, yield* Turns.Kind)
      const outcome = yield* pool
        .ask({
          strategy: "sticky",
          skipPaused: true,
          verdict,
          question: (client) => {
            const call = `${endpoints.indexOf(client)} ${method} ${JSON.stringify(params)}`
            const { isWaiting, sharing } = waitingSteps(call, own)
            const asked = RequestBytes.requestBytes(client, method, params, sharing)
            const repeated = Effect.retry(asked, { times: 1, while: isDisconnected })
            return observe(
              client,
              Effect.mapError(repeated, (error) =>
                error._tag === "TimeoutError" && isWaiting() ? new NoTurn() : error,
              ),
            )
          },
        })
        .pipe(Effect.result)
      if (Result.isSuccess(outcome)) {
        yield* log.responded
        const { depth, result } = outcome.success
        return depth > answerDepth ? yield* tooDeep(answerDepth) : result
      }
      const error = outcome.failure
      if (error._tag === "RpcError") return yield* error
      if (error._tag === "NoTurn") return yield* withoutTurn
      // No other failure than these and a too large response is final: after it, the next node is tried.
      if (error._tag !== "AllEndpointsFailed" && isTooLarge(error)) return yield* tooLarge(error, answerBytes)
      if (error._tag !== "AllEndpointsFailed") return yield* Effect.die(error)
      const rpcError = error.failures.map((failure) => failure.error).find(({ _tag }) => _tag === "RpcError")
      if (rpcError?._tag === "RpcError") return yield* rpcError
      yield* log.failed(error)
      return yield* unavailable(name, error.retryAfterMillis)
    }),
  }
})
