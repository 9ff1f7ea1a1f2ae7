/** Correct responses for a block of the tree, as JSON values in wire form, and the internal calls that a wallet page must contain. */
import type { Block, Call, Transaction } from "./Tree.ts"
import { bloomOf } from "./Tree.ts"
import { callsOf } from "./Untraceable.ts"

type Wire = Readonly<Record<string, unknown>>

const hex = (value: number): string => `0x${value.toString(16)}`

const place = (block: Block, index: number) => ({
  blockHash: block.hash,
  blockNumber: hex(block.number),
  transactionIndex: hex(index),
})

const transactionOf = (block: Block, transaction: Transaction, index: number): Wire => ({
  ...place(block, index),
  type: "0x2",
  chainId: "0x1",
  hash: transaction.hash,
  nonce: hex(transaction.nonce),
  from: transaction.from,
  to: transaction.to,
  value: hex(transaction.value),
  gas: "0x186a0",
  gasPrice: "0x8",
  maxFeePerGas: "0x9",
  maxPriorityFeePerGas: "0x1",
  accessList: [],
  input: transaction.input,
  v: "0x0",
  r: "0x1",
  s: "0x1",
})

/** The block with its transactions. */
export const hydrated = (block: Block): Wire => ({
  ...block.header,
  transactions: block.transactions.map((transaction, index) => transactionOf(block, transaction, index)),
})

/** The block with the hashes of its transactions. */
export const plain = (block: Block): Wire => ({
  ...block.header,
  transactions: block.transactions.map(({ hash }) => hash),
})

export const receipts = (block: Block): ReadonlyArray<Wire> => {
  let gas = 0
  let logs = 0
  return block.transactions.map((transaction, index) => {
    gas += transaction.gasUsed
    return {
      ...place(block, index),
      transactionHash: transaction.hash,
      from: transaction.from,
      to: transaction.to,
      contractAddress: transaction.created,
      cumulativeGasUsed: hex(gas),
      gasUsed: hex(transaction.gasUsed),
      effectiveGasPrice: "0x8",
      status: hex(transaction.status),
      type: "0x2",
      logsBloom: bloomOf(transaction.logs),
      logs: transaction.logs.map((log) => ({
        ...place(block, index),
        ...log,
        transactionHash: transaction.hash,
        logIndex: hex(logs++),
        removed: false,
      })),
    }
  })
}

const valueOf = (block: Block, { kind, value }: Call): number =>
  kind === "STATICCALL" || kind === "DELEGATECALL" ? 0 : value + block.callValueOffset

const frame = (block: Block, call: Call): Wire => ({
  type: call.kind,
  from: call.from,
  to: call.to,
  value: call.kind === "STATICCALL" || call.kind === "DELEGATECALL" ? undefined : hex(valueOf(block, call)),
  gas: "0x5208",
  gasUsed: "0x100",
  input: "0x",
  ...(call.isFailed ? { error: "execution reverted" } : { output: "0x" }),
  calls: call.calls.length === 0 ? undefined : call.calls.map((inner) => frame(block, inner)),
})

const rootOf = (transaction: Transaction, isBomb = false): Call => ({
  kind: transaction.created === null ? "CALL" : "CREATE",
  from: transaction.from,
  to: transaction.to ?? transaction.created!,
  value: transaction.value,
  isFailed: transaction.status === 0,
  calls: callsOf(transaction, isBomb),
})

type IsBomb = (transaction: Transaction) => boolean

const noBomb: IsBomb = () => false

/** Traces of the block as nested frames. */
export const frames = (block: Block, isBomb = noBomb): ReadonlyArray<Wire> =>
  block.transactions.map((transaction) => ({
    txHash: transaction.hash,
    result: frame(block, rootOf(transaction, isBomb(transaction))),
  }))

const action = (block: Block, call: Call): Wire => {
  const value = hex(valueOf(block, call))
  const error = call.isFailed ? { error: "Reverted", result: null } : {}
  switch (call.kind) {
    case "CREATE":
      return {
        type: "create",
        action: { from: call.from, value, gas: "0x5208", init: "0x" },
        result: { address: call.to, code: "0x", gasUsed: "0x100" },
        ...error,
      }
    case "SELFDESTRUCT":
      return { type: "suicide", action: { address: call.from, refundAddress: call.to, balance: value }, result: null }
    default:
      return {
        type: "call",
        action: { callType: call.kind.toLowerCase(), from: call.from, to: call.to, value, gas: "0x5208", input: "0x" },
        result: { gasUsed: "0x100", output: "0x" },
        ...error,
      }
  }
}

/** Traces of the block as a flat list, including a block reward. */
export const flat = (block: Block, isBomb = noBomb): ReadonlyArray<Wire> => {
  const list: Array<Wire> = []
  const where = { blockHash: block.hash, blockNumber: block.number }
  for (const [transactionPosition, transaction] of block.transactions.entries()) {
    const walk = (call: Call, traceAddress: ReadonlyArray<number>) => {
      const { hash } = transaction
      const entryFields = {
        ...where,
        transactionHash: hash,
        transactionPosition,
        subtraces: call.calls.length,
        traceAddress,
      }
      list.push({ ...action(block, call), ...entryFields })
      for (const [index, inner] of call.calls.entries()) walk(inner, [...traceAddress, index])
    }
    walk(rootOf(transaction, isBomb(transaction)), [])
  }
  const reward = { type: "reward", action: { author: block.header["miner"], value: "0x0", rewardType: "block" } }
  return [...list, { ...where, ...reward, result: null, subtraces: 0, traceAddress: [] }]
}

/** An internal call of a wallet page: type, from, to, value, and whether it failed. */
export type Internal = readonly [type: string, from: string, to: string | null, value: string, isFailed: boolean]

/** Internal calls of a transaction that transfer value, depth first. Source: decision 0014. */
export const internal = (block: Block, transaction: Transaction): ReadonlyArray<Internal> => {
  const list: Array<Internal> = []
  const walk = (parent: Call, isFailed: boolean) => {
    for (const call of parent.calls) {
      const failed = isFailed || call.isFailed
      if (call.kind !== "STATICCALL" && call.kind !== "DELEGATECALL") {
        list.push([call.kind, call.from, call.to, String(valueOf(block, call)), failed])
      }
      walk(call, failed)
    }
  }
  walk(rootOf(transaction), transaction.status === 0)
  return list
}
