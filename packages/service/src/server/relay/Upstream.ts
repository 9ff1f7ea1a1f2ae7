/**
 * The relay's connection to the nodes of one chain: asks one after the other until one answers, and only those with the id of the
 * chain. Results are the text that the node wrote. Messages hold no URL, host or key.
 */
import * as Http from "@daybook/transport/Http"
import * as EndpointPool from "@daybook/rpc/EndpointPool"
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError, RpcError } from "@daybook/rpc/RpcError"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as NodeConfig from "../../config/NodeConfig.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as SignedFetch from "../../node/SignedFetch.ts"
import type { Bounds } from "../admission/Bounds.ts"
import type { NodeCall } from "../monitoring/Observations.ts"
import * as JsonScan from "./JsonScan.ts"
import * as LargeAnswers from "./LargeAnswers.ts"

/** No node of the chain answers now. */
export class UpstreamUnavailable extends Data.TaggedError("UpstreamUnavailable")<{
  readonly message: string
  readonly retryAfterSeconds: number
}> {}

/** The answer of a node exceeds a bound. Another node would give the same. */
export class AnswerRefused extends Data.TaggedError("AnswerRefused")<{ readonly message: string }> {}

/** The text of a result, or its bytes. */
export type ResultText = string | Uint8Array

/** Receives each call to a node. */
export type OnNodeCall = (call: NodeCall) => void

/** The nodes of a chain. */
export interface Upstream {
  /** The text of a call's result. The parameters must fit the method. */
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>,
  ) => Effect.Effect<ResultText, RpcError | UpstreamUnavailable | AnswerRefused>
}

/** The node belongs to another chain. */
class WrongChain extends Data.TaggedError("WrongChain")<{}> {}

type AskError = CallError | WrongChain

const isTooLarge = (error: AskError): boolean => error._tag === "InvalidResponse" && error.reason === "too-large"

const timeout = "15 seconds"
const maxPause = "1 minute"
const defaultRetrySeconds = 2

/** A kept-alive connection may have been closed meanwhile: the only failure that is retried on the same node. */
const isDisconnected = (error: AskError): boolean => error._tag === "TransportError"

const verdict = (outcome: Result.Result<string, AskError>): EndpointPool.Verdict => {
  if (Result.isSuccess(outcome)) return { _tag: "Final" }
  const error = outcome.failure
  if (error._tag === "WrongChain") return { _tag: "Unavailable" }
  if (isTooLarge(error)) return { _tag: "Final" }
  return error._tag === "RpcError" && !error.isRetryable ? { _tag: "Final" } : EndpointPool.verdictOf(error)
}

type Failed = EndpointPool.AllEndpointsFailed<AskError>

const unavailable = (chain: string, retryAfterMillis: number | undefined): UpstreamUnavailable =>
  new UpstreamUnavailable({
    message: `No node of ${chain} answers now. Retry later.`,
    retryAfterSeconds: retryAfterMillis === undefined ? defaultRetrySeconds : Math.ceil(retryAfterMillis / 1000),
  })

const tooLarge = (maxBytes: number) =>
  new AnswerRefused({
    message: `Response too large: the node's answer exceeds limits.answerBytes (${maxBytes} bytes). Request less at once.`,
  })

const tooDeep = (maxDepth: number) =>
  new AnswerRefused({
    message: `Response nested too deeply: the node's answer exceeds limits.answerDepth (${maxDepth} levels). Request less at once.`,
  })

/** Levels of JSON text; a text that is too short for more than `maxDepth` is not scanned. */
const depthOf = (text: string, maxDepth: number): number =>
  text.length <= 2 * maxDepth ? 0 : JsonScan.depthOf(Buffer.from(text))

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
  RateLimited: "rate limited",
  RpcError: "JSON-RPC error",
  TimeoutError: "timed out",
  Unauthorized: "credentials rejected",
  WrongChain: "another chain",
}

