/**
 * Writes a line for each transaction of a local chain, read from the service next to it like any other client, and a line for reverted
 * blocks.
 *
 * Source: decision 0060.
 */
import { createExplorerClient, type ExplorerClient } from "@daybook/rest/ExplorerClient"
import { createRestClient, type RestPromiseClient, type WalletTransaction } from "@daybook/rest/promise"
import { createRpcClient, isRpcError, type RpcClient } from "@daybook/rpc/promise"
import * as Revert from "@daybook/rpc/Revert"
import * as Chain from "@daybook/schema/Chain"
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { Token } from "@daybook/schema/Token"
import { transfers } from "@daybook/schema/TokenTransfer"
import * as Log from "@daybook/schema/Log"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import { fromDefect } from "../supervision/UnexpectedFailure.ts"
import type { Running } from "./Running.ts"
import * as TransactionLine from "./TransactionLine.ts"

/** Interval between checks of the index's head. */
const pollMillis = 200

/** Maximum number of blocks whose transactions are written at once; if the chain is further ahead, they are skipped. */
const maxBlocks = 200

/** Number of block hashes kept to detect reverted blocks. */
const maxHashes = 1_000

/** Maximum number of rows of a sender in a block. */
const limit = 1_000

/** Interval between lookups of the name of a newly created contract. */
const nameMillis = 100

/** Total time that the lines of a block wait for such names. */
const namesMillis = 800

/** Movements that are incidental to the purpose of a transaction. */
const asides: ReadonlySet<string> = new Set(["fee", "reward", "genesis"])

/** Clients used to read the lines of blocks. */
interface Clients {
  readonly chain: string
  readonly url: string
  /** Symbol of the currency of the chain. */
  readonly symbol: string
  readonly rest: RestPromiseClient
  readonly explorer: ExplorerClient
  readonly rpc: RpcClient
  /** The node itself, used to execute a call again at a block. */
  readonly node: RpcClient
  /** Whether contracts are named once their code is compared with a project. */
  readonly hasProject: boolean
}

const clientsOf = ({ chain, node, url }: Running, hasProject: boolean): Clients => {
  const options = { baseUrl: url, apiKey: "dev", retry: { maxAttempts: 1 } }
  return {
    chain,
    url,
    symbol: Chain.all.find(({ id }) => id === BigInt(node.chainId))?.symbol ?? "ETH",
    rest: createRestClient(options),
    explorer: createExplorerClient(options),
    rpc: createRpcClient({ url: `${url}/rpc/${encodeURIComponent(chain)}`, retry: { maxAttempts: 1 } }),
    node: createRpcClient({ url: node.url, retry: { maxAttempts: 1 } }),
    hasProject,
  }
}

/** Return data of a failed transaction, or its revert reason: from its trace, or else by executing it again on the preceding block. */
const revertData = async ({ node, rpc }: Clients, row: WalletTransaction): Promise<string | undefined> => {
  const trace = await rpc.debug_traceTransaction(row.hash, { tracer: "callTracer" }).catch(() => undefined)
  if (trace?.output !== undefined && trace.output !== null && trace.output !== "0x") return trace.output
  const call = { from: row.from_address, to: row.to_address, value: row.value, data: row.input, gas: row.gas }
  try {
    await node.eth_call(call, row.block_number - 1n)
    return undefined
  } catch (error) {
    const revert = isRpcError(error) && error._tag === "RpcError" ? error.revert : undefined
    return revert?._tag === "Custom" ? revert.data : Revert.formatReason(revert)
  }
}

const errorText = ({ label, params }: DecodedItem): string =>
  `${label}(${params.map(({ name, value }) => (name === "" ? value : `${name}: ${value}`)).join(", ")})`

