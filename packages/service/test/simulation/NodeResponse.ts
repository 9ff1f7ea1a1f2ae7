/** Correct responses for a block of the tree, as JSON values in wire form, and the internal calls that a wallet page must contain. */
import type { Block, Call, Deed } from "./Tree.ts"
import { bloomOf } from "./Tree.ts"
import { callsOf } from "./Untraceable.ts"

type Wire = Readonly<Record<string, unknown>>

const hex = (value: number): string => `0x${value.toString(16)}`

const place = (block: Block, index: number) => ({
  blockHash: block.hash,
  blockNumber: hex(block.number),
  transactionIndex: hex(index),
})

const transaction = (block: Block, deed: Deed, index: number): Wire => ({
  ...place(block, index),
  type: "0x2",
  chainId: "0x1",
  hash: deed.hash,
  nonce: hex(deed.nonce),
  from: deed.from,
  to: deed.to,
  value: hex(deed.value),
  gas: "0x186a0",
  gasPrice: "0x8",
  maxFeePerGas: "0x9",
  maxPriorityFeePerGas: "0x1",
  accessList: [],
  input: deed.input,
  v: "0x0",
  r: "0x1",
  s: "0x1",
})

/** The block with its transactions. */
export const hydrated = (block: Block): Wire => ({
  ...block.header,
  transactions: block.deeds.map((deed, index) => transaction(block, deed, index)),
})

/** The block with the hashes of its transactions. */
export const plain = (block: Block): Wire => ({ ...block.header, transactions: block.deeds.map(({ hash }) => hash) })

export const receipts = (block: Block): ReadonlyArray<Wire> => {
  let gas = 0
  let logs = 0
  return block.deeds.map((deed, index) => {
    gas += deed.gasUsed
    return {
      ...place(block, index),
      transactionHash: deed.hash,
      from: deed.from,
      to: deed.to,
      contractAddress: deed.created,
      cumulativeGasUsed: hex(gas),
      gasUsed: hex(deed.gasUsed),
      effectiveGasPrice: "0x8",
      status: hex(deed.status),
      type: "0x2",
      logsBloom: bloomOf(deed.logs),
      logs: deed.logs.map((log) => ({
        ...place(block, index),
        ...log,
        transactionHash: deed.hash,
        logIndex: hex(logs++),
        removed: false,
      })),
    }
  })
}

const valueOf = (block: Block, { kind, value }: Call): number =>
  kind === "STATICCALL" || kind === "DELEGATECALL" ? 0 : value + block.twist

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

const rootOf = (deed: Deed, isBomb = false): Call => ({
  kind: deed.created === null ? "CALL" : "CREATE",
  from: deed.from,
  to: deed.to ?? deed.created!,
  value: deed.value,
  isFailed: deed.status === 0,
  calls: callsOf(deed, isBomb),
})

type IsBomb = (deed: Deed) => boolean

const noBomb: IsBomb = () => false

/** Traces of the block as nested frames. */
export const frames = (block: Block, isBomb = noBomb): ReadonlyArray<Wire> =>
  block.deeds.map((deed) => ({ txHash: deed.hash, result: frame(block, rootOf(deed, isBomb(deed))) }))

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
  for (const [transactionPosition, deed] of block.deeds.entries()) {
    const walk = (call: Call, traceAddress: ReadonlyArray<number>) => {
      const { hash } = deed
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
    walk(rootOf(deed, isBomb(deed)), [])
  }
  const reward = { type: "reward", action: { author: block.header["miner"], value: "0x0", rewardType: "block" } }
  return [...list, { ...where, ...reward, result: null, subtraces: 0, traceAddress: [] }]
}

/** An internal call of a wallet page: type, from, to, value, and whether it failed. */
export type Internal = readonly [type: string, from: string, to: string | null, value: string, isFailed: boolean]

/** Internal calls of a transaction that transfer value, depth first. Source: decision 0014. */
export const internal = (block: Block, deed: Deed): ReadonlyArray<Internal> => {
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
  walk(rootOf(deed), deed.status === 0)
  return list
}
