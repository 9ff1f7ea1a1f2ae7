/**
 * Number of blocks requested from a node at once, adapted to its load. It is raised while responses take little longer than the shortest
 * one, halved when they take much longer or are rejected, and bounded by the size of recent blocks.
 *
 * Source: decision 0026.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { FlatTrace, TransactionTrace } from "@daybook/schema/Trace"
import type { Traces } from "../block/Traces.ts"

/**
 * Batch size of one node.
 */
export interface AdaptiveBatchSize {
  /** Number of blocks to request at once; at least 1. */
  readonly size: () => number
  /** Records a request: its number of blocks, its duration, and whether the node rejected it or failed. */
  readonly answered: (blocks: number, millis: number, isOverloaded: boolean) => void
  /** Records the total weight of the responses for a number of blocks; see `ofBlock`. */
  readonly weighed: (blocks: number, weight: number) => void
}

const firstSize = 4
/** Maximum number of blocks to request at once. */
export const maxSize = 100
/** Thresholds in addition to the node's latency: the size is multiplied by four, doubled, or halved. */
const idleMillis = 100
const fastMillis = 500
const slowMillis = 1_500
/** Longest duration attributed to latency; beyond it the node is loaded, which a shorter range alleviates. */
const maxLatencyMillis = 2_000
/** Approximate number of characters in the responses for one batch; several batches are in flight at once. */
export const maxWeight = 2_000_000

/**
 * Makes the batch size of a node that has not responded yet.
 */
export const make = (): AdaptiveBatchSize => {
  let size = firstSize
  /** Shortest response, which a distant node needs for anything; measured again with single blocks. */
  let latencyMillis = Number.POSITIVE_INFINITY
  /** Weight of one recent block: rises at once, falls slowly. */
  let weightOfOne = 1

  return {
    size: () => Math.max(1, Math.min(size, Math.floor(maxWeight / weightOfOne))),
    answered: (blocks, millis, isOverloaded) => {
      if (!isOverloaded && (millis < latencyMillis || blocks <= 1)) latencyMillis = Math.min(millis, maxLatencyMillis)
      const loadMillis = isOverloaded ? Number.POSITIVE_INFINITY : millis - latencyMillis
      // Responses to requests sent before the last change of the size are ignored.
      if (loadMillis > slowMillis) size = Math.max(1, Math.min(size, blocks >> 1))
      else if (loadMillis < fastMillis && blocks >= size) {
        size = Math.min(maxSize, size * (loadMillis < idleMillis ? 4 : 2))
      }
    },
    weighed: (blocks, weight) => {
      const each = weight / Math.max(1, blocks)
      weightOfOne = Math.max(1, each, weightOfOne * 0.9 + each * 0.1)
    },
  }
}

const lengthOf = (text: string | null | undefined): number => text?.length ?? 0

/**
 * Approximate number of characters of a block in a response: long texts by their length, everything else by a typical size.
 */
export const ofBlock = ({ transactions }: HydratedBlock): number =>
  transactions.reduce((sum, { input }) => sum + 800 + lengthOf(input), 2_000)

/**
 * Approximate number of characters of a block's receipts in a response.
 */
export const ofReceipts = (receipts: ReadonlyArray<Receipt>): number => {
  let weight = 0
  for (const { logs } of receipts) {
    weight += 1_200
    for (const { data } of logs) weight += 900 + data.length
  }
  return weight
}

const ofFlat = (traces: ReadonlyArray<FlatTrace>): number => {
  let weight = 0
  for (const { action, result } of traces) {
    weight += 700 + lengthOf(action.input ?? action.init) + lengthOf(result?.output ?? result?.code)
  }
  return weight
}

const ofFrames = (traces: ReadonlyArray<TransactionTrace>): number => {
  let weight = 0
  const open = traces.flatMap(({ result }) => (result == null ? [] : [result]))
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    weight += 400 + lengthOf(frame.input) + lengthOf(frame.output)
    for (const call of frame.calls ?? []) open.push(call)
  }
  return weight
}

/**
 * Approximate number of characters of a block's traces in a response.
 */
export const ofTraces = (traces: Traces): number => {
  switch (traces._tag) {
    case "Flat":
      return ofFlat(traces.traces)
    case "Frames":
      return ofFrames(traces.traces)
    case "Untraced":
      return 0
  }
}