const reasonOf = async (clients: Clients, row: WalletTransaction): Promise<string | undefined> => {
  const data = await revertData(clients, row)
  if (data === undefined || !/^0x(?:[0-9a-f]{2}){4,2048}$/i.test(data)) return data
  const plain = Revert.formatReason(Revert.fromData(data))
  if (plain !== undefined) return plain
  const { chain, explorer } = clients
  const error = `${row.to_address ?? row.from_address}:${data.toLowerCase()}`
  const { result } = await explorer.names({ chain, error: [error] })
  const found = result.errors[0]
  return found === null || found === undefined ? `custom error ${data.slice(0, 10)}` : errorText(found)
}

const addressesOf = (row: WalletTransaction): ReadonlyArray<string> => [
  row.from_address,
  ...(row.to_address === null ? [] : [row.to_address]),
  ...(row.receipt_contract_address === null ? [] : [row.receipt_contract_address]),
  ...(row.decoded_call?.params ?? []).flatMap(({ type, value }) =>
    type === "address" ? [String(value).toLowerCase()] : [],
  ),
  ...transfers(row).flatMap(({ from, to, token }) => [from, to, token]),
]

/** Maximum number of names per request. */
const maxNames = 100

const namesOf = async ({ chain, explorer }: Clients, addresses: ReadonlyArray<string>) => {
  const wanted = [...new Set(addresses)].slice(0, maxNames)
  const { result } = await explorer.names({ chain, address: wanted })
  return new Map(
    wanted.flatMap((address, at) => (result.addresses[at] ? [[address, result.addresses[at]] as const] : [])),
  )
}

/** Names of a transaction's addresses; waits for the name of a contract that it created until the deadline. */
const namesIn = Effect.fnUntraced(function* (clients: Clients, row: WalletTransaction, deadline: number) {
  const { receipt_contract_address: created } = row
  const isAwaited = clients.hasProject && created !== null && row.receipt_status !== 0
  const lookup = Effect.tryPromise(() => namesOf(clients, addressesOf(row)))
  let names = yield* lookup
  while (isAwaited && !names.has(created) && (yield* MonotonicClock.millis) < deadline) {
    yield* Effect.sleep(nameMillis)
    names = yield* lookup
  }
  return names
})

/** Movements of the sender without fees, and whether they are complete, since a block may have more of them than are read. */
const movementsOf = async (
  { chain, rest }: Clients,
  { block_number: block, from_address: address, hash }: WalletTransaction,
) => {
  const query = { address, chain, from_block: block, to_block: block, order: "ASC", limit } as const
  const page = await rest.movements(query)
  const rows = page.result.filter((row) => row.transaction_hash === hash && !asides.has(row.kind))
  return { rows, isWhole: page.cursor === null }
}

const lineOf = Effect.fnUntraced(function* (
  clients: Clients,
  row: WalletTransaction,
  deadline: number,
): Effect.fn.Return<string, Cause.UnknownError> {
  const { isWhole, rows: movements } = yield* Effect.tryPromise(() => movementsOf(clients, row))
  const names = yield* namesIn(clients, row, deadline)
  const reason = row.receipt_status === 0 ? yield* Effect.tryPromise(() => reasonOf(clients, row)) : undefined
  const tokens = new Map<string, Token>(
    movements.flatMap(({ asset, token }) => (token === null ? [] : [[asset as string, token] as const])),
  )
  const call = row.decoded_call ?? null
  const facts = {
    from: row.from_address,
    to: row.to_address ?? null,
    created: row.receipt_contract_address ?? null,
    value: row.value,
    status: row.receipt_status ?? null,
    input: row.input,
    call,
    transfers: transfers(row),
    logs: row.logs.map((log) => ({ address: log.address, topics: Log.topics(log), data: log.data })),
    movements: isWhole ? movements.map(({ amount, asset, token_id: tokenId }) => ({ asset, amount, tokenId })) : null,
    reason,
  }
  const url = `${clients.url}/tx/${row.hash}?chain=${encodeURIComponent(clients.chain)}`
  const transaction = { block: row.block_number, hash: row.hash, facts, call, gasUsed: row.receipt_gas_used, url }
  const { symbol } = clients
  return TransactionLine.format(
    { nameOf: (address) => names.get(address), tokenOf: (address) => tokens.get(address), symbol },
    transaction,
  )
})

