/**
 * A service of the interface and a node behind one `fetch`: both show the same fake chain, with faults scripted by the test. Pass it as the
 * option `fetch` of the clients, or answer requests with it in msw. No socket is opened.
 */
import * as ApiHeader from "@daybook/schema/ApiHeader"
import type { FakeBlock, FakeChain, Options as ChainOptions } from "./FakeChain.ts"
import { make as makeChain } from "./FakeChain.ts"
import { apply, type Fault } from "./internal/FakeFault.ts"
import * as FakeEvents from "./internal/FakeEvents.ts"
import * as FakeLedger from "./internal/FakeLedger.ts"
import * as FakeNode from "./internal/FakeNode.ts"
import * as FakePages from "./internal/FakePages.ts"
import * as FakeProofs from "./internal/FakeProofs.ts"
import * as FakeReply from "./internal/FakeReply.ts"
import type * as FakeRequest from "./internal/FakeRequest.ts"
import * as FakeStatement from "./internal/FakeStatement.ts"
import * as FakeSums from "./internal/FakeSums.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"

export type { Fault } from "./internal/FakeFault.ts"

/**
 * What to serve.
 */
export interface Options extends ChainOptions {
  /** The only accepted key. Default: any. */
  readonly apiKey?: string
  /** EIP-155 id of the chain. Default 1. */
  readonly chainId?: number
  /** Fault of the n-th request; `null` for none. Requests beyond the list have none. */
  readonly faults?: ReadonlyArray<Fault | null>
  /**
   * Results of JSON-RPC methods by wire name, as JSON: for methods that the fake lacks, such as `eth_call`, or to replace its own. What a
   * function throws becomes the error of the call.
   */
  readonly methods?: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>
  /** Bodies of operations, as JSON, in place of those that the fake derives. Functions receive the parameters of the request. */
  readonly operations?: { readonly [O in LedgerOperation]?: (parameters: URLSearchParams) => unknown }
  /**
   * Wallets without a history. Any other address that is not on the chain is rejected as `address_not_watched`, because an empty list would
   * hide that a program queries the wrong one.
   */
  readonly emptyWallets?: ReadonlyArray<string>
}

/**
 * Operations on a wallet's ledger whose bodies a test can provide.
 */
export type LedgerOperation = "movements" | "user_operations" | "balances" | "statement"

/**
 * A request that was received.
 */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends a request to a fake: the part of `fetch` that clients and msw use.
 */
export type FakeFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A running fake.
 */
export interface FakeService extends Omit<FakeChain, "replacedFrom"> {
  readonly fetch: FakeFetch
  /** Options for a REST client of this fake: `createRestClient(fake.rest)`. */
  readonly rest: { readonly baseUrl: string; readonly apiKey: string; readonly fetch: FakeFetch }
  /** Options for a JSON-RPC client of this fake: `createRpcClient(fake.rpc)`. */
  readonly rpc: { readonly rpcUrl: string; readonly chain: number; readonly apiKey: string; readonly fetch: FakeFetch }
  /** Requests so far, in order. */
  readonly received: ReadonlyArray<Received>
  /**
   * Compares the sums of a wallet with the node at the newest block, as `daybook reconcile` does: the opening balances before the first
   * block become known, and the balances are proved at that block. A reorg of the block removes the proof. Default: the wallet of the fake.
   */
  readonly reconcile: (wallet?: string) => void
  /** Scripts the faults of the next requests, after those already scripted. */
  readonly fail: (...faults: ReadonlyArray<Fault | null>) => void
}

const walletPath =
  /\/api\/v2\.2\/([^/]+)\/(verbose|movements|user_operations|balances|statement|statement\/signed|events|proof)$/

const operations = {
  verbose: FakePages.walletTransactions,
  movements: FakePages.movements,
  user_operations: FakePages.userOperations,
  balances: FakeSums.balances,
  statement: FakeSums.statement,
} as const

