/** Calls of every transaction of a chain, read from its node. It shares no code with the service. */
import { Effect } from "effect"
import { batch } from "../../books/balanceOracle.ts"
import type { RawFrame } from "../../node/callFrames.ts"

/** A call of a transaction, with its depth. */
export interface ListedFrame {
  readonly type: string
  readonly depth: number
  readonly from: string
  readonly to: string
  readonly value: string | null
  readonly input: string
  readonly output: string
  readonly isFailed: boolean
}

/** A transaction with its calls in pre-order. */
export interface TracedTransaction {
  readonly hash: string
  readonly block: number
  readonly index: number
  readonly frames: ReadonlyArray<ListedFrame>
}

type Traced = RawFrame & { readonly input?: string; readonly output?: string; readonly calls?: ReadonlyArray<Traced> }

const list = (root: Traced): ReadonlyArray<ListedFrame> => {
  const frames: Array<ListedFrame> = []
  const walk = (
    { calls = [], error, from, input, output, to, type, value }: Traced,
    depth: number,
    isBelow: boolean,
  ) => {
    const isFailed = isBelow || error !== undefined
    frames.push({
      type,
      depth,
      from,
      to: to ?? "",
      value: value ?? null,
      input: input ?? "0x",
      output: output ?? "0x",
      isFailed,
    })
    for (const call of calls) walk(call, depth + 1, isFailed)
  }
  walk(root, 0, false)
  return frames
}

const hex = (number: number) => `0x${number.toString(16)}`

/** Transactions of the blocks from 0 to `last`, oldest first. */
export const read = Effect.fnUntraced(function* (node: { readonly url: string }, last: number) {
  const numbers = Array.from({ length: last + 1 }, (_, number) => number)
  const traces = (yield* batch(
    node,
    numbers.slice(1).map((number) => ["debug_traceBlockByNumber", [hex(number), { tracer: "callTracer" }]]),
  )) as ReadonlyArray<ReadonlyArray<{ readonly txHash: string; readonly result: Traced }>>
  return traces.flatMap((block, at) =>
    block.map(({ result, txHash }, index): TracedTransaction => ({
      hash: txHash,
      block: at + 1,
      index,
      frames: list(result),
    })),
  )
})
