/** Effects of every block on accounts, read from the node block by block. It shares no code with the service. */
import { Effect } from "effect"
import type { Anvil } from "@daybook/chain"
import { below, type RawFrame } from "../node/callFrames.ts"

const hex = (number: number) => `0x${number.toString(16)}`

interface RawLog {
  readonly blockNumber: string
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

/** An account according to the state after each block and the events that contain it. */
export interface AccountHistory {
  /** Balance after each block. */
  readonly balances: ReadonlyArray<bigint>
  /** Blocks that change its balance or nonce, or whose events contain it. Ascending. */
  readonly blocks: ReadonlyArray<number>
  /** Blocks in which it only takes part in a call of a trace. */
  readonly calledIn: ReadonlyArray<number>
}

const atEachBlock = (node: Anvil.Node, method: string, address: string, last: number) =>
  Effect.forEach(
    Array.from({ length: last + 1 }, (_, block) => block),
    (block) => Effect.map(node.call<string>(method, [address, hex(block)]), BigInt),
    { concurrency: 20 },
  )

const changesIn = (values: ReadonlyArray<bigint>): ReadonlyArray<number> =>
  values.flatMap((value, block) => (block > 0 && value !== values[block - 1] ? [block] : []))

/** Events with a holder in a topic: Transfer, TransferSingle, TransferBatch, approvals, wrapped ether. */
const events = /^0x(ddf252ad|c3d58168|4a39dc06|8c5be1e5|17307eab|e1fffcc4|7fcf532c)/

/** Frames of each block as a flat list. */
export const framesOf = Effect.fnUntraced(function* (node: Anvil.Node, last: number) {
  const byBlock = new Map<number, ReadonlyArray<RawFrame>>()
  for (let block = 1; block <= last; block++) {
    const traces = yield* node.call<ReadonlyArray<{ readonly result: RawFrame }>>("debug_traceBlockByNumber", [
      hex(block),
      { tracer: "callTracer" },
    ])
    byBlock.set(
      block,
      traces.flatMap(({ result }) => [result, ...below(result)]),
    )
  }
  return byBlock
})

/** State of an account according to the node. */
export const account = Effect.fnUntraced(function* (
  node: Anvil.Node,
  address: string,
  last: number,
  frames: ReadonlyMap<number, ReadonlyArray<RawFrame>>,
) {
  const balances = yield* atEachBlock(node, "eth_getBalance", address, last)
  const nonces = yield* atEachBlock(node, "eth_getTransactionCount", address, last)
  const logs = yield* node.call<ReadonlyArray<RawLog>>("eth_getLogs", [{ fromBlock: "0x0", toBlock: hex(last) }])
  const topic = `0x${address.slice(2).padStart(64, "0")}`
  // Topic 1 of an ERC-1155 transfer is the operator, which is not a holder.
  const named = logs.filter(({ topics }) => {
    const first = /^0x(c3d58168|4a39dc06)/.test(topics[0] ?? "") ? 2 : 1
    return events.test(topics[0] ?? "") && topics.slice(first).includes(topic)
  })
  const isContract = (yield* node.call<string>("eth_getCode", [address, hex(last)])).length > 48
  const blocks = [
    ...changesIn(balances),
    // The initial nonce of a contract applies from the block of its creation.
    ...(isContract ? changesIn(nonces).slice(0, 1) : changesIn(nonces)),
    ...named.map(({ blockNumber }) => Number(blockNumber)),
  ]
  const calledIn = [...frames].filter(([, all]) => all.some(({ from, to }) => from === address || to === address))
  const history: AccountHistory = {
    balances,
    blocks: [...new Set(blocks)].toSorted((one, other) => one - other),
    calledIn: calledIn.map(([block]) => block),
  }
  return history
})

/** Balance of a token by `balanceOf`. */
export const tokenBalance = (node: Anvil.Node, token: string, address: string, block: number) =>
  Effect.map(
    node.call<string>("eth_call", [{ to: token, data: `0x70a08231${address.slice(2).padStart(64, "0")}` }, hex(block)]),
    BigInt,
  )