/** Adds the tag to a response; returns 304 without a body if the request already has that tag. */
const tagged = (reply: FakeReply.Reply, request: Received): FakeReply.Reply => {
  if (reply.status !== 200 || reply.body instanceof ReadableStream) return reply
  let sum = 0x811c9dc5
  for (const character of reply.text ?? JSON.stringify(reply.body))
    sum = Math.imul(sum ^ character.charCodeAt(0), 0x01000193) >>> 0
  const tag = `"${sum.toString(16)}"`
  const sent = (request.headers["if-none-match"] ?? "").split(",")
  const known = new Set(sent.map((one) => one.trim().replace(/^W\//, "")))
  const headers = { ...reply.headers, etag: `W/${tag}` }
  return known.has(tag) || known.has("*") ? { status: 304, body: null, headers } : { ...reply, headers }
}

const unauthorized = (key: string | undefined): FakeReply.Reply =>
  FakeReply.failure(
    401,
    "unauthorized",
    `${key === undefined ? "Missing" : "Unknown"} API key. Send it in the ${ApiHeader.apiKey} header.`,
  )

const restReply = (
  index: FakeRequest.FakeIndex,
  request: Received,
  { apiKey, operations: given = {} }: Options,
): FakeReply.Reply | Promise<FakeReply.Reply> | undefined => {
  const { pathname, searchParams } = new URL(request.url)
  const [, wallet = "", name] = walletPath.exec(pathname) ?? []
  if (name === undefined) return undefined
  const allow = name === "proof" ? "PUT" : "GET"
  if (request.method !== allow) {
    const message = `Method not allowed: ${request.method}. Use ${allow}.`
    return FakeReply.failure(405, "method_not_allowed", message, {}, { allow })
  }
  const key = request.headers["x-api-key"] || undefined
  if (apiKey !== undefined && key !== apiKey) return unauthorized(key)
  const address = decodeURIComponent(wallet)
  if (name === "statement/signed") return FakeStatement.signedStatement(index, address, searchParams)
  if (name === "proof") return FakeProofs.proveWallet(index, address, searchParams)
  if (name === "events") return FakeEvents.walletEvents(index, address, searchParams, request.headers["last-event-id"])
  // Sound: the pattern only matches these names.
  const operation = name as keyof typeof operations
  const own = operation === "verbose" ? undefined : given[operation]
  if (own !== undefined) return { status: 200, body: own(searchParams) }
  return operations[operation](index, address, searchParams)
}

const responder =
  (index: FakeRequest.FakeIndex, options: Options) =>
  async (request: Received): Promise<FakeReply.Reply> => {
    const rest = restReply(index, request, options)
    if (rest !== undefined) return tagged(await rest, request)
    const { pathname } = new URL(request.url)
    const { apiKey, methods = {} } = options
    if (apiKey !== undefined && !pathname.endsWith(`/${apiKey}`)) return unauthorized("")
    if (request.method === "POST") {
      const body = FakeNode.reply({ ...index, methods }, request.body)
      return body === undefined ? { status: 204, body: null } : { status: 200, body }
    }
    return FakeReply.failure(404, "not_found", `Unknown path: ${pathname}.`)
  }

/** Counts the changes of a chain, and notifies those that wait for the next one. */
const changes = () => {
  const listeners = new Set<() => void>()
  let count = 0
  return {
    changes: () => count,
    onChange: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    change: (make: () => void) => {
      make()
      count++
      for (const listener of listeners) listener()
    },
  }
}

/**
 * Makes a fake. The same options give the same chain. Throws a `TypeError` for an invalid option.
 *
 * **Example** (A page after a rejected request)
 *
 * ```ts
 * import { createRestClient } from "@daybook/rest/promise"
 * import * as FakeService from "@daybook/testkit/FakeService"
 *
 * const fake = FakeService.make({ seed: 7, faults: [{ status: 429, retryAfterSeconds: 0 }] })
 * const rest = createRestClient(fake.rest)
 * const page = await rest.walletTransactions({ address: fake.wallet, limit: 5 })
 * console.log(page.result.length, fake.received.length) // 5 2
 * ```
 */
export const make = (options: Options = {}): FakeService => {
  const chain = makeChain(options)
  const { apiKey = "test-key", chainId = 1 } = options
  const faults = [...(options.faults ?? [])]
  const received: Array<Received> = []
  const emptyWallets = new Set((options.emptyWallets ?? []).map((wallet) => wallet.toLowerCase()))
  const opened = new Map<string, ReadonlySet<string>>()
  const proofs = new Map<string, FakeRequest.Proof>()
  const { change, ...changing } = changes()
  const removals: Array<ReadonlyArray<FakeBlock>> = []
  const prove = (wallet: string, number: number): void => {
    const block = chain.blocks().find((one) => one.number === number)
    if (block === undefined) return
    // Opening balances are read for the assets that appear up to the block.
    const upTo = chain.blocks().filter((one) => one.number <= number)
    opened.set(wallet, new Set([...(opened.get(wallet) ?? []), ...FakeLedger.holdings(upTo, wallet)]))
    proofs.set(wallet, { block: { hash: block.hash, number } })
  }
  const index = { chain, chainId, emptyWallets, opened, proofs, prove, started: new Map(), removals, ...changing }
  const respond = responder(index, options)

  const mine = (blocks?: number): void => change(() => chain.mine(blocks))
  const reorg = (depth: number): void =>
    change(() => {
      const before = chain.blocks()
      chain.reorg(depth)
      removals.push(before.filter(({ hash }) => chain.replacedFrom(hash) !== undefined))
    })

  const fetch: FakeFetch = async (input, init) => {
    const request = new Request(input, init)
    const { headers, method, url } = request
    const seen = { method, url, headers: Object.fromEntries(headers), body: await request.text() }
    received.push(seen)
    request.signal.throwIfAborted()
    const fault = faults.shift()
    if (fault != null && typeof fault === "object" && "reorg" in fault) reorg(fault.reorg)
    return apply(fault, request.signal, () => respond(seen))
  }

  return {
    wallet: chain.wallet,
    blocks: chain.blocks,
    mine,
    reorg,
    // Sound: a chain has at least one block.
    reconcile: (wallet = chain.wallet) => prove(wallet.toLowerCase(), chain.blocks().at(-1)!.number),
    received,
    fail: (...more) => {
      OptionCheck.checkFaults(more)
      faults.push(...more)
    },
    fetch,
    rest: { baseUrl: "http://daybook.test", apiKey, fetch },
    rpc: { rpcUrl: "http://daybook.test/rpc", chain: chainId, apiKey, fetch },
  }
}
