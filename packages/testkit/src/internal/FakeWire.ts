/**
 * The blocks of a fake chain as the REST operation and a node send them.
 */
import type { BlockWire, HydratedBlockWire } from "@daybook/schema/Block"
import type { LogWire, ReceiptWire } from "@daybook/schema/Receipt"
import type { FeeMarketWire } from "@daybook/schema/Transaction"
import type { WalletPageWire } from "@daybook/schema/WalletPage"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type { FakeBlock, FakeLog, FakeTransaction } from "../FakeChain.ts"

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

/** Zero bytes: blooms and roots are not computed. */
const zeros = (bytes: number): string => `0x${"00".repeat(bytes)}`

const isoTime = ({ timestamp }: FakeBlock): string => new Date(timestamp * 1_000).toISOString()

const blockFields = (block: FakeBlock) => ({
  block_timestamp: isoTime(block),
  block_number: String(block.number),
  block_hash: block.hash,
})

const restLog = (block: FakeBlock, transaction: FakeTransaction, { address, data, topics }: FakeLog, at: number) => ({
  log_index: String(transaction.firstLogIndex + at),
  transaction_hash: transaction.hash,
  transaction_index: String(transaction.index),
  address,
  data,
  topic0: topics[0] ?? "",
  topic1: topics[1] ?? "",
  topic2: topics[2] ?? "",
  topic3: topics[3] ?? "",
  ...blockFields(block),
  decoded_event: null,
})

/** A wallet transaction. Source: docs/interface.md#2.2. */
export const row = (block: FakeBlock, transaction: FakeTransaction): WalletTransactionWire => ({
  hash: transaction.hash,
  nonce: String(transaction.nonce),
  transaction_index: String(transaction.index),
  from_address: transaction.from,
  to_address: transaction.to,
  from_address_label: null,
  to_address_label: null,
  value: String(transaction.value),
  gas: String(transaction.gas),
  gas_price: String(transaction.gasPrice),
  input: transaction.input,
  receipt_cumulative_gas_used: String(transaction.cumulativeGasUsed),
  receipt_gas_used: String(transaction.gasUsed),
  receipt_contract_address: "",
  receipt_root: "",
  receipt_status: transaction.succeeded ? "1" : "0",
  ...blockFields(block),
  logs: transaction.logs.map((log, at) => restLog(block, transaction, log, at)),
  decoded_call: null,
})

/** A transaction of JSON-RPC. */
export const transaction = (block: FakeBlock, one: FakeTransaction, chainId: number): FeeMarketWire => ({
  blockHash: block.hash,
  blockNumber: quantity(block.number),
  hash: one.hash,
  from: one.from,
  to: one.to,
  input: one.input,
  gas: quantity(one.gas),
  gasPrice: quantity(one.gasPrice),
  maxFeePerGas: quantity(one.maxFeePerGas),
  maxPriorityFeePerGas: quantity(one.maxPriorityFeePerGas),
  nonce: quantity(one.nonce),
  transactionIndex: quantity(one.index),
  value: quantity(one.value),
  type: "0x2",
  accessList: [],
  chainId: quantity(chainId),
  v: "0x1",
  yParity: "0x1",
  r: quantity(BigInt(one.hash) | 1n),
  s: quantity((BigInt(one.hash) >> 2n) | 1n),
})

/** The logs of a transaction, as JSON-RPC has them. */
export const logs = (
  block: FakeBlock,
  { firstLogIndex, hash, index, logs: all }: FakeTransaction,
): ReadonlyArray<LogWire> =>
  all.map(({ address, data, topics }, at) => ({
    address,
    topics,
    data,
    removed: false,
    blockNumber: quantity(block.number),
    blockHash: block.hash,
    blockTimestamp: quantity(block.timestamp),
    transactionHash: hash,
    transactionIndex: quantity(index),
    logIndex: quantity(firstLogIndex + at),
  }))

/** A receipt. */
export const receipt = (block: FakeBlock, one: FakeTransaction): ReceiptWire => ({
  transactionHash: one.hash,
  transactionIndex: quantity(one.index),
  blockHash: block.hash,
  blockNumber: quantity(block.number),
  from: one.from,
  to: one.to,
  contractAddress: null,
  cumulativeGasUsed: quantity(one.cumulativeGasUsed),
  gasUsed: quantity(one.gasUsed),
  effectiveGasPrice: quantity(one.gasPrice),
  logs: logs(block, one),
  logsBloom: zeros(256),
  status: one.succeeded ? "0x1" : "0x0",
  type: "0x2",
})

const blockHeader = (one: FakeBlock) => ({
  number: quantity(one.number),
  hash: one.hash,
  parentHash: one.parentHash,
  nonce: zeros(8),
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  logsBloom: zeros(256),
  transactionsRoot: zeros(32),
  stateRoot: zeros(32),
  receiptsRoot: zeros(32),
  mixHash: zeros(32),
  miner: "0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5",
  difficulty: "0x0",
  extraData: "0x",
  size: quantity(7e4 + one.transactions.length * 400),
  gasLimit: quantity(36e6),
  gasUsed: quantity(one.gasUsed),
  timestamp: quantity(one.timestamp),
  baseFeePerGas: quantity(one.baseFeePerGas),
  uncles: [],
})

/** A block, with whole transactions or their hashes. */
export const block = (one: FakeBlock, isHydrated: boolean, chainId: number): BlockWire | HydratedBlockWire =>
  isHydrated
    ? { ...blockHeader(one), transactions: one.transactions.map((each) => transaction(one, each, chainId)) }
    : { ...blockHeader(one), transactions: one.transactions.map(({ hash }) => hash) }

/** A page of a wallet's transactions. Source: docs/interface.md#2.1. */
export const page = (
  cursor: string | null,
  limit: number,
  rows: ReadonlyArray<{ readonly block: FakeBlock; readonly transaction: FakeTransaction }>,
): WalletPageWire => ({
  cursor,
  page: "0",
  page_size: String(limit),
  result: rows.map(({ block: of, transaction: one }) => row(of, one)),
})
