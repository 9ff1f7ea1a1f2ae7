/**
 * Divides the limits of nodes among the indexer and the threads of its backfill, each with connections of its own, so that the limits
 * hold for all of them together. Pure.
 */
import * as NodeConfig from "../../config/NodeConfig.ts"
import { maxCalls } from "../../node/ConcurrencyLimiter.ts"

type Nodes = readonly [NodeConfig.NodeConfig, ...ReadonlyArray<NodeConfig.NodeConfig>]

/**
 * Limits of the connections.
 */
export interface NodeShares {
  /** Threads that the limits allow. */
  readonly threads: number
  /** Nodes of the indexer itself. */
  readonly own: Nodes
  /** Nodes of each thread. */
  readonly each: Nodes
}

/** Calls per second for each thread: with fewer, the node bounds the backfill and not the processor. */
const callsPerThread = 250

const threadsFor = (node: NodeConfig.NodeConfig): number => {
  const { concurrency = maxCalls, perSecond = Number.POSITIVE_INFINITY } = NodeConfig.toOptions(node)
  return Math.min(concurrency - 1, Math.floor(perSecond / callsPerThread))
}

/** A node with a part of its limits. */
const shareOf = (node: NodeConfig.NodeConfig, concurrency: number, parts: number): NodeConfig.NodeOptions => {
  const options = NodeConfig.toOptions(node)
  const { perSecond } = options
  return { ...options, concurrency, ...(perSecond === undefined ? {} : { perSecond: perSecond / parts }) }
}

/**
 * Divides the limits of nodes: the rate evenly, the open requests evenly with the remainder for the indexer.
 *
 * **Details**
 * There are fewer threads than wanted where a node allows fewer open requests, or a rate that fewer threads can use.
 */
export const divide = (nodes: Nodes, wanted: number): NodeShares => {
  const threads = Math.max(0, Math.min(wanted, ...nodes.map(threadsFor)))
  if (threads === 0) return { threads, own: nodes, each: nodes }
  const parts = threads + 1
  const map = (share: (node: NodeConfig.NodeConfig) => NodeConfig.NodeOptions): Nodes => {
    const [first, ...others] = nodes
    return [share(first), ...others.map(share)]
  }
  const openOf = (node: NodeConfig.NodeConfig) => Math.min(NodeConfig.toOptions(node).concurrency ?? maxCalls, maxCalls)
  const eachOf = (node: NodeConfig.NodeConfig) => Math.floor(openOf(node) / parts)
  return {
    threads,
    own: map((node) => shareOf(node, openOf(node) - threads * eachOf(node), parts)),
    each: map((node) => shareOf(node, eachOf(node), parts)),
  }
}
