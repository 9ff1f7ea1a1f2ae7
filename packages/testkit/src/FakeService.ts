/**
 * A service of the interface and a node in one `fetch`: both show the same fake chain, with faults where a test scripts them. For programs
 * that use the clients: pass it as their option `fetch`, or answer requests with it in msw. No socket is opened.
 */
import type { FakeChain, Options as ChainOptions } from "./FakeChain.ts"
import { make as makeChain } from "./FakeChain.ts"
import { apply, type Fault } from "./internal/FakeFault.ts"
import * as FakeNode from "./internal/FakeNode.ts"
import * as FakePages from "./internal/FakePages.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"

export type { Fault } from "./internal/FakeFault.ts"

/**
 * What to serve.
 */
export interface Options extends ChainOptions {
  /** Accepts this key alone. Default: any. */
  readonly apiKey?: string
  /** EIP-155 id of the chain. Default 1. */
  readonly chainId?: number
  /** Fault of the n-th request; `null` for none. Requests after the last one have none. */
  readonly faults?: ReadonlyArray<Fault | null>
  /**
   * Results of JSON-RPC methods by their wire name, as JSON: methods that the fake lacks, such as `eth_call`, or others in place of its
   * own. What a function throws is the error of the call.
   */
  readonly methods?: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>
  /** Bodies of the operations that the fake lacks, as JSON. They are given the parameters of the request. */
  readonly operations?: { readonly [O in LedgerOperation]?: (parameters: URLSearchParams) => unknown }
}

/**
 * Operations on the ledger of a wallet, which the fake does not derive from its chain.
 */
export type LedgerOperation = "movements" | "balances" | "statement"

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
  /** Options of a REST client of this fake: `createRestClient(fake.rest)`. */
  readonly rest: { readonly baseUrl: string; readonly apiKey: string; readonly fetch: FakeFetch }
  /** Options of a JSON-RPC client of this fake: `createRpcClient(fake.rpc)`. */
  readonly rpc: { readonly rpcUrl: string; readonly chain: number; readonly apiKey: string; readonly fetch: FakeFetch }
  /** Requests so far, in order. */
  readonly received: ReadonlyArray<Received>
  /** Scripts the faults of the next requests, after those scripted before. */
  readonly fail: (...faults: ReadonlyArray<Fault | null>) => void
}

const walletPath = /\/api\/v2\.2\/([^/]+)\/(verbose|movements|balances|statement)$/

/** The response of an operation on the ledger: the one that a test gives. */
const ledgerReply = (
  operation: LedgerOperation,
  operations: NonNullable<Options["operations"]>,
  parameters: URLSearchParams,
): FakePages.Reply => {
  const given = operations[operation]
  return given === undefined
    ? FakePages.failure(
        400,
        "bad_request",
        `The fake derives no ${operation} from its chain: give them as the option operations.${operation}.`,
      )
    : { status: 200, body: given(parameters) }
}

const responder =
  (chain: FakeChain, { apiKey, chainId = 1, methods = {}, operations = {} }: Options) =>
  (request: Received): FakePages.Reply => {
    const url = new URL(request.url)
    const [, wallet, operation = "verbose"] = walletPath.exec(url.pathname) ?? []
    const isKnown =
      apiKey === undefined ||
      (wallet === undefined ? url.pathname.endsWith(`/${apiKey}`) : request.headers["x-api-key"] === apiKey)
    if (!isKnown) return FakePages.failure(401, "unauthorized", "Unknown API key.")
    // Sound: the pattern has these operations alone.
    if (operation !== "verbose") return ledgerReply(operation as LedgerOperation, operations, url.searchParams)
    if (wallet !== undefined) return FakePages.page(chain, decodeURIComponent(wallet), url.searchParams)
    if (request.method === "POST")
      return { status: 200, body: FakeNode.reply({ chain, chainId, methods }, request.body) }
    return FakePages.failure(404, "not_found", `Unknown path: ${url.pathname}.`)
  }

/**
 * Makes a fake. The same options give the same chain. An invalid option is a `TypeError`.
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
  OptionCheck.check(options)
  const chain = makeChain(options)
  const { apiKey = "test-key", chainId = 1 } = options
  const faults = [...(options.faults ?? [])]
  const received: Array<Received> = []
  const respond = responder(chain, options)

  const fetch: FakeFetch = async (input, init) => {
    const request = new Request(input, init)
    const { headers, method, url } = request
    const seen = { method, url, headers: Object.fromEntries(headers), body: await request.text() }
    received.push(seen)
    request.signal.throwIfAborted()
    const fault = faults.shift()
    if (fault != null && typeof fault === "object" && "reorg" in fault) chain.reorg(fault.reorg)
    return apply(fault, request.signal, () => respond(seen))
  }

  return {
    wallet: chain.wallet,
    blocks: chain.blocks,
    mine: chain.mine,
    reorg: chain.reorg,
    received,
    fail: (...more) => void faults.push(...more),
    fetch,
    rest: { baseUrl: "http://daybook.test", apiKey, fetch },
    rpc: { rpcUrl: "http://daybook.test/rpc", chain: chainId, apiKey, fetch },
  }
}