/** Lines of a block, in transaction order. They wait together for the names of newly created contracts. */
export const linesOf = Effect.fnUntraced(function* (
  clients: Clients,
  number: bigint,
): Effect.fn.Return<readonly [hash: string | null, lines: Array<string>], Cause.UnknownError> {
  const { chain, rest, rpc } = clients
  const block = yield* Effect.tryPromise(() => rpc.eth_getBlockByNumber(number, true))
  if (block === null) return [null, []]
  const lines: Array<string> = []
  const rows = new Map<string, WalletTransaction>()
  for (const address of new Set(block.transactions.map(({ from }) => from))) {
    const query = { address, chain, from_block: number, to_block: number, order: "ASC", limit } as const
    const page = yield* Effect.tryPromise(() => rest.walletTransactions(query))
    for (const row of page.result) rows.set(row.hash, row)
  }
  const deadline = (yield* MonotonicClock.millis) + namesMillis
  for (const { hash } of block.transactions) {
    const row = rows.get(hash)
    if (row !== undefined) lines.push(yield* lineOf(clients, row, deadline))
  }
  return [block.hash, lines]
})

interface Written {
  /** Hashes of the blocks whose lines were written. */
  readonly hashes: Map<number, string>
  next: number
}

/** Forgets blocks that the node no longer has; returns the lowest of them. */
const forget = async ({ rpc }: Clients, written: Written, to: number): Promise<number | undefined> => {
  let lowest: number | undefined
  for (let number = written.next - 1; written.hashes.has(number); number--) {
    const hash = number > to ? null : ((await rpc.eth_getBlockByNumber(BigInt(number), false))?.hash ?? null)
    if (hash === written.hashes.get(number)) break
    written.hashes.delete(number)
    lowest = number
  }
  return lowest
}

/** Writes new lines up to a block. */
const advance = Effect.fnUntraced(function* (
  clients: Clients,
  written: Written,
  to: number,
  print: (line: string) => void,
) {
  const last = written.next - 1
  const lowest = yield* Effect.tryPromise(() => forget(clients, written, to))
  if (lowest !== undefined) {
    print(lowest === last ? `Block ${lowest} was reverted` : `Blocks ${lowest} to ${last} were reverted`)
    written.next = lowest
  }
  if (to < written.next - 1) written.next = to + 1
  if (to - written.next >= maxBlocks) written.next = to - maxBlocks + 1
  for (; written.next <= to; written.next++) {
    const [hash, lines] = yield* linesOf(clients, BigInt(written.next))
    if (hash === null) return
    for (const line of lines) print(line)
    written.hashes.set(written.next, hash)
    written.hashes.delete(written.next - maxHashes)
  }
})

/** Writes a line for each transaction after the current head, until the scope ends. Failed reads are retried. */
export const start = Effect.fn("TransactionLog.start")(function* (
  running: Running,
  print: (line: string) => void,
  hasProject: boolean,
) {
  const clients = clientsOf(running, hasProject)
  const head = yield* Effect.promise(() => clients.node.eth_blockNumber().catch(() => undefined))
  let written: Written | undefined = head === undefined ? undefined : { hashes: new Map(), next: Number(head) + 1 }
  const turn = Effect.gen(function* () {
    const status = yield* Effect.tryPromise(() => clients.explorer.ready({ chain: clients.chain }))
    if ("chains" in status || status.indexed === null) return
    const { to } = status.indexed
    written ??= { hashes: new Map(), next: to + 1 }
    // Blocks from before the start are still being indexed.
    if (to < written.next - 1 && written.hashes.size === 0) return
    yield* advance(clients, written, to, print)
  })
  const loop = Effect.gen(function* () {
    for (;;) {
      // After a reorg, or while the service restarts, the next turn reads what this one could not.
      yield* Effect.ignore(fromDefect(turn))
      yield* Effect.sleep(pollMillis)
    }
  })
  yield* Effect.forkScoped(loop)
})
