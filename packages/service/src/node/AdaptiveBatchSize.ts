/**
 * How many blocks a node is asked for at once, learnt from its answers: twice as many while they are quick, half when they are slow
 * or refused, and never more than a bound on the size of an answer lets in. Pure, but for what it has learnt.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { FlatTrace } from "@daybook/schema/Trace"

/**
 * What has been learnt of one node.
 */
export interface AdaptiveBatchSize {
  /** Blocks to ask for at once now; at least 1. */
  readonly size: () => number
  /** A request for so many blocks took so long; `isOverloaded` when the node refused or failed under it. */
  readonly answered: (blocks: number, millis: number, isOverloaded: boolean) => void
  /** The answers about so many blocks had this weight together; see `ofBlock`. */
  readonly weighed: (blocks: number, weight: number) => void
}

const sizeFirst = 4
const sizeAtMost = 100
const quickMillis = 500
const slowMillis = 1_500
/** Characters of the answers about one portion, about; several portions are under way at once. */
const weightAtMost = 2_000_000

/**
 * Makes what knows nothing yet.
 */
export const make = (): AdaptiveBatchSize => {
  let size = sizeFirst
  /** Weight of one block of late: rises at once, falls slowly. */
  let weightOfOne = 1

  return {
    size: () => Math.max(1, Math.min(size, Math.floor(weightAtMost / weightOfOne))),
    answered: (blocks, millis, isOverloaded) => {
      // Answers to what was asked before the last change tell nothing of what came of it.
      if (isOverloaded || millis > slowMillis) size = Math.max(1, Math.min(size, blocks >> 1))
      else if (millis < quickMillis && blocks >= size) size = Math.min(sizeAtMost, size * 2)
    },
    weighed: (blocks, weight) => {
      const each = weight / Math.max(1, blocks)
      weightOfOne = Math.max(1, each, weightOfOne * 0.9 + each * 0.1)
    },
  }
}

const lengthOf = (text: string | null | undefined): number => text?.length ?? 0

/**
 * Characters that a block took in the node's answer, about: long texts by their length, all else by what is usual.
 */
export const ofBlock = ({ transactions }: HydratedBlock): number =>
  transactions.reduce((sum, { input }) => sum + 800 + lengthOf(input), 2_000)

/**
 * The same of a block's receipts.
 */
export const ofReceipts = (receipts: ReadonlyArray<Receipt>): number => {
  let weight = 0
  for (const { logs } of receipts) {
    weight += 1_200
    for (const { data } of logs) weight += 900 + data.length
  }
  return weight
}

/**
 * The same of a block's traces.
 */
export const ofTraces = (traces: ReadonlyArray<FlatTrace>): number => {
  let weight = 0
  for (const { action, result } of traces) {
    weight += 700 + lengthOf(action.input ?? action.init) + lengthOf(result?.output ?? result?.code)
  }
  return weight
}
