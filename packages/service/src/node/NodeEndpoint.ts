/**
 * One node of a chain: the way to it, what it has shown of itself, and the questions whose answers depend on that.
 */
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError } from "@daybook/rpc/RpcError"
import type { Methods } from "@daybook/rpc/Method"
import type { Receipt } from "@daybook/schema/Receipt"
import { type InvalidOption, InvalidResponse } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../store/BlockRows.ts"
import * as ConcurrencyLimiter from "./ConcurrencyLimiter.ts"
import * as AdaptiveBatchSize from "./AdaptiveBatchSize.ts"
import * as Tracer from "./Tracer.ts"

/**
 * What links a block to the chain.
 */
export interface Header extends BlockRef {
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp?: number
}

/**
 * A node, and what is known of it.
 */
export interface Endpoint {
  readonly host: string
  readonly lane: ConcurrencyLimiter.ConcurrencyLimiter
  readonly calls: Methods
  /** How many blocks it is asked for at once. */
  readonly portion: AdaptiveBatchSize.AdaptiveBatchSize
  /** Asked last until then, in milliseconds since 1970: it failed a moment ago. */
  cooldownUntil: number
  isVerified: boolean
  refusesHashes: boolean
  lacksFinalized: boolean
  tracer: Tracer.Tracer | undefined
  /** Its tracer has given an answer. */
  hasTraced: boolean
}

/**
 * The way to the node of a URL. No request is made.
 *
 * **Errors**
 * - `InvalidOption`: the URL is not an http or https URL; the message does not show it.
 */
export const make = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Endpoint, InvalidOption> {
  const client = yield* RpcClient.make({ url, retry: { maxAttempts: 2 } })
  const lane = yield* ConcurrencyLimiter.make(client)
  return {
    host: client.host,
    lane,
    calls: lane.calls,
    portion: AdaptiveBatchSize.make(),
    cooldownUntil: 0,
    isVerified: false,
    refusesHashes: false,
    lacksFinalized: false,
    tracer: undefined,
    hasTraced: false,
  }
})

/**
 * True for a node on this machine.
 */
export const isLocal = ({ host }: Endpoint): boolean => /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host)

/**
 * The node answered, and will not answer otherwise when it is asked again.
 */
export const isAnswer = (error: CallError): boolean => error._tag === "RpcError" && !error.isRetryable

/** Time for which a node that failed is asked after the others. */
const restMillis = 5_000

/**
 * Has the node asked after the others for a while.
 */
export const rest = (endpoint: Endpoint, now: number): void => {
  endpoint.cooldownUntil = now + restMillis
}

/**
 * Notes that the node failed a question at an instant: unless that was its answer, it is asked after the others for a while, and
 * one whose connection broke may be another one when it comes back.
 */
export const noteFailure = (endpoint: Endpoint, error: CallError, now: number): void => {
  if (!isAnswer(error)) rest(endpoint, now)
  if (error._tag === "TransportError") endpoint.isVerified = false
}

/**
 * The header of a block that is mined; `null` for one that is not, or none.
 */
export const headerOf = (
  block: {
    readonly number: bigint | null
    readonly hash: string | null
    readonly parentHash: string
    readonly timestamp: bigint
  } | null,
): Header | null =>
  block === null || block.number === null || block.hash === null
    ? null
    : {
        number: Number(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        timestamp: Number(block.timestamp),
      }

/**
 * The node's tracer, found out once, by a block that it has.
 */
export const tracer = (endpoint: Endpoint, block: BlockRef): Effect.Effect<Tracer.Tracer, CallError> =>
  endpoint.tracer === undefined
    ? Effect.tap(Tracer.find(endpoint.calls, block), (found) => Effect.sync(() => (endpoint.tracer = found)))
    : Effect.succeed(endpoint.tracer)

/**
 * The receipts of a block by its hash, by its number where the node takes no hashes; `null` when it has no such block.
 */
export const receipts = (
  endpoint: Endpoint,
  block: BlockRef,
): Effect.Effect<ReadonlyArray<Receipt> | null, CallError> => {
  const byNumber = endpoint.calls.eth_getBlockReceipts(block.number)
  if (endpoint.refusesHashes) return byNumber
  return endpoint.calls.eth_getBlockReceipts(block.hash).pipe(
    Effect.catchTag("RpcError", (error) => {
      if (error.kind === "notFound") return Effect.succeed(null)
      if (error.isRetryable || error.kind === "methodUnsupported") return Effect.fail(error)
      return Effect.tap(byNumber, () => Effect.sync(() => (endpoint.refusesHashes = true)))
    }),
  )
}

/**
 * Number of the last block that the node calls final; `null` where it has no such tag.
 */
export const finalized = (endpoint: Endpoint): Effect.Effect<number | null, CallError> =>
  endpoint.lacksFinalized
    ? Effect.succeed(null)
    : endpoint.calls.eth_getBlockByNumber("finalized", false).pipe(
        Effect.map((block) => headerOf(block)?.number ?? null),
        Effect.catchIf(isAnswer, () => {
          endpoint.lacksFinalized = true
          return Effect.succeed(null)
        }),
      )

/**
 * The newest block of the node.
 */
export const head = (endpoint: Endpoint): Effect.Effect<Header, CallError> =>
  Effect.flatMap(endpoint.calls.eth_getBlockByNumber("latest", false), (block) => {
    const header = headerOf(block)
    if (header !== null) return Effect.succeed(header)
    const { host } = endpoint
    const [path, received, expected] = ["result", "null", "the newest block"]
    return Effect.fail(new InvalidResponse({ host, attempts: [], reason: "content", path, received, expected }))
  })
