/**
 * Connects to one node without a configuration: the chain is the node's, and blocks are verified by rules detected from its blocks.
 *
 * Source: decision 0047.
 */
import * as Endpoint from "@daybook/transport/Endpoint"
import type { Fetch } from "@daybook/transport/Fetch"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { NodeOptions } from "../config/NodeConfig.ts"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as Node from "../node/Node.ts"
import * as NodeEndpoint from "../node/NodeEndpoint.ts"
import * as NodeError from "../node/NodeError.ts"
import * as HashRules from "../verification/HashRules.ts"
import * as RuleDetection from "../fetch/RuleDetection.ts"
import * as Calls from "../node/Calls.ts"
import type { Source } from "./DiscoveredBlocks.ts"

/**
 * How to connect.
 */
export interface Options {
  readonly node: NodeOptions
  /** Maximum number of calls for the whole discovery. Default 2,000,000. */
  readonly maxCalls?: number | undefined
  /** Default: the platform's. */
  readonly fetch?: Fetch | undefined
}

/**
 * A connected node.
 */
export interface NodeConnection extends Source {
  readonly chainId: number
  /** False if the node cannot trace, so that internal transactions are unknown. */
  readonly hasTraces: boolean
}

const defaultMaxCalls = 2_000_000

const chainIdOf = (endpoint: NodeEndpoint.NodeEndpoint) =>
  Effect.mapError(endpoint.calls.eth_chainId(), (error) =>
    NodeError.fromCallError(error, "--rpc", { what: "return its chain id", isHead: true }),
  )

/** Hash rules of the chain: known, or detected from its blocks. */
const rulesOf = Effect.fnUntraced(function* (node: Node.Node, chainId: number, head: number) {
  const known = HashRules.ofChain(chainId)
  if (known !== undefined) return known
  return Result.getOrElse(yield* Effect.result(RuleDetection.detect(node, head)), () => HashRules.none)
})

/**
 * Connects to a node.
 *
 * **Errors**
 * - `InvalidOption`: the URL is not an http or https URL; the message does not show it.
 * - `NodeFailed`: the node does not respond.
 */
export const connect = Effect.fnUntraced(function* ({ maxCalls = defaultMaxCalls, node: options, ...rest }: Options) {
  const { fetch, usage } = Calls.counting(rest.fetch ?? globalThis.fetch)
  yield* Endpoint.make({ url: options.url, option: "--rpc" })
  const endpoint = yield* NodeEndpoint.make(options, fetch)
  const chainId = Number(yield* chainIdOf(endpoint))
  const node = yield* Node.make({ urls: [options], chainId, where: "--rpc", fetch })
  const budget = { node, usage, maxCalls }
  const head = yield* Calls.withRetries(budget, node.head)
  // Both make several calls; running them concurrently waits for a distant node only once.
  const [traces, rules] = yield* Effect.all(
    [Calls.withRetries(budget, node.traceSource), rulesOf(node, chainId, head.number)],
    { concurrency: 2 },
  )
  const connection: NodeConnection = {
    ...budget,
    chainId,
    hasTraces: traces !== "off",
    assembling: {
      decoder: KnownSignatures.decoder(),
      watch: null,
      rules,
      ledger: LedgerRules.fromChainId(chainId),
    },
  }
  return connection
})
