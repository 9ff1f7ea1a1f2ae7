/**
 * Methods of a node on a fake chain: blocks, transactions, receipts, logs, and the other methods that wallets call.
 */
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { FakeBlock, FakeChain, FakeTransaction } from "../FakeChain.ts"
import * as FakeLedger from "./FakeLedger.ts"
import * as FakeWire from "./FakeWire.ts"
import * as Traffic from "./Traffic.ts"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown> | null
}

type Method = (chain: FakeChain, chainId: number, params: ReadonlyArray<unknown>) => unknown

const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

const finalityBlocks = 64

/** Finds a block by number, hash or tag. */
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

/** True if a value equals the wanted one or is in the wanted list; without a wanted value, everything matches. */
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
  // An empty list would hide that the block was replaced.
  if (blockHash !== undefined && blockOf(chain, blockHash) === undefined) throw new Error("unknown block")
  const [from, to] = [blockOf(chain, blockHash ?? fromBlock), blockOf(chain, blockHash ?? toBlock)]
  const [first, last] = [from?.number ?? Number(fromBlock), to?.number ?? Number(toBlock)]
  return chain
    .blocks()
    .filter(({ number }) => number >= first && number <= last)
    .flatMap((block) => block.transactions.flatMap((transaction) => FakeWire.logs(block, transaction)))
    .filter((log) => matches(address, log.address) && topics.every((topic, at) => matches(topic, log.topics[at])))
}

/**
 * Number of a block, which may lie before the first one: balances there are the opening balances. Throws for a block that is not on the
 * chain.
 */
const numberOf = (chain: FakeChain, id: unknown): number => {
  const found = blockOf(chain, id)?.number
  if (found !== undefined) return found
  if (typeof id === "object" && id !== null) return numberOf(chain, Object.values(id)[0])
  // Sound: a chain has at least one block, and tags are always found.
  if (String(id).length < 66 && Number(id) < chain.blocks()[0]!.number) return Number(id)
  throw new Error("header not found")
}

/** Balance of an account in an asset after a block: the sum of its movements and its opening balance. */
const heldAt = (chain: FakeChain, address: unknown, id: unknown, asset: string, tokenId?: bigint): bigint =>
  FakeLedger.heldAt(chain.blocks(), String(address).toLowerCase(), {
    asset,
    number: numberOf(chain, id),
    tokenId: tokenId ?? null,
  })

const [word, account] = ["([0-9a-f]{64})", "[0-9a-f]{24}([0-9a-f]{40})"]

/** `balanceOf(address)`, `balanceOf(address,uint256)` and `ownerOf(uint256)`. */
const balanceOf = new RegExp(`^0x70a08231${account}$`, "i")
const balanceOfId = new RegExp(`^0x00fdd58e${account}${word}$`, "i")
const ownerOf = new RegExp(`^0x6352211e${word}$`, "i")

const wordOf = (value: bigint): string => `0x${value.toString(16).padStart(64, "0")}`

/** Answer of a contract on the chain to a balance or owner call; undefined for other calls. */
const holdingCall = (chain: FakeChain, [call, id]: ReadonlyArray<unknown>): string | undefined => {
  const { data, input = data ?? "", to } = (call ?? {}) as Readonly<Record<"data" | "input" | "to", string | undefined>>
  const asset = String(to).toLowerCase()
  const [, owner] = balanceOf.exec(input) ?? []
  if (owner !== undefined && Traffic.counted.has(asset)) return wordOf(heldAt(chain, `0x${owner}`, id, asset))
  const [, holder, token] = balanceOfId.exec(input) ?? []
  if (token !== undefined && asset === Traffic.multiTokens) {
    return wordOf(heldAt(chain, `0x${holder}`, id, asset, BigInt(`0x${token}`)))
  }
  const [, owned] = ownerOf.exec(input) ?? []
  if (owned === undefined || asset !== Traffic.collectibles) return undefined
  const found = FakeLedger.ownerAt(chain.blocks(), {
    asset,
    number: numberOf(chain, id),
    tokenId: BigInt(`0x${owned}`),
  })
  return found === undefined ? undefined : wordOf(BigInt(found))
}

