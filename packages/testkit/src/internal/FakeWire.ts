/**
 * Blocks of a fake chain in the wire forms of the REST operations and of a node.
 */
import type { BlockWire, HydratedBlockWire } from "@daybook/schema/Block"
import type { LogWire, ReceiptWire } from "@daybook/schema/Receipt"
import type { FeeMarketWire } from "@daybook/schema/Transaction"
import type { MovementWire } from "@daybook/schema/Movement"
import type { TokenWire } from "@daybook/schema/Token"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type { FakeBlock, FakeCall, FakeLog, FakeTransaction } from "../FakeChain.ts"
import type * as FakeLedger from "./FakeLedger.ts"
import * as Traffic from "./Traffic.ts"

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

/** Zero bytes: blooms and roots are not computed. */
const zeros = (bytes: number): string => `0x${"00".repeat(bytes)}`

/** Time of a block in the form of the REST operations. */
export const isoTime = ({ timestamp }: FakeBlock): string => new Date(timestamp * 1_000).toISOString()

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

/** Gas of a call that only moves ether. */
export const callGas = { gas: 2_300, gasUsed: 0 }

const internalTransaction = (block: FakeBlock, { hash }: FakeTransaction, { from, to, value }: FakeCall) => ({
  transaction_hash: hash,
  block_number: block.number,
  block_hash: block.hash,
  type: "CALL",
  from,
  to,
  value: String(value),
  gas: String(callGas.gas),
  gas_used: String(callGas.gasUsed),
  input: "0x",
  output: "0x",
})

/** Additional data of a row besides the transaction. */
export interface RowOptions {
  /** Whether to include internal transactions. */
  readonly hasCalls?: boolean
  /** Roles of the wallet, in a list of all of its transactions. */
  readonly roles?: ReadonlyArray<string> | undefined
}

const plainRow = (block: FakeBlock, transaction: FakeTransaction) => ({
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

/** A wallet transaction, with internal transactions if requested. Source: docs/interface.md#2.2. */
export const row = (
  block: FakeBlock,
  transaction: FakeTransaction,
  { hasCalls = false, roles }: RowOptions = {},
): WalletTransactionWire => {
  const plain = plainRow(block, transaction)
  const calls = () => transaction.calls.map((call) => internalTransaction(block, transaction, call))
  const traced = hasCalls ? { ...plain, internal_transactions: calls() } : plain
  return roles === undefined ? traced : { ...traced, roles }
}

/** Self-description of a token; `null` for the native asset, and for collectibles, whose description the fake does not read. */
export const token = (asset: string): TokenWire | null => {
  const found = Traffic.tokens.find(({ address }) => address === asset)
  return found === undefined ? null : { ...found, decimals: String(found.decimals), block_number: "0" }
}

const textOf = (value: bigint | number | null | undefined): string | null => value?.toString() ?? null

/** A movement. */
export const movement = (
  { block, roles, transaction }: FakeLedger.Entry,
  { amount, asset, counterparty, isFailed, kind, logIndex, tokenId }: FakeLedger.Movement,
  at: number,
): MovementWire => ({
  kind,
  asset,
  token_id: textOf(tokenId),
  token: token(asset),
  amount: String(amount),
  counterparty,
  counterparty_label: null,
  transaction_hash: transaction?.hash ?? null,
  transaction_index: textOf(transaction?.index),
  log_index: textOf(logIndex),
  movement_index: String(at),
  ...blockFields(block),
  failed: isFailed,
  incomplete: false,
  roles,
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

/** Logs of a transaction, in JSON-RPC form. */
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
  withdrawals: one.withdrawals.map(({ address, amountGwei, index, validatorIndex }) => ({
    index: quantity(index),
    validatorIndex: quantity(validatorIndex),
    address,
    amount: quantity(amountGwei),
  })),
  withdrawalsRoot: zeros(32),
})

/** A block, with full transactions or their hashes. */
export const block = (one: FakeBlock, isHydrated: boolean, chainId: number): BlockWire | HydratedBlockWire =>
  isHydrated
    ? { ...blockHeader(one), transactions: one.transactions.map((each) => transaction(one, each, chainId)) }
    : { ...blockHeader(one), transactions: one.transactions.map(({ hash }) => hash) }
