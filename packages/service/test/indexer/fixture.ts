/** A small block in the wire form of a node: a token transfer of type 2 with one log, and a contract creation of type 0 with two. */
import { Schema } from "effect"
import * as Block from "@daybook/schema/Block"
import * as RpcMethod from "@daybook/schema/RpcMethod"

export const hash = (digit: string) => `0x${digit.repeat(64)}`
export const address = (digit: string) => `0x${digit.repeat(40)}`

export const blockHash = hash("b")
export const transferHash = hash("1")
export const creationHash = hash("2")
export const sender = address("a")
export const token = address("c")
export const created = address("d")
export const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
export const word = (digits: string) => digits.padStart(64, "0")
export const transferInput = `0xa9059cbb${word("e".repeat(40))}${word("05")}`
const bloom = `0x${"0".repeat(512)}`

type Wire = Readonly<Record<string, unknown>>

const place = (index: number) => ({ blockHash, blockNumber: "0x64", transactionIndex: `0x${index.toString(16)}` })

export const transferWire: Wire = {
  ...place(0),
  type: "0x2",
  chainId: "0x1",
  hash: transferHash,
  nonce: "0x7",
  from: sender,
  to: token,
  value: "0x0",
  gas: "0x186a0",
  gasPrice: "0x3b9aca07",
  maxFeePerGas: "0x77359400",
  maxPriorityFeePerGas: "0x3b9aca00",
  accessList: [],
  input: transferInput,
  v: "0x0",
  r: "0x1",
  s: "0x1",
}

export const creationWire: Wire = {
  ...place(1),
  hash: creationHash,
  nonce: "0x8",
  from: sender,
  to: null,
  value: "0x1",
  gas: "0xf4240",
  gasPrice: "0x4a817c800",
  input: "0x6001",
  v: "0x1b",
  r: "0x1",
  s: "0x1",
}

export const logWire = (index: number, transactionIndex: number, more: Wire = {}): Wire => ({
  blockHash,
  blockNumber: "0x64",
  transactionHash: transactionIndex === 0 ? transferHash : creationHash,
  transactionIndex: `0x${transactionIndex.toString(16)}`,
  logIndex: `0x${index.toString(16)}`,
  address: token,
  topics: [topic, `0x${word(sender.slice(2))}`, `0x${word("e".repeat(40))}`],
  data: `0x${word("05")}`,
  removed: false,
  ...more,
})

export const transferReceiptWire: Wire = {
  ...place(0),
  transactionHash: transferHash,
  from: sender,
  to: token,
  cumulativeGasUsed: "0xc350",
  gasUsed: "0xc350",
  effectiveGasPrice: "0x3b9aca07",
  contractAddress: null,
  logs: [logWire(0, 0)],
  logsBloom: bloom,
  status: "0x1",
  type: "0x2",
}

export const creationReceiptWire: Wire = {
  ...place(1),
  transactionHash: creationHash,
  from: sender,
  to: null,
  cumulativeGasUsed: "0x1adb0",
  gasUsed: "0xea60",
  contractAddress: created,
  logs: [logWire(1, 1, { topics: [], data: "0x" }), logWire(2, 1, { topics: [hash("9")] })],
  logsBloom: bloom,
  root: hash("f"),
}

export const blockWire: Wire = {
  number: "0x64",
  hash: blockHash,
  parentHash: hash("a"),
  sha3Uncles: hash("3"),
  logsBloom: bloom,
  transactionsRoot: hash("4"),
  stateRoot: hash("5"),
  receiptsRoot: hash("6"),
  miner: address("0"),
  difficulty: "0x0",
  extraData: "0x",
  size: "0x400",
  gasLimit: "0x1c9c380",
  gasUsed: "0x1adb0",
  timestamp: "0x60951fb3",
  uncles: [],
  baseFeePerGas: "0x7",
  transactions: [transferWire, creationWire],
}

/** The block with some fields of its wire form replaced. */
export const block = (more: Wire = {}) => Schema.decodeUnknownSync(Block.HydratedBlock)({ ...blockWire, ...more })

/** Receipts decoded from their wire form. */
export const receipts = (wire: ReadonlyArray<Wire> = [transferReceiptWire, creationReceiptWire]) =>
  Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.result)(wire) ?? []

/** Flat traces decoded from their wire form. */
export const flat = (wire: ReadonlyArray<unknown>) =>
  Schema.decodeUnknownSync(RpcMethod.all.trace_block.result)(wire) ?? []

/** Nested traces decoded from their wire form. */
export const frames = (wire: ReadonlyArray<unknown>) =>
  Schema.decodeUnknownSync(RpcMethod.all.debug_traceBlockByNumber.result)(wire)
