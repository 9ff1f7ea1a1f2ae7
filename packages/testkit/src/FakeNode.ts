/**
 * The methods of a node on a fake chain: blocks, transactions, receipts, logs and what wallets ask beside them.
 */
import type { FakeBlock, FakeChain, FakeTransaction } from "./FakeChain.ts"
import * as FakeWire from "./FakeWire.ts"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

type Method = (chain: FakeChain, chainId: number, params: ReadonlyArray<unknown>) => unknown

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

const finalityBlocks = 64

/** The block of a number, hash or tag. */
const blockOf = (chain: FakeChain, id: unknown): FakeBlock | undefined => {
  const blocks = chain.blocks()
  if (typeof id === "object" && id !== null) return blockOf(chain, Object.values(id)[0])
  if (id === "earliest") return blocks[0]
  if (id === "safe" || id === "finalized") return blocks.at(-finalityBlocks) ?? blocks[0]
  if (typeof id !== "string" || !id.startsWith("0x")) return blocks.at(-1)
  return id.length === 66
    ? blocks.find(({ hash }) => hash === id.toLowerCase())
    : blocks.find(({ number }) => number === Number(id))
}

interface Located {
  readonly block: FakeBlock
  readonly transaction: FakeTransaction
}

const locate = (chain: FakeChain, hash: unknown): Located | undefined => {
  for (const block of chain.blocks()) {
    const transaction = block.transactions.find((one) => one.hash === hash)
    if (transaction !== undefined) return { block, transaction }
  }
  return undefined
}

const inBlock = (chain: FakeChain, chainId: number, [id, index]: ReadonlyArray<unknown>) => {
  const block = blockOf(chain, id)
  const found = block?.transactions[Number(index)]
  return block === undefined || found === undefined ? null : FakeWire.transaction(block, found, chainId)
}

const givenBlock: Method = (chain, chainId, [id, isHydrated]) => {
  const block = blockOf(chain, id)
  return block === undefined ? null : FakeWire.block(block, isHydrated === true, chainId)
}

/** True where a value, or one of a list, is wanted; nothing wants all. */
const matches = (wanted: unknown, value: string | undefined): boolean => {
  if (wanted === null || wanted === undefined) return true
  const all: ReadonlyArray<unknown> = Array.isArray(wanted) ? wanted : [wanted]
  return all.some((one) => String(one).toLowerCase() === value)
}

interface Filter {
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
  readonly blockHash?: unknown
  readonly address?: unknown
  readonly topics?: ReadonlyArray<unknown>
}

const logs: Method = (chain, _chainId, [given]) => {
  const { address, blockHash, fromBlock, toBlock, topics = [] } = (given ?? {}) as Filter
  const [from, to] = [blockOf(chain, blockHash ?? fromBlock), blockOf(chain, blockHash ?? toBlock)]
  const [first, last] = [from?.number ?? Number(fromBlock), to?.number ?? Number(toBlock)]
  return chain
    .blocks()
    .filter(({ number }) => number >= first && number <= last)
    .flatMap((block) => block.transactions.flatMap((transaction) => FakeWire.logs(block, transaction)))
    .filter((log) => matches(address, log.address) && topics.every((topic, at) => matches(topic, log.topics[at])))
}

const ether = 10n ** 18n

const methods: Readonly<Record<string, Method>> = {
  eth_chainId: (_chain, chainId) => quantity(chainId),
  net_version: (_chain, chainId) => String(chainId),
  eth_syncing: () => false,
  eth_blockNumber: (chain) => quantity(blockOf(chain, "latest")?.number ?? 0),
  eth_gasPrice: (chain) => quantity((blockOf(chain, "latest")?.baseFeePerGas ?? 0n) + 10n ** 9n),
  eth_maxPriorityFeePerGas: () => quantity(10n ** 9n),
  eth_getBalance: () => quantity(3n * ether),
  eth_getTransactionCount: (chain, _chainId, [address]) =>
    quantity(
      chain
        .blocks()
        .flatMap(({ transactions }) => transactions)
        .filter(({ from }) => from === String(address).toLowerCase()).length,
    ),
  eth_getBlockByNumber: givenBlock,
  eth_getBlockByHash: givenBlock,
  eth_getTransactionByHash: (chain, chainId, [hash]) => {
    const found = locate(chain, hash)
    return found === undefined ? null : FakeWire.transaction(found.block, found.transaction, chainId)
  },
  eth_getTransactionByBlockHashAndIndex: inBlock,
  eth_getTransactionByBlockNumberAndIndex: inBlock,
  eth_getTransactionReceipt: (chain, _chainId, [hash]) => {
    const found = locate(chain, hash)
    return found === undefined ? null : FakeWire.receipt(found.block, found.transaction)
  },
  eth_getBlockReceipts: (chain, _chainId, [id]) => {
    const block = blockOf(chain, id)
    return block === undefined ? null : block.transactions.map((one) => FakeWire.receipt(block, one))
  },
  eth_getLogs: logs,
}

const answer = (chain: FakeChain, chainId: number, { id, method, params = [] }: Call) => {
  const give = Object.hasOwn(methods, method) ? methods[method] : undefined
  return give === undefined
    ? { jsonrpc: "2.0", id, error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
    : { jsonrpc: "2.0", id, result: give(chain, chainId, params) }
}

/** The reply to the body of a request: one call, or a batch. */
export const reply = (chain: FakeChain, chainId: number, body: Call | ReadonlyArray<Call>): unknown =>
  Array.isArray(body) ? body.map((call: Call) => answer(chain, chainId, call)) : answer(chain, chainId, body as Call)
