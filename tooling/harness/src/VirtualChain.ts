/**
 * Chain of 20 million blocks whose replies are computed from the call alone.
 *
 * Every result depends on the method and its parameters, so that a result delivered to the wrong call is detected. Blocks
 * are linked, hashes resolve to their block, and results have the shapes of a real node. Nothing is stored.
 */
import { createHash } from "node:crypto"

/** Number of the newest block. */
export const head = 20_000_000

/** EIP-155 chain id. */
export const chainId = 1

/** A call of a request, without its id. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The reply to a call. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** Identity of a call: method and parameters. */
export const keyOf = ({ method, params }: Call): string => `${method} ${JSON.stringify(params).toLowerCase()}`

const digest = (label: string, bytes: number): string => {
  let text = ""
  for (let part = 0; text.length < bytes * 2; part++) {
    text += createHash("sha256").update(`${label}/${part}`).digest("hex")
  }
  return text.slice(0, bytes * 2)
}

const data = (label: string, bytes: number): string => `0x${digest(label, bytes)}`
const quantity = (value: number | bigint): string => `0x${value.toString(16)}`
const amount = (label: string, bytes: number): string => quantity(BigInt(data(label, bytes)))
const tail = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, "0")

/** Hash of a block: its last 8 bytes are its number. */
export const blockHash = (block: number): string => `${data(`block ${block}`, 24)}${tail(block, 8)}`

/** Hash of a transaction: its last 10 bytes are its block and its index. */
export const transactionHash = (block: number, index: number): string =>
  `${data(`transaction ${block} ${index}`, 22)}${tail(block, 8)}${tail(index, 2)}`

/** Number of transactions in a block: 0 to 3. */
export const transactionsIn = (block: number): number => block % 4

const timestamp = (block: number): string => quantity(1_438_269_988 + block * 12)

const transaction = (block: number, index: number) => {
  const label = `transaction ${block} ${index}`
  return {
    blockHash: blockHash(block),
    blockNumber: quantity(block),
    from: data(`${label} from`, 20),
    gas: quantity(21_000 + block),
    gasPrice: amount(`${label} price`, 4),
    maxFeePerGas: amount(`${label} fee`, 5),
    maxPriorityFeePerGas: amount(`${label} tip`, 3),
    hash: transactionHash(block, index),
    input: data(`${label} input`, 36),
    nonce: quantity(block % 1000),
    to: data(`${label} to`, 20),
    transactionIndex: quantity(index),
    value: amount(`${label} value`, 8),
    type: "0x2",
    accessList: [],
    chainId: quantity(chainId),
    v: "0x1",
    yParity: "0x1",
    r: amount(`${label} r`, 32),
    s: amount(`${label} s`, 32),
  }
}

const indexes = (block: number): ReadonlyArray<number> => Array.from({ length: transactionsIn(block) }, (_, at) => at)

const block = (number: number, isHydrated: boolean) => {
  const label = `block ${number}`
  return {
    number: quantity(number),
    hash: blockHash(number),
    parentHash: number === 0 ? `0x${tail(0, 32)}` : blockHash(number - 1),
    nonce: data(`${label} nonce`, 8),
    sha3Uncles: data(`${label} uncles`, 32),
    logsBloom: data(`${label} bloom`, 256),
    transactionsRoot: data(`${label} transactions`, 32),
    stateRoot: data(`${label} state`, 32),
    receiptsRoot: data(`${label} receipts`, 32),
    miner: data(`${label} miner`, 20),
    difficulty: "0x0",
    totalDifficulty: quantity(number),
    extraData: data(`${label} extra`, 4),
    size: quantity(1_000 + number),
    gasLimit: "0x1c9c380",
    gasUsed: quantity(21_000 * transactionsIn(number)),
    timestamp: timestamp(number),
    baseFeePerGas: amount(`${label} fee`, 4),
    mixHash: data(`${label} mix`, 32),
    uncles: [],
    transactions: indexes(number).map((index) =>
      isHydrated ? transaction(number, index) : transactionHash(number, index),
    ),
  }
}

const log = (number: number, index: number) => ({
  address: data(`contract ${number % 7}`, 20),
  topics: [data("Transfer", 32), data(`log ${number} ${index}`, 32)],
  data: data(`log ${number} ${index} data`, 32),
  blockHash: blockHash(number),
  blockNumber: quantity(number),
  blockTimestamp: timestamp(number),
  transactionHash: transactionHash(number, index),
  transactionIndex: quantity(index),
  logIndex: quantity(index),
  removed: false,
})

const receipt = (number: number, index: number) => {
  const { from, to, hash, gasPrice } = transaction(number, index)
  return {
    type: "0x2",
    status: "0x1",
    cumulativeGasUsed: quantity(21_000 * (index + 1)),
    logs: [log(number, index)],
    logsBloom: data(`receipt ${number} ${index} bloom`, 256),
    transactionHash: hash,
    transactionIndex: quantity(index),
    blockHash: blockHash(number),
    blockNumber: quantity(number),
    gasUsed: "0x5208",
    effectiveGasPrice: gasPrice,
    from,
    to,
    contractAddress: null,
  }
}

