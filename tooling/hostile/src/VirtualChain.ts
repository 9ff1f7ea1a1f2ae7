/**
 * The chain of a hostile node: the test kit's chain with traces. Account values depend on the call, so that a result delivered to the
 * wrong call is detected.
 */
import { createHash } from "node:crypto"
import * as FakeChain from "@daybook/testkit/FakeChain"
import * as FakeNode from "@daybook/testkit/internal/FakeNode"

/** A call of a request, without its id. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The reply to a call. */
export type Reply = FakeNode.Reply

/** Identity of a call: method and parameters. */
export const keyOf = ({ method, params }: Call): string => `${method} ${JSON.stringify(params).toLowerCase()}`

const chain = FakeChain.make({ firstBlock: 1, blocks: 400 })

/** Blocks that differ in the results of every method. */
export const fullBlocks: ReadonlyArray<FakeChain.FakeBlock> = chain
  .blocks()
  .filter(({ transactions }) => transactions.length === 3 && transactions.some(({ logs }) => logs.length > 0))

/** A value of a given number of bytes that depends on the call. */
const derived =
  (method: string, bytes: number) =>
  (params: ReadonlyArray<unknown>): string =>
    `0x1${createHash("sha512")
      .update(keyOf({ method, params }))
      .digest("hex")
      .slice(1, bytes * 2)}`

const blockOf = (id: unknown): FakeChain.FakeBlock | undefined =>
  chain.blocks().find(({ hash, number }) => hash === id || number === Number(id))

const transactionsOf = <A>(
  id: unknown,
  traceOf: (transaction: FakeChain.FakeTransaction, block: FakeChain.FakeBlock) => A,
) => {
  const block = blockOf(id)
  return block === undefined ? null : block.transactions.map((one) => traceOf(one, block))
}

const quantity = (value: bigint): string => `0x${value.toString(16)}`

const flatTrace = ({ from, hash, index, input, to, value }: FakeChain.FakeTransaction, block: FakeChain.FakeBlock) => ({
  action: { callType: "call", from, to, gas: "0x0", input, value: quantity(value) },
  blockHash: block.hash,
  blockNumber: block.number,
  result: { gasUsed: "0x0", output: "0x" },
  subtraces: 0,
  traceAddress: [],
  transactionHash: hash,
  transactionPosition: index,
  type: "call",
})

const frame = ({ from, gas, gasUsed, input, to, value }: FakeChain.FakeTransaction) => ({
  type: "CALL",
  from,
  to,
  gas: quantity(gas),
  gasUsed: quantity(gasUsed),
  input,
  output: "0x",
  value: quantity(value),
})

const node: FakeNode.FakeNode = {
  chain,
  chainId: 1,
  methods: {
    eth_getBalance: derived("eth_getBalance", 9),
    eth_getTransactionCount: derived("eth_getTransactionCount", 4),
    eth_getCode: derived("eth_getCode", 40),
    eth_getStorageAt: derived("eth_getStorageAt", 32),
    eth_call: derived("eth_call", 64),
    trace_block: ([id]) => transactionsOf(id, flatTrace),
    debug_traceBlockByNumber: ([id]) => transactionsOf(id, (one) => ({ txHash: one.hash, result: frame(one) })),
  },
}

/** The reply to a call; error -32601 for an unsupported method. */
export const answer = (call: Call): Reply => FakeNode.answer(node, call)