const methods: Readonly<Record<string, Method>> = {
  eth_chainId: (_chain, chainId) => quantity(chainId),
  net_version: (_chain, chainId) => String(chainId),
  web3_clientVersion: () => "Daybook/testkit",
  eth_syncing: () => false,
  eth_blockNumber: (chain) => quantity(blockOf(chain, "latest")?.number ?? 0),
  eth_gasPrice: (chain) => quantity((blockOf(chain, "latest")?.baseFeePerGas ?? 0n) + 10n ** 9n),
  eth_maxPriorityFeePerGas: () => quantity(10n ** 9n),
  eth_getBalance: (chain, _chainId, [address, id]) => quantity(heldAt(chain, address, id, "native")),
  eth_getTransactionCount: (chain, _chainId, [address, id]) =>
    quantity(
      chain
        .blocks()
        .filter(({ number }) => number <= numberOf(chain, id))
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
  eth_getBlockTransactionCountByNumber: (chain, _chainId, [id]) => {
    const block = blockOf(chain, id)
    return block === undefined ? null : quantity(block.transactions.length)
  },
  eth_getUncleByBlockNumberAndIndex: () => null,
  eth_getTransactionReceipt: (chain, _chainId, [hash]) => {
    const found = locate(chain, hash)
    return found === undefined ? null : FakeWire.receipt(found.block, found.transaction)
  },
  eth_getBlockReceipts: (chain, _chainId, [id]) => {
    const block = blockOf(chain, id)
    return block === undefined ? null : block.transactions.map((one) => FakeWire.receipt(block, one))
  },
  eth_getLogs: logs,
  eth_getCode: () => "0x",
  eth_estimateGas: () => quantity(21_000),
}

/** A fake node: its chain, and the methods provided by a test. */
export interface FakeNode {
  readonly chain: FakeChain
  readonly chainId: number
  readonly methods: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>
}

const invalidParams = -32602
const notFound = -32601
const failed = -32000

const positionalOnly = 'Invalid JSON-RPC request "params": expected an array (parameters by position).'

/** Issue of the parameters of a known method; nodes have defaults for an omitted block. */
const issueOf = (method: string, params: ReadonlyArray<unknown>): string | undefined => {
  if (!RpcMethod.isName(method)) return undefined
  const { defaultParam, params: schema } = RpcMethod.all[method]
  const [issue] = Issue.find(schema, params.length === defaultParam?.at ? [...params, defaultParam.value] : params)
  return issue && Issue.format("params", issue)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Reply to a call, without its envelope. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

const failure = (code: number, message: string): Reply => ({ error: { code, message } })

/** Reply to a call: from a provided method, otherwise from the chain. */
export const answer = (
  { chain, chainId, methods: given }: FakeNode,
  { method, params: sent }: Omit<Call, "id">,
): Reply => {
  const params: unknown = sent ?? []
  if (!Array.isArray(params)) return failure(invalidParams, positionalOnly)
  const own = Object.hasOwn(given, method) ? given[method] : undefined
  const known = Object.hasOwn(methods, method) ? methods[method] : undefined
  const issue = issueOf(method, params)
  if (issue !== undefined) return failure(invalidParams, issue)
  try {
    if (own !== undefined) return { result: own(params) }
    const balance = method === "eth_call" ? holdingCall(chain, params) : undefined
    if (balance !== undefined) return { result: balance }
    return known === undefined
      ? failure(notFound, `the method ${method} does not exist/is not available`)
      : { result: known(chain, chainId, params) }
  } catch (error) {
    return failure(failed, messageOf(error))
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isCall = (value: unknown): value is Call =>
  typeof value === "object" && value !== null && "method" in value && typeof value.method === "string"

const invalid = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, ...failure(code, message) })

/** Reply to the body of a request, one call or a batch; undefined if no call has an id. */
export const reply = (node: FakeNode, text: string): unknown => {
  const body = parsed(text)
  if (body === undefined) return invalid(JsonRpc.code.parseError, "Invalid request: expected JSON.")
  const one = (call: unknown) => {
    if (!isCall(call)) return invalid(JsonRpc.code.invalidRequest, "Invalid request.")
    const answered = answer(node, call)
    return call.id === undefined ? undefined : { jsonrpc: "2.0", id: call.id, ...answered }
  }
  if (!Array.isArray(body)) return one(body)
  if (body.length === 0) return invalid(JsonRpc.code.invalidRequest, "Invalid request: expected at least one call.")
  const replies = body.flatMap((call) => one(call) ?? [])
  return replies.length === 0 ? undefined : replies
}
