/**
 * Divides the limits of nodes among the indexer and its backfill threads, each with its own connections, so that the limits apply to all of
 * them together. The indexer has what the running threads leave: everything if there are none. Pure.
 */
import * as NodeConfig from "../../config/NodeConfig.ts"
import { maxCalls } from "../../node/ConcurrencyLimiter.ts"

type Nodes = readonly [NodeConfig.NodeConfig, ...ReadonlyArray<NodeConfig.NodeConfig>]

/**
 * Limits of the connections.
 */
export interface NodeShares {
  /** Number of threads that the limits allow. */
  readonly threads: number
  /** Limits of the indexer's own calls to a node while a number of threads run. */
  readonly ownOf: (node: NodeConfig.NodeOptions, running: number) => NodeConfig.CallLimits
  /** Nodes of each thread. */
  readonly each: Nodes
}

/** Minimum calls per second for each thread: with fewer, the node limits the backfill rather than the processor. */
const callsPerThread = 250

const threadsFor = (node: NodeConfig.NodeConfig): number => {
  const { concurrency = maxCalls, perSecond = Number.POSITIVE_INFINITY } = NodeConfig.toOptions(node)
  return Math.min(concurrency - 1, Math.floor(perSecond / callsPerThread))
}

/** Number of requests to a node that may be open at once. */
const openOf = ({ concurrency = maxCalls }: NodeConfig.NodeOptions): number => Math.min(concurrency, maxCalls)

/** Share of one of several equal parts in the limits of a node. */
const shareOf = (node: NodeConfig.NodeOptions, parts: number): NodeConfig.CallLimits => {
  const { perSecond } = node
  const concurrency = Math.floor(openOf(node) / parts)
  return perSecond === undefined ? { concurrency } : { concurrency, perSecond: perSecond / parts }
}

/** Limits of a node minus the shares. */
const restOf = (node: NodeConfig.NodeOptions, share: NodeConfig.CallLimits, shares: number): NodeConfig.CallLimits => {
  const { concurrency = 0, perSecond = 0 } = share
  const rest = { concurrency: openOf(node) - shares * concurrency }
  return node.perSecond === undefined ? rest : { ...rest, perSecond: node.perSecond - shares * perSecond }
}

/**
 * Divides the limits of nodes: the rate evenly, and the open requests evenly with the remainder for the indexer.
 *
 * **Details** There are fewer threads than wanted if a node allows fewer open requests, or if fewer threads can use its rate.
 */
export const divide = (nodes: Nodes, wanted: number): NodeShares => {
  const threads = Math.max(0, Math.min(wanted, ...nodes.map(threadsFor)))
  const parts = threads + 1
  const part = (node: NodeConfig.NodeConfig): NodeConfig.NodeOptions => {
    const options = NodeConfig.toOptions(node)
    return { ...options, ...shareOf(options, parts) }
  }
  const [first, ...others] = nodes
  return {
    threads,
    ownOf: (node, running) => restOf(node, shareOf(node, parts), running),
    each: [part(first), ...others.map(part)],
  }
}
