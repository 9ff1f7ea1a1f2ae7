/**
 * The service's way to the nodes of one chain: the few questions an indexer asks, over `@daybook/rpc`, failing over from one
 * URL to the next, and sharing the work of a backfill among them. It makes sure that each node is of the configured chain before
 * it believes it, and finds out which tracer it has. It stores nothing and decides nothing about reorganisations.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../store/BlockRows.ts"
import type { IndexerStatus } from "../store/StatusBoard.ts"
import * as BatchFetcher from "./BatchFetcher.ts"
import * as Endpoint from "./NodeEndpoint.ts"
import * as Tracer from "./Tracer.ts"

/**
 * Where internal transactions come from.
 */
export type TraceSource = NonNullable<IndexerStatus["traces"]>

/**
 * What links a block to the chain.
 */
export type Header = Endpoint.Header

/**
 * No node of the chain gave an answer; the message names the last one that was asked and what it said.
 */
export class NodeFailed extends Data.TaggedError("NodeFailed")<{
  readonly message: string
  /** The failure of the last node; it holds no key. */
  readonly cause: CallError
}> {}

const nothingThere = new Set([404, 405, 410])

/** A failure in the words of an operator, who knows nodes by their place in the configuration. */
const nodeFailed = (cause: CallError, where: string): NodeFailed => {
  if (cause._tag === "InvalidResponse" && cause.status !== undefined && nothingThere.has(cause.status)) {
    const { received, host } = cause
    return new NodeFailed({
      message: `The node at ${host} has nothing at the URL of the configuration: it answers ${received}. Check the URL in ${where}.`,
      cause,
    })
  }
  const hint = cause._tag === "Unauthorized" ? ` It stands in ${where}.` : ""
  return new NodeFailed({ message: `${cause.message}${hint}`, cause })
}

/**
 * Every node that answered is of another chain than the configured one.
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
 */
export type NodeError = NodeFailed | WrongChain

/**
 * The nodes of one chain.
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
  /** The way to several blocks from a number on, at one of the nodes. */
  readonly bulk: (number: number) => Effect.Effect<BatchFetcher.BatchFetcher>
  /** True when every node is on this machine, so that asking often costs little. */
  readonly isLocal: boolean
  /** The same questions to one node each, in order of preference: to ask another when one gave what cannot be true. */
  readonly each?: ReadonlyArray<Node>
}

/**
 * What the nodes of a chain are made of.
 */
export interface Options {
  /** URLs in order of preference; may hold keys. */
  readonly urls: ReadonlyArray<string>
  /** EIP-155 id that every node must have. */
  readonly chainId: number
  /** `auto` takes what the nodes have, `off` asks for none. Default `auto`. */
  readonly traces?: "auto" | "off"
  /** Where the URLs are given, for messages: `chains.eth.rpc`. */
  readonly where?: string
}

/** Blocks below the head from which on the nodes share the work; above, one node tells one story. */
const settledBlocks = 64
/** Looks at a head that stands still before the other nodes are asked for theirs. */
const stillLooks = 5

