/**
 * The service's way to the nodes of one chain: the few questions an indexer asks, over `@daybook/rpc`, failing over from one
 * URL to the next. It makes sure that each node is of the configured chain before it believes it, and finds out which tracer
 * it has. It stores nothing and decides nothing about reorganisations.
 */
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { Methods } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { BlockRef, IndexerStatus } from "../store/Store.ts"
import * as Tracer from "./Tracer.ts"

/**
 * Where internal transactions come from.
 *
 * @category models
 * @since 0.1.0
 */
export type TraceSource = IndexerStatus["traces"]

/**
 * What links a block to the chain.
 *
 * @category models
 * @since 0.1.0
 */
export interface Header extends BlockRef {
  readonly parentHash: string
}

/**
 * No node of the chain gave an answer; the message names the last one that was asked and what it said.
 *
 * @category errors
 * @since 0.1.0
 */
export class NodeFailed extends Data.TaggedError("NodeFailed")<{
  readonly message: string
  /** The failure of the last node; it holds no key. */
  readonly cause: CallError
}> {}

/**
 * Every node that answered is of another chain than the configured one.
 *
 * @category errors
 * @since 0.1.0
 */
export class WrongChain extends Data.TaggedError("WrongChain")<{
  readonly host: string
  readonly configured: number
  readonly found: bigint
}> {
  override get message() {
    const { host, configured, found } = this
    return `The node at ${host} is of chain ${found} (0x${found.toString(16)}), the configuration says ${configured} (0x${configured.toString(16)}). Correct the node's URL or the chain's id.`
  }
}

/**
 * Why a question stays unanswered. Both may pass.
 *
 * @category models
 * @since 0.1.0
 */
export type NodeError = NodeFailed | WrongChain

/**
 * The nodes of one chain.
 *
 * @category models
 * @since 0.1.0
 */
export interface Node {
  /** The nodes' newest block. */
  readonly head: Effect.Effect<Header, NodeError>
  /** Number of the last block that the nodes call final; `null` when they do not know the tag. */
  readonly finalized: Effect.Effect<number | null, NodeError>
  /** The header of a number; `null` when there is none yet. */
  readonly header: (number: number) => Effect.Effect<Header | null, NodeError>
  /** The block of a number with its transactions; `null` when there is none yet. */
  readonly block: (number: number) => Effect.Effect<HydratedBlock | null, NodeError>
  /** The receipts of a block, asked for by its hash; `null` when the node does not have that block (any more). */
  readonly receipts: (block: BlockRef) => Effect.Effect<ReadonlyArray<Receipt> | null, NodeError>
  /** The traces of a block; `null` where traces are off. */
  readonly traces: (block: BlockRef) => Effect.Effect<Tracer.Traces | null, NodeError>
  /** Which tracer the nodes have; found out once. Fails while a node that might have one does not answer. */
  readonly traceSource: Effect.Effect<TraceSource, NodeError>
  /** Asks the nodes for their chain again, whatever they said before. */
  readonly checkChain: Effect.Effect<void, NodeError>
  /** True when every node is on this machine, so that asking often costs little. */
  readonly isLocal: boolean
}

/**
 * What the nodes of a chain are made of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** URLs in order of preference; may hold keys. */
  readonly urls: ReadonlyArray<string>
  /** EIP-155 id that every node must have. */
  readonly chainId: number
  /** `auto` takes what the nodes have, `off` asks for none. Default `auto`. */
  readonly traces?: "auto" | "off"
}

interface Endpoint {
  readonly host: string
  readonly calls: Methods
  isVerified: boolean
  refusesHashes: boolean
  lacksFinalized: boolean
  tracer: Tracer.Tracer | undefined
}

const isAnswer = (error: CallError): boolean => error._tag === "RpcError" && !error.isRetryable

/** The endpoint's tracer, found out once, by a block that it has. */
const tracerOf = (endpoint: Endpoint, block: BlockRef): Effect.Effect<Tracer.Tracer, CallError> =>
  endpoint.tracer === undefined
    ? Effect.tap(Tracer.find(endpoint.calls, block), (found) => Effect.sync(() => (endpoint.tracer = found)))
    : Effect.succeed(endpoint.tracer)

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host)

const headerOf = (
  block: { readonly number: bigint | null; readonly hash: string | null; readonly parentHash: string } | null,
) =>
  block === null || block.number === null || block.hash === null
    ? null
    : { number: Number(block.number), hash: block.hash, parentHash: block.parentHash }