const flatTrace = (number: number, index: number) => {
  const { from, to, hash, input, value } = transaction(number, index)
  return {
    action: { callType: "call", from, to, gas: "0x0", input, value },
    blockHash: blockHash(number),
    blockNumber: number,
    result: { gasUsed: "0x0", output: "0x" },
    subtraces: 0,
    traceAddress: [],
    transactionHash: hash,
    transactionPosition: index,
    type: "call",
  }
}

const frame = (number: number, index: number) => {
  const { from, to, input, value } = transaction(number, index)
  return { type: "CALL", from, to, gas: "0x5208", gasUsed: "0x5208", input, output: "0x", value }
}

const numberOf = (id: unknown): number | undefined => {
  if (id === "earliest") return 0
  if (typeof id !== "string" || !/^0x[0-9a-f]+$/i.test(id)) return head
  if (id.length === 66) {
    const found = Number.parseInt(id.slice(50), 16)
    return found <= head && blockHash(found) === id.toLowerCase() ? found : undefined
  }
  const found = Number.parseInt(id, 16)
  return found <= head ? found : undefined
}

const locate = (hash: unknown): readonly [number, number] | undefined => {
  if (typeof hash !== "string") return undefined
  const [number, index] = [Number.parseInt(hash.slice(46, 62), 16), Number.parseInt(hash.slice(62), 16)]
  return transactionHash(number, index) === hash.toLowerCase() && index < transactionsIn(number)
    ? [number, index]
    : undefined
}

const inBlock = <A>(id: unknown, give: (number: number) => A): A | null => {
  const number = numberOf(id)
  return number === undefined ? null : give(number)
}

const inLocation = <A>(found: readonly [number, number] | undefined, give: (number: number, index: number) => A) =>
  found === undefined ? null : give(...found)

const byIndex = (id: unknown, index: unknown) =>
  inBlock(id, (number) => (Number(index) < transactionsIn(number) ? transaction(number, Number(index)) : null))

const maxLogBlocks = 100

const logs = (filter: unknown): ReadonlyArray<unknown> => {
  const { fromBlock, toBlock, blockHash: hash } = (filter ?? {}) as Readonly<Record<string, unknown>>
  const from = numberOf(hash ?? fromBlock) ?? head
  const to = Math.min(numberOf(hash ?? toBlock) ?? head, from + maxLogBlocks - 1)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at).flatMap((number) =>
    indexes(number).map((index) => log(number, index)),
  )
}

type Method = (params: ReadonlyArray<unknown>, key: string) => unknown

const methods: Readonly<Record<string, Method>> = {
  eth_chainId: () => quantity(chainId),
  net_version: () => String(chainId),
  web3_clientVersion: () => "Daybook/virtual-chain",
  eth_syncing: () => false,
  eth_blockNumber: () => quantity(head),
  eth_gasPrice: (_, key) => amount(key, 4),
  eth_maxPriorityFeePerGas: (_, key) => amount(key, 4),
  eth_getBalance: (_, key) => amount(key, 9),
  eth_getTransactionCount: (_, key) => amount(key, 2),
  eth_estimateGas: (_, key) => amount(key, 3),
  eth_getCode: (_, key) => data(key, 40),
  eth_getStorageAt: (_, key) => data(key, 32),
  eth_call: (_, key) => data(key, 64),
  eth_getBlockByNumber: ([id, isHydrated]) => inBlock(id, (number) => block(number, isHydrated === true)),
  eth_getBlockByHash: ([id, isHydrated]) => inBlock(id, (number) => block(number, isHydrated === true)),
  eth_getTransactionByHash: ([hash]) => inLocation(locate(hash), transaction),
  eth_getTransactionReceipt: ([hash]) => inLocation(locate(hash), receipt),
  eth_getTransactionByBlockHashAndIndex: ([id, index]) => byIndex(id, index),
  eth_getTransactionByBlockNumberAndIndex: ([id, index]) => byIndex(id, index),
  eth_getBlockReceipts: ([id]) => inBlock(id, (number) => indexes(number).map((index) => receipt(number, index))),
  eth_getLogs: ([filter]) => logs(filter),
  trace_block: ([id]) => inBlock(id, (number) => indexes(number).map((index) => flatTrace(number, index))),
  debug_traceBlockByNumber: ([id]) =>
    inBlock(id, (number) =>
      indexes(number).map((index) => ({ txHash: transactionHash(number, index), result: frame(number, index) })),
    ),
  debug_traceTransaction: ([hash]) => inLocation(locate(hash), frame),
}

/** Names of the supported methods. */
export const methodNames: ReadonlyArray<string> = Object.keys(methods)

/** The reply to a call; error -32601 for an unsupported method. */
export const answer = (call: Call): Reply => {
  const give = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined
  return give === undefined
    ? { error: { code: -32601, message: `the method ${call.method} does not exist/is not available` } }
    : { result: give(call.params, keyOf(call)) }
}