const build = (
  endpoints: ReadonlyArray<Endpoint.Endpoint>,
  options: Options,
  /** What all nodes together have, where these are some of them: a node without a tracer does not stand for the others. */
  sourceOfAll?: Effect.Effect<TraceSource, NodeError>,
): Node => {
  const { chainId, traces: wanted = "auto", where = "the configuration" } = options
  let preferred = 0
  let highest = -1
  let newest: Header | undefined
  let stillFor = 0
  let source: TraceSource | undefined

  const verify = Effect.fnUntraced(function* (
    endpoint: Endpoint.Endpoint,
  ): Effect.fn.Return<void, CallError | WrongChain> {
    if (endpoint.isVerified) return
    const found = yield* endpoint.calls.eth_chainId()
    if (found !== BigInt(chainId)) {
      return yield* new WrongChain({ host: endpoint.host, configured: chainId, found })
    }
    endpoint.isVerified = true
  })

  /** The endpoints in the order in which they are asked: from one on, those that failed a moment ago last. */
  const inTurn = (start: number, now: number): ReadonlyArray<readonly [index: number, endpoint: Endpoint.Endpoint]> =>
    endpoints
      .map((_, turn) => (start + turn) % endpoints.length)
      .map((index) => [index, endpoints[index]!] as const)
      .toSorted(([, one], [, other]) => Number(one.cooldownUntil > now) - Number(other.cooldownUntil > now))

  /** Asks one node after the other until one gives more than nothing; nothing counts only when no node has more. */
  const ask = Effect.fnUntraced(function* <A>(
    question: (endpoint: Endpoint.Endpoint) => Effect.Effect<A, CallError>,
    start: number = preferred,
  ): Effect.fn.Return<A, NodeError> {
    let wrong: WrongChain | undefined
    let failure: CallError | undefined
    let nothing: { readonly value: A } | undefined
    const now = yield* Clock.currentTimeMillis
    for (const [turn, [index, endpoint]] of inTurn(start, now).entries()) {
      const outcome = yield* Effect.result(Effect.andThen(verify(endpoint), question(endpoint)))
      if (outcome._tag === "Success") {
        if (outcome.success === null && endpoints.length > 1) {
          nothing ??= { value: outcome.success }
          continue
        }
        if (turn > 0 && start === preferred) preferred = index
        return outcome.success
      }
      if (outcome.failure._tag === "WrongChain") {
        wrong = outcome.failure
        Endpoint.rest(endpoint, now)
      } else {
        failure = outcome.failure
        Endpoint.noteFailure(endpoint, failure, now)
      }
    }
    if (nothing !== undefined) return nothing.value
    if (failure === undefined) return yield* Effect.fail(wrong!)
    return yield* nodeFailed(failure, where)
  })

  const isSettled = (number: number): boolean => highest - number > settledBlocks

  /** Where to begin for a block: at a node of its own deep below the head. */
  const startFor = (number: number): number => (isSettled(number) ? (preferred + number) % endpoints.length : preferred)

  /** Asks every node for its head and prefers the one that is furthest. */
  const furthest = Effect.fnUntraced(function* (known: Header): Effect.fn.Return<Header> {
    let best = known
    const found = yield* Effect.forEach(
      endpoints,
      (endpoint) => Effect.option(Effect.andThen(verify(endpoint), Endpoint.head(endpoint))),
      { concurrency: "unbounded" },
    )
    for (const [index, header] of found.entries()) {
      if (header._tag === "None" || header.value.number <= best.number) continue
      best = header.value
      preferred = index
    }
    return best
  })

  /** The preferred node's head; the furthest of all when that one lags behind what was seen, or stands still for long. */
  const head = Effect.gen(function* () {
    const found = yield* ask(Endpoint.head)
    stillFor = found.number > highest ? 0 : stillFor + 1
    const isBehind = found.number < highest || stillFor >= stillLooks
    const best = endpoints.length > 1 && isBehind ? yield* furthest(found) : found
    if (isBehind) stillFor = 0
    highest = best.number
    newest = best
    return best
  })

  const findSource = Effect.fnUntraced(function* (): Effect.fn.Return<TraceSource, NodeError> {
    if (wanted === "off") return "off"
    if (source !== undefined) return source
    if (sourceOfAll !== undefined) return yield* sourceOfAll
    const block = newest ?? (yield* head)
    let undecided: NodeError | undefined
    for (const endpoint of endpoints) {
      const outcome = yield* Effect.result(Effect.andThen(verify(endpoint), Endpoint.tracer(endpoint, block)))
      if (outcome._tag === "Success") {
        if (outcome.success === "off") continue
        return (source = outcome.success === "trace_block" ? "trace_block" : "debug_traceBlock")
      }
      const { failure } = outcome
      undecided = failure._tag === "WrongChain" ? failure : nodeFailed(failure, where)
    }
    if (undecided !== undefined) return yield* Effect.fail(undecided)
    return (source = "off")
  })

  const traces = Effect.fnUntraced(function* (block: BlockRef): Effect.fn.Return<Tracer.Traces | null, NodeError> {
    if ((yield* findSource()) === "off") return null
    return yield* ask(
      (endpoint) =>
        Effect.gen(function* () {
          const tracer = yield* Endpoint.tracer(endpoint, block)
          const outcome = yield* Effect.result(
            Tracer.traces(endpoint.calls, tracer === "off" ? "trace_block" : tracer, block),
          )
          if (outcome._tag === "Success") {
            endpoint.hasTraced = true
            return outcome.success
          }
          // A failure that passed may have been taken for a method that the node never had: it is found out again.
          if (!endpoint.hasTraced && Tracer.isMissing(outcome.failure)) {
            if (tracer !== "off") endpoint.tracer = undefined
            if (!endpoints.some(({ hasTraced }) => hasTraced)) source = undefined
          }
          return yield* Effect.fail(outcome.failure)
        }),
      startFor(block.number),
    )
  })

  let bulks = 0
  const bulk = Effect.fnUntraced(function* (number: number): Effect.fn.Return<BatchFetcher.BatchFetcher> {
    const start = isSettled(number) ? bulks++ % endpoints.length : preferred
    const [[, endpoint] = []] = inTurn(start, yield* Clock.currentTimeMillis)
    if (endpoint === undefined || (yield* Effect.isFailure(verify(endpoint)))) return BatchFetcher.none
    return BatchFetcher.make(endpoint, traces)
  })

  return {
    head,
    finalized: ask(Endpoint.finalized),
    header: (number) =>
      Effect.map(
        ask((endpoint) => endpoint.calls.eth_getBlockByNumber(number, false)),
        (block) => {
          const header = Endpoint.headerOf(block)
          return header?.number === number ? header : null
        },
      ),
    block: (number) => ask((endpoint) => endpoint.calls.eth_getBlockByNumber(number, true), startFor(number)),
    receipts: (block) => ask((endpoint) => Endpoint.receipts(endpoint, block), startFor(block.number)),
    traces,
    traceSource: Effect.suspend(findSource),
    bulk,
    checkChain: Effect.suspend(() => {
      for (const endpoint of endpoints) endpoint.isVerified = false
      return ask(() => Effect.void)
    }),
    isLocal: endpoints.every(Endpoint.isLocal),
    ...(endpoints.length > 1
      ? { each: endpoints.map((endpoint) => build([endpoint], options, Effect.suspend(findSource))) }
      : {}),
  }
}

/**
 * Makes the way to the nodes of a chain. No request is made yet: a node that is down fails the first question.
 *
 * **Errors**
 * - `InvalidOption`: a URL is not an http or https URL; the message does not show it.
 */
export const make = Effect.fn("Node.make")(function* (options: Options): Effect.fn.Return<Node, InvalidOption> {
  const endpoints = yield* Effect.forEach(options.urls, Endpoint.make)
  return build(endpoints, options)
})
