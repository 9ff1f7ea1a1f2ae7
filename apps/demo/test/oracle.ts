/** Reads a chain from the node with plain JSON-RPC, as the reference of tests. It shares no code with the code under test. */
import type { Anvil } from "@daybook/chain"
import { Effect } from "effect"

/** A transaction as returned by the node. */
export interface Transaction {
  readonly hash: string
  readonly block: number
  readonly index: number
  readonly timestamp: number
  readonly from: string
  readonly to: string | null
  readonly created: string | null
  readonly value: bigint
  readonly status: number
  readonly logs: number
  /** Frames below the root that can transfer value, depth first. */
  readonly inner: ReadonlyArray<{
    readonly type: string
    readonly from: string
    readonly to: string
    readonly value: bigint
  }>
}

interface Frame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly calls?: ReadonlyArray<Frame>
}

const kept = new Set(["CALL", "CALLCODE", "CREATE", "CREATE2", "SELFDESTRUCT"])

const below = (frame: Frame): ReadonlyArray<Frame> => (frame.calls ?? []).flatMap((call) => [call, ...below(call)])

const number = (hex: string) => `0x${hex}`

/** All transactions of the chain from block 0 to `last`, in chain order. */
export const scan = Effect.fn("oracle.scan")(function* (node: Anvil.Node, last: number) {
  const scanned: Array<Transaction> = []
  for (let height = 0; height <= last; height++) {
    const id = number(height.toString(16))
    const block = yield* node.call<{
      readonly timestamp: string
      readonly transactions: ReadonlyArray<{
        readonly hash: string
        readonly from: string
        readonly to: string | null
        readonly value: string
      }>
    }>("eth_getBlockByNumber", [id, true])
    if (block.transactions.length === 0) continue
    const receipts = yield* node.call<
      ReadonlyArray<{
        readonly status: string
        readonly contractAddress: string | null
        readonly logs: ReadonlyArray<unknown>
      }>
    >("eth_getBlockReceipts", [id])
    const traces = yield* node.call<ReadonlyArray<{ readonly result: Frame }>>("debug_traceBlockByNumber", [
      id,
      { tracer: "callTracer" },
    ])
    for (const [index, transaction] of block.transactions.entries()) {
      const receipt = receipts[index]
      const trace = traces[index]
      if (receipt === undefined || trace === undefined)
        throw new Error(`block ${height} has no receipt or trace ${index}`)
      scanned.push({
        hash: transaction.hash,
        block: height,
        index,
        timestamp: Number(block.timestamp),
        from: transaction.from,
        to: transaction.to,
        created: receipt.contractAddress,
        value: BigInt(transaction.value),
        status: Number(receipt.status),
        logs: receipt.logs.length,
        inner: below(trace.result)
          .filter((frame) => kept.has(frame.type))
          .map((frame) => ({
            type: frame.type,
            from: frame.from,
            to: frame.to ?? "",
            value: BigInt(frame.value ?? "0x0"),
          })),
      })
    }
  }
  return scanned
})

/** Transactions in which a wallet is the sender, the recipient or the created contract. */
export const historyOf = (transactions: ReadonlyArray<Transaction>, address: string): ReadonlyArray<Transaction> =>
  transactions.filter(({ created, from, to }) => from === address || to === address || created === address)
