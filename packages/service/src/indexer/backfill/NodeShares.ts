/**
 * Divides the limits of nodes among the indexer and the threads of its backfill, each with connections of its own, so that the limits
 * hold for all of them together. The indexer has what the threads that run leave: all of it where none does. Pure.
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
  /** Limits of the indexer's own calls to a node while so many threads run. */
  readonly ownOf: (node: NodeConfig.NodeOptions, running: number) => NodeConfig.CallLimits
  /** Nodes of each thread. */
  readonly each: Nodes
}

/** Calls per second for each thread: with fewer, the node bounds the backfill and not the processor. */
const callsPerThread = 250

const threadsFor = (node: NodeConfig.NodeConfig): number => {
  const { concurrency = maxCalls, perSecond = Number.POSITIVE_INFINITY } = NodeConfig.toOptions(node)
  return Math.min(concurrency - 1, Math.floor(perSecond / callsPerThread))
}

/** Requests to a node that may be open at once. */
const openOf = ({ concurrency = maxCalls }: NodeConfig.NodeOptions): number => Math.min(concurrency, maxCalls)

/** The share of one of several equal parts in the limits of a node. */
const shareOf = (node: NodeConfig.NodeOptions, parts: number): NodeConfig.CallLimits => {
  const { perSecond } = node
  const concurrency = Math.floor(openOf(node) / parts)
  return perSecond === undefined ? { concurrency } : { concurrency, perSecond: perSecond / parts }
}

/** What shares leave of the limits of a node. */
const restOf = (node: NodeConfig.NodeOptions, share: NodeConfig.CallLimits, shares: number): NodeConfig.CallLimits => {
  const { concurrency = 0, perSecond = 0 } = share
  const rest = { concurrency: openOf(node) - shares * concurrency }
  return node.perSecond === undefined ? rest : { ...rest, perSecond: node.perSecond - shares * perSecond }
}

/**
 * Divides the limits of nodes: the rate evenly, the open requests evenly with the remainder for the indexer.
 *
 * **Details**
 * There are fewer threads than wanted where a node allows fewer open requests, or a rate that fewer threads can use.
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
