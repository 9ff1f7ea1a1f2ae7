/**
 * Errors of calls for the state or the blocks of a chain. Failures of the nodes themselves are `NodeError`.
 */
import * as Data from "effect/Data"

/**
 * The node returned values that cannot both be true. Another node may be right.
 */
export class NodeContradiction extends Data.TaggedError("NodeContradiction")<{
  readonly address: string
  readonly after: number
  readonly before: bigint
  readonly to: number
  readonly value: bigint
}> {
  override get message() {
    const { address, after, before, to, value } = this
    return `The node contradicts itself: ${address} has sent ${before} transactions at block ${after}, but ${value} at block ${to}. Use another node.`
  }
}

/**
 * The node lacks the state of a required block.
 */
export class StateUnavailable extends Data.TaggedError("StateUnavailable")<{
  readonly host: string
  readonly method: string
  readonly block: number
  /** What the node responded. */
  readonly reason: string
  /** The first block whose state the node has; `null` if unknown. */
  readonly firstBlock: number | null
}> {
  override get message() {
    const { block, firstBlock, host, method, reason } = this
    const begin =
      firstBlock === null
        ? "begin later with --from-block"
        : `begin with --from-block ${firstBlock + 1}, the first block before which it has the state`
    return `${host} has no state of block ${block}: ${method} failed ("${reason}"). Use an archive node, or ${begin}.`
  }
}

/**
 * The discovery needs more calls than are allowed.
 */
export class CallBudgetExceeded extends Data.TaggedError("CallBudgetExceeded")<{ readonly maxCalls: number }> {
  override get message() {
    return `The discovery needs more than ${this.maxCalls} calls. Raise --max-calls, or begin later with --from-block.`
  }
}

/**
 * The chain was reorganised below the block at which everything is read.
 */
export class ChainReorganized extends Data.TaggedError("ChainReorganized")<{
  readonly block: number
  readonly expected: string
  readonly received: string
}> {
  override get message() {
    const { block, expected, received } = this
    return `Block ${block} was replaced by a reorg: expected ${expected}, received ${received}.`
  }
}

/**
 * A node returned something that was not requested.
 */
export class UnexpectedResponse extends Data.TaggedError("UnexpectedResponse")<{
  readonly host: string
  readonly method: string
  readonly expected: string
  readonly received: string
}> {
  override get message() {
    const { expected, host, method, received } = this
    return `Invalid response of ${host} to ${method}: expected ${expected}, received ${received}. Use another node.`
  }
}

/**
 * The chain does not have the block yet, or the node lacks it.
 */
export class BlockUnavailable extends Data.TaggedError("BlockUnavailable")<{
  readonly host: string
  readonly block: number
  /** Last block that may be requested. */
  readonly last: number
}> {
  override get message() {
    const { block, host, last } = this
    return `${host} has no block ${block}: the last one is ${last}. Lower --at or --from-block.`
  }
}