/** Why a node did not answer, in two words without its name. */
const reasonOf = (error: AskError): string => {
  if (error._tag !== "TransportError") return reasons[error._tag]
  return Object.entries(networkReasons).find(([code]) => error.reason.includes(code))?.[1] ?? "connection failed"
}

/** Logs when the last node stops answering, and when one answers again. */
const availabilityLog = (chain: string) => {
  let isAvailable = true
  const change = (to: boolean, log: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (isAvailable === to) return Effect.void
      isAvailable = to
      return log
    })
  const named = Effect.annotateLogs({ chain })
  return {
    answered: change(true, named(Effect.logInfo("A node answers the relay again"))),
    failed: ({ failures }: Failed) => {
      const found = [...new Set(failures.map(({ error }) => reasonOf(error)))].join(", ")
      return change(
        false,
        named(Effect.logWarning(`No node answers the relay (${found === "" ? "all are paused" : found})`)),
      )
    },
  }
}

/** A client for each node of a chain. */
const connect = (
  { config }: Pick<ServedChain, "config">,
  answers: LargeAnswers.LargeAnswers,
  maxBytes: number,
): Effect.Effect<ReadonlyArray<RpcClient.Client>, InvalidOption> =>
  Effect.forEach(config.rpc.map(NodeConfig.toOptions), (node) => {
    const { perSecond, url } = node
    const rateLimit = perSecond === undefined ? undefined : { perSecond }
    const [headers, signed] = [NodeConfig.headersOf(node), SignedFetch.forNode(node)]
    const fetch = answers.reading(signed ?? Http.platformFetch)
    return RpcClient.make({
      url,
      headers,
      fetch,
      rateLimit,
      timeout,
      retry: { maxAttempts: 1 },
      batch: false,
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
  { limits: { answerBytes, answerDepth }, turns }: Pick<Bounds["Service"], "limits" | "turns">,
  onNodeCall: OnNodeCall = () => undefined,
): Effect.fn.Return<Upstream, InvalidOption> {
  const { id, name } = chain
  const answers = LargeAnswers.make({ maxBytes: answerBytes, turns })
  const endpoints = yield* connect(chain, answers, answerBytes)
  const log = availabilityLog(name)

  /** Reports the outcome and the time of a call. */
  const observe = <A>(client: RpcClient.Client, call: Effect.Effect<A, CallError>): Effect.Effect<A, CallError> =>
    Effect.suspend(() => {
      const [node, startedAt] = [endpoints.indexOf(client), performance.now()]
      const report = (outcome: string) =>
        Effect.sync(() => onNodeCall({ chain: name, node, outcome, seconds: (performance.now() - startedAt) / 1000 }))
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
      ResultText,
      RpcError | UpstreamUnavailable | AnswerRefused
    > {
      const outcome = yield* pool
        .ask({
          strategy: "sticky",
          skipPaused: true,
          verdict,
          question: (client) =>
            observe(client, client.requestText(method, params).pipe(Effect.retry({ times: 1, while: isDisconnected }))),
        })
        .pipe(Effect.result)
      if (Result.isSuccess(outcome)) {
        yield* log.answered
        const text = outcome.success
        const large = answers.find(text)
        // The process stood still meanwhile.
        if (large === "forgotten") return yield* unavailable(name, undefined)
        const depth = large?.depth ?? depthOf(text, answerDepth)
        return depth > answerDepth ? yield* tooDeep(answerDepth) : (large?.result ?? text)
      }
      const error = outcome.failure
      if (error._tag === "RpcError") return yield* error
      // Only a JSON-RPC error and an answer that is too large are final: the others let the next node be asked.
      if (error._tag !== "AllEndpointsFailed" && isTooLarge(error)) return yield* tooLarge(answerBytes)
      if (error._tag !== "AllEndpointsFailed") return yield* Effect.die(error)
      const answered = error.failures.map((failure) => failure.error).find(({ _tag }) => _tag === "RpcError")
      if (answered?._tag === "RpcError") return yield* answered
      yield* log.failed(error)
      return yield* unavailable(name, error.retryAfterMillis)
    }),
  }
})