const receiptsOf = (endpoint: Endpoint, block: BlockRef): Effect.Effect<ReadonlyArray<Receipt> | null, CallError> => {
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

const finalizedOf = (endpoint: Endpoint): Effect.Effect<number | null, CallError> =>
  endpoint.lacksFinalized
    ? Effect.succeed(null)
    : endpoint.calls.eth_getBlockByNumber("finalized", false).pipe(
        Effect.map((block) => headerOf(block)?.number ?? null),
        Effect.catchIf(isAnswer, () => {
          endpoint.lacksFinalized = true
          return Effect.succeed(null)
        }),
      )

const build = (endpoints: ReadonlyArray<Endpoint>, options: Options): Node => {
  const { chainId, traces: wanted = "auto" } = options
  let preferred = 0
  let source: TraceSource | undefined

  const verify = Effect.fnUntraced(function* (endpoint: Endpoint): Effect.fn.Return<void, CallError | WrongChain> {
    if (endpoint.isVerified) return
    const found = yield* endpoint.calls.eth_chainId()
    if (found !== BigInt(chainId)) {
      return yield* new WrongChain({ host: endpoint.host, configured: chainId, found })
    }
    endpoint.isVerified = true
  })

  const ask = Effect.fnUntraced(function* <A>(
    question: (endpoint: Endpoint) => Effect.Effect<A, CallError>,
  ): Effect.fn.Return<A, NodeError> {
    let wrong: WrongChain | undefined
    let failure: CallError | undefined
    for (let turn = 0; turn < endpoints.length; turn++) {
      const index = (preferred + turn) % endpoints.length
      const endpoint = endpoints[index]!
      const outcome = yield* Effect.result(Effect.andThen(verify(endpoint), question(endpoint)))
      if (outcome._tag === "Success") {
        if (turn > 0) preferred = index
        return outcome.success
      }
      if (outcome.failure._tag === "WrongChain") wrong = outcome.failure
      else failure = outcome.failure
      if (outcome.failure._tag === "TransportError") endpoint.isVerified = false
    }
    if (failure === undefined) return yield* Effect.fail(wrong!)
    return yield* new NodeFailed({ message: failure.message, cause: failure })
  })

  const head = Effect.flatMap(
    ask((endpoint) => endpoint.calls.eth_getBlockByNumber("latest", false)),
    (block) => {
      const header = headerOf(block)
      return header === null ? Effect.die(new Error("The node has no latest block.")) : Effect.succeed(header)
    },
  )

  const findSource = Effect.fnUntraced(function* (): Effect.fn.Return<TraceSource, NodeError> {
    if (wanted === "off") return "off"
    if (source !== undefined) return source
    const block = yield* head
    let undecided: NodeError | undefined
    for (const endpoint of endpoints) {
      const outcome = yield* Effect.result(Effect.andThen(verify(endpoint), tracerOf(endpoint, block)))
      if (outcome._tag === "Success") {
        if (outcome.success === "off") continue
        return (source = outcome.success === "trace_block" ? "trace_block" : "debug_traceBlock")
      }
      const { failure } = outcome
      undecided = failure._tag === "WrongChain" ? failure : new NodeFailed({ message: failure.message, cause: failure })
    }
    if (undecided !== undefined) return yield* Effect.fail(undecided)
    return (source = "off")
  })

  const traces = Effect.fnUntraced(function* (block: BlockRef): Effect.fn.Return<Tracer.Traces | null, NodeError> {
    if ((yield* findSource()) === "off") return null
    return yield* ask((endpoint) =>
      Effect.flatMap(tracerOf(endpoint, block), (tracer) =>
        Tracer.traces(endpoint.calls, tracer === "off" ? "trace_block" : tracer, block),
      ),
    )
  })

  return {
    head,
    finalized: ask(finalizedOf),
    header: (number) =>
      Effect.map(
        ask((endpoint) => endpoint.calls.eth_getBlockByNumber(number, false)),
        headerOf,
      ),
    block: (number) => ask((endpoint) => endpoint.calls.eth_getBlockByNumber(number, true)),
    receipts: (block) => ask((endpoint) => receiptsOf(endpoint, block)),
    traces,
    traceSource: Effect.suspend(findSource),
    checkChain: Effect.suspend(() => {
      for (const endpoint of endpoints) endpoint.isVerified = false
      return ask(() => Effect.void)
    }),
    isLocal: endpoints.every(({ host }) => isLoopback(host)),
  }
}

/**
 * Makes the way to the nodes of a chain. No request is made yet: a node that is down fails the first question.
 *
 * **Errors**
 * - `InvalidOption`: a URL is not an http or https URL; the message does not show it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fn("Node.make")(function* (options: Options): Effect.fn.Return<Node, InvalidOption> {
  const endpoints = yield* Effect.forEach(options.urls, (url) =>
    Effect.map(RpcClient.make({ url, retry: { maxAttempts: 2 } }), (calls): Endpoint => ({
      host: calls.host,
      calls,
      isVerified: false,
      refusesHashes: false,
      lacksFinalized: false,
      tracer: undefined,
    })),
  )
  return build(endpoints, options)
})
