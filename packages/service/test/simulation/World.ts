/**
 * The chain and its nodes in one simulated world, generated from a seed, and their changes over time: blocks are mined, branches are
 * abandoned, nodes lag and freeze. It is independent of the indexer.
 */
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Count } from "./Count.ts"
import type * as Network from "./Network.ts"
import * as Tree from "./Tree.ts"
import * as Untraceable from "./Untraceable.ts"
import type { VirtualTime } from "./VirtualTime.ts"

export interface World {
  readonly tree: Tree.Tree
  readonly endpoints: ReadonlyArray<Network.Endpoint>
  readonly hasTraces: boolean
  readonly untraceable: Untraceable.Untraceable
  /** Whether the internal calls of a transaction are stored. */
  readonly stored: (block: Tree.Block, transaction: Tree.Transaction) => Untraceable.Stored
  /** Whether a node has lost the receipt of a transaction, so that it may be missing from the store. */
  readonly mayLack: (transaction: Tree.Transaction) => boolean
  /** Depth at which nodes report a block as finalized; null if no node supports the tag. */
  readonly finalityDepth: number | null
  readonly head: () => Tree.Block
  readonly finalized: () => Tree.Block
  /** Tips of abandoned branches, oldest first. */
  readonly tips: ReadonlyArray<Tree.Block>
  /** Current probabilities of faults. */
  readonly rates: () => Network.Rates
  /** Repeats an action until faults end. */
  readonly every: (millis: () => number, action: () => void) => void
  /** Starts the changes over time. */
  readonly begin: () => void
  /** Ends every fault and mines at least one block, up to a number, so that polled nodes have a new head. */
  readonly calm: (number: number) => void
  readonly isCalm: () => boolean
}

const longestChain = 85
const tracers = ["trace_block", "debug_traceBlockByHash", "debug_traceBlockByNumber"] as const

const endpointsOf = (random: SeededRandom): ReadonlyArray<Network.Endpoint> => {
  const traces = random.is(0.1) ? ("off" as const) : random.pick(["same", "mixed"] as const)
  const same = random.pick(tracers)
  const hasFinalized = random.is(0.5)
  const some = (index: number) => (index > 0 && random.is(0.2) ? ("none" as const) : random.pick(tracers))
  return Array.from({ length: random.between(1, 3) }, (_, index): Network.Endpoint => ({
    url: `https://node-${index}.example/key`,
    host: `node-${index}.example`,
    tracer: traces === "off" ? "none" : traces === "same" ? same : some(index),
    knowsFinalized: hasFinalized && random.is(0.8),
    takesHashesForReceipts: random.is(0.8),
    keepsBranches: random.is(0.5),
    slowestMillis: random.pick([1, 20, 200, 900]),
    lacksState: false,
    lostReceipts: false,
    lag: 0,
    frozen: null,
  }))
}

const none: Network.Rates = { failure: 0, faulty: 0, olderView: 0 }

export const make = (random: SeededRandom, time: VirtualTime, count: Count): World => {
  const shape = random.fork("world")
  const mining = random.fork("mining")
  const nodeRandom = random.fork("moods")
  const bounds = random.fork("bounds")
  const endpoints = endpointsOf(shape).map((endpoint) => ({ ...endpoint, lacksState: bounds.is(0.2) }))
  const untraceable = Untraceable.make(bounds)
  for (const endpoint of endpoints) endpoint.lostReceipts = bounds.is(0.15)
  const finalityDepth = endpoints.some(({ knowsFinalized }) => knowsFinalized) ? shape.between(4, 20) : null
  const blockMillis = shape.pick([700, 2000, 5000])
  const reorganisedMillis = shape.pick([3000, 8000, 60_000])
  const level = shape.pick([0, 0.02, 0.06, 0.15])
  const rates: Network.Rates = { failure: level, faulty: level / 2, olderView: shape.pick([0, 0.02, 0.1]) }
  // Calls may have different effects in each block that includes the transaction, unless a tracer accepts no block hash.
  const hasVaryingCalls = endpoints.every(({ tracer }) => tracer !== "debug_traceBlockByNumber")
  const tree = Tree.make(random.fork("tree"), hasVaryingCalls)
  const tips: Array<Tree.Block> = []
  let head = tree.genesis
  let finalized = tree.genesis
  let isCalm = false

  const mine = (again?: Array<Tree.Transaction>) => {
    head = tree.grow(head, again)
    const final = finalityDepth === null ? undefined : Tree.at(head, head.number - finalityDepth)
    if (final !== undefined && final.number > finalized.number) finalized = final
  }
  for (let blocks = shape.between(0, 25); blocks > 0; blocks--) mine()

  const reorganise = () => {
    const maxDepth = head.number - (finalityDepth === null ? 0 : finalized.number)
    if (maxDepth <= 0) return
    const depth = Math.min(maxDepth, mining.is(0.15) ? mining.between(1, maxDepth) : mining.between(1, 4))
    count(depth > 10 ? "reorg deeper than 10" : `reorg of ${depth > 4 ? "5 to 10" : depth}`)
    const again = Tree.chainOf(head, head.number - depth + 1).flatMap(({ transactions }) => [...transactions])
    tips.push(head)
    head = Tree.at(head, head.number - depth)!
    // The new branch may be shorter than the old one.
    const length = mining.between(0, depth + 2)
    const atLeast = head.number + length > longestChain ? 0 : 1
    for (let blocks = Math.max(length, atLeast); blocks > 0; blocks--) mine(again)
  }

  const change = () => {
    const endpoint = nodeRandom.pick(endpoints)
    const nodeState = nodeRandom.pick(["well", "lags", "freezes"] as const)
    endpoint.lag = nodeState === "lags" ? nodeRandom.between(1, 10) : 0
    endpoint.frozen = nodeState === "freezes" ? head : null
    if (nodeState !== "well") count(`a node ${nodeState}`)
  }

  const every: World["every"] = (millis, action) => {
    time.after(millis(), () => {
      if (isCalm) return
      action()
      every(millis, action)
    })
  }

  return {
    tree,
    endpoints,
    hasTraces: endpoints.some(({ tracer }) => tracer !== "none"),
    untraceable,
    stored: (block, transaction) => {
      if (untraceable.isBomb(transaction)) return "never"
      // Some tracers accept only a number, and fail for the block with which the node associates it.
      const sameNumber = [...tree.byHash.values()].filter(({ number }) => number === block.number)
      return sameNumber.some(untraceable.isOld) && endpoints.some(({ lacksState }) => lacksState) ? "perhaps" : "always"
    },
    mayLack: (transaction) => untraceable.isLost(transaction) && endpoints.some(({ lostReceipts }) => lostReceipts),
    finalityDepth,
    head: () => head,
    finalized: () => finalized,
    tips,
    rates: () => (isCalm ? none : rates),
    every,
    begin: () => {
      every(
        () => mining.between(blockMillis / 2, blockMillis * 1.5),
        () => (head.number < longestChain ? mine() : undefined),
      )
      every(() => mining.between(reorganisedMillis / 4, reorganisedMillis * 2), reorganise)
      every(() => nodeRandom.between(1000, 12_000), change)
    },
    calm: (number) => {
      isCalm = true
      for (const endpoint of endpoints) Object.assign(endpoint, { lag: 0, frozen: null })
      do mine()
      while (head.number < number)
    },
    isCalm: () => isCalm,
  }
}
