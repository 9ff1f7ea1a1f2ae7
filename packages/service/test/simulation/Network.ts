/**
 * Nodes of a simulated world, behind a `fetch`. Each has a separate view of the chain, may lag, freeze or stay on an abandoned branch,
 * and fails or returns faulty responses at random. A request takes virtual time.
 */
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Count } from "./Count.ts"
import * as NodeResponse from "./NodeResponse.ts"
import * as FaultyResponse from "./FaultyResponse.ts"
import type { Block, Transaction, Tree } from "./Tree.ts"
import { ancestorOf, at, chainOf } from "./Tree.ts"
import type { Untraceable } from "./Untraceable.ts"
import type { VirtualTime } from "./VirtualTime.ts"

export interface Endpoint {
  readonly url: string
  readonly host: string
  readonly tracer: "trace_block" | "debug_traceBlockByHash" | "debug_traceBlockByNumber" | "none"
  readonly knowsFinalized: boolean
  readonly takesHashesForReceipts: boolean
  /** True if it still returns blocks of branches that it left. */
  readonly keepsBranches: boolean
  readonly slowestMillis: number
  /** True if it lacks the state of some blocks and cannot trace them. */
  readonly lacksState: boolean
  /** True if it has lost the receipts of some transactions, and returns none for a block with one of them. */
  lostReceipts: boolean
  /** Number of blocks that it lags behind. */
  lag: number
  /** The head at which it is frozen. */
  frozen: Block | null
}

/** Probabilities of faults, per request and per call. */
export interface Rates {
  readonly failure: number
  readonly faulty: number
  readonly olderView: number
}

/** Properties of the simulated world. */
export interface Setting {
  readonly random: SeededRandom
  readonly time: VirtualTime
  readonly tree: Tree
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly count: Count
  /** Head of the canonical chain. */
  readonly head: () => Block
  /** Highest block that was reported as finalized. */
  readonly finalized: () => Block
  /** Tips of abandoned branches. */
  readonly tips: () => ReadonlyArray<Block>
  readonly rates: () => Rates
  readonly untraceable: Untraceable
}

export interface Network {
  readonly fetch: typeof globalThis.fetch
  /** True if a node returned another block of this number since an instant. */
  readonly isContradicted: (block: Block, sinceMillis: number) => boolean
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

type Reply = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

const failures = [
  "connection refused",
  "no response",
  "status 500",
  "page of a gateway",
  "status 429",
  "limit as an error",
  "internal error",
  "response cut off",
  "response to another call",
] as const

const reply = (status: number, text: string, headers: ReadonlyArray<readonly [string, string]> = []) => {
  const { buffer } = new TextEncoder().encode(text)
  // Sound: the client reads only these members of a response.
  return {
    status,
    headers: new Map([["content-type", "application/json"], ...headers]),
    arrayBuffer: () => Promise.resolve(buffer),
  } as unknown as Response
}

const errorText = (code: number, message: string, id: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

const stateMissing: Reply = { error: { code: -32000, message: "missing trie node" } }

export const make = (setting: Setting): Network => {
  const { random, count, endpoints, time, tree, untraceable } = setting
  const seen = new Map<number, Map<string, number>>()

  const note = (block: Block) => {
    const atNumber = seen.get(block.number) ?? new Map<string, number>()
    seen.set(block.number, atNumber.set(block.hash, time.now()))
  }

  /** A node that does not have the finalized block would be faulty, not lagging. */
  const isPossible = (block: Block) =>
    ancestorOf(block, setting.head()).number >= Math.min(block.number, setting.finalized().number)

  const steady = (endpoint: Endpoint): Block => {
    if (endpoint.frozen !== null && !isPossible(endpoint.frozen)) endpoint.frozen = null
    const head = endpoint.frozen ?? setting.head()
    return at(head, Math.max(0, head.number - endpoint.lag))!
  }

  /** The block that a node behind a load balancer sees as head during one request. */
  const view = (endpoint: Endpoint): Block => {
    const head = steady(endpoint)
    if (!random.is(setting.rates().olderView)) return head
    const tips = setting.tips().filter(isPossible)
    if (tips.length > 0 && random.is(0.4)) {
      count("a node responds from another branch")
      return random.pick(tips)
    }
    count("a node responds from an older head")
    return at(head, Math.max(0, head.number - random.between(1, 8)))!
  }

  const find = (endpoint: Endpoint, head: Block, id: unknown): Block | undefined => {
    if (id === "latest") return head
    if (id === "finalized") return at(head, Math.min(head.number, setting.finalized().number))
    if (typeof id !== "string") return undefined
    if (id.length < 66) return at(head, Number(id))
    const block = tree.byHash.get(id)
    if (block === undefined || block.number > head.number) return undefined
    return endpoint.keepsBranches || at(head, block.number) === block ? block : undefined
  }

  const lacksState = (endpoint: Endpoint, block: Block): boolean => {
    const isLacking = endpoint.lacksState && untraceable.isOld(block)
    if (isLacking) count("a node lacks the state of a block")
    return isLacking
  }

  const hasLost = (endpoint: Endpoint, transaction: Transaction): boolean => {
    const isLost = endpoint.lostReceipts && untraceable.isLost(transaction)
    if (isLost) count("a node has lost a receipt")
    return isLost
  }

  const receipt = (endpoint: Endpoint, head: Block, hash: unknown) => {
    const block = chainOf(head, 0).findLast(({ transactions }) =>
      transactions.some((transaction) => transaction.hash === hash),
    )
    const index = block?.transactions.findIndex((transaction) => transaction.hash === hash) ?? -1
    if (block === undefined || hasLost(endpoint, block.transactions[index]!)) return null
    return NodeResponse.receipts(block)[index] ?? null
  }

  const correctReply = (endpoint: Endpoint, head: Block, { method, params }: Call): Reply => {
    if (method === "eth_chainId") return { result: "0x1" }
    if (method === "eth_blockNumber") return { result: `0x${head.number.toString(16)}` }
    const [id, flag] = params
    const missing = { error: { code: -32601, message: `the method ${method} does not exist` } }
    const block = find(endpoint, head, id)
    switch (method) {
      case "eth_getBlockByNumber":
      case "eth_getBlockByHash": {
        if (id === "finalized" && !endpoint.knowsFinalized) return { error: { code: -39001, message: "unknown block" } }
        if (block === undefined) return { result: null }
        note(block)
        return { result: flag === true ? NodeResponse.hydrated(block) : NodeResponse.plain(block) }
      }
      case "eth_getBlockReceipts": {
        const isRefused = typeof id === "string" && id.length === 66 && !endpoint.takesHashesForReceipts
        if (isRefused) return { error: { code: -32602, message: "invalid argument 0: hex string has length 64" } }
        if (block === undefined || block.transactions.some((transaction) => hasLost(endpoint, transaction)))
          return { result: null }
        return { result: NodeResponse.receipts(block) }
      }
      case "eth_getTransactionReceipt":
        return { result: receipt(endpoint, head, id) }
      case "trace_block":
        if (endpoint.tracer !== method) return missing
        if (block !== undefined && lacksState(endpoint, block)) return stateMissing
        return { result: block === undefined ? null : NodeResponse.flat(block, untraceable.isBomb) }
      case "debug_traceBlockByHash":
      case "debug_traceBlockByNumber":
        if (endpoint.tracer === "trace_block" || endpoint.tracer === "none") return missing
        if (method === "debug_traceBlockByHash" && endpoint.tracer !== method) return missing
        if (block === undefined) return { error: { code: -32000, message: "block not found" } }
        if (lacksState(endpoint, block)) return stateMissing
        return { result: NodeResponse.frames(block, untraceable.isBomb) }
      default:
        return missing
    }
  }

  const respondOnce = (endpoint: Endpoint, head: Block, call: Call): string => {
    const correct = correctReply(endpoint, head, call)
    const isFaulty = random.is(setting.rates().faulty)
    const response =
      isFaulty && "result" in correct ? FaultyResponse.about(random, count, head, call, correct.result) : correct
    return JSON.stringify({ jsonrpc: "2.0", id: call.id, ...response })
  }

  const correctText = (endpoint: Endpoint, body: string): string => {
    const received = JSON.parse(body) as Call | ReadonlyArray<Call>
    const head = view(endpoint)
    if (!("method" in received)) return `[${received.map((call) => respondOnce(endpoint, head, call)).join(",")}]`
    return respondOnce(endpoint, head, received)
  }

  const idOf = (body: string): unknown => {
    const received = JSON.parse(body) as Partial<Call>
    return received.id ?? null
  }

  const serve = (
    endpoint: Endpoint,
    body: string,
    resolve: (response: Response) => void,
    reject: (e: Error) => void,
  ) => {
    if (!random.is(setting.rates().failure)) return resolve(reply(200, correctText(endpoint, body)))
    const failure = random.pick(failures)
    count(failure)
    switch (failure) {
      case "connection refused":
        return reject(new TypeError("fetch failed"))
      case "no response":
        return undefined
      case "status 500":
        return resolve(reply(500, errorText(-32603, "header not found", idOf(body))))
      case "page of a gateway":
        return resolve(reply(502, "<html><body>bad gateway</body></html>"))
      case "status 429":
        return resolve(reply(429, "", [["retry-after", String(random.between(1, 3))]]))
      case "limit as an error":
        return resolve(reply(200, errorText(-32005, "daily request count exceeded, request rate limited", idOf(body))))
      case "internal error":
        return resolve(reply(200, errorText(-32603, "internal error", idOf(body))))
      case "response cut off": {
        const text = correctText(endpoint, body)
        return resolve(reply(200, text.slice(0, random.below(text.length))))
      }
      case "response to another call":
        return resolve(reply(200, JSON.stringify({ jsonrpc: "2.0", id: 999_999_999, result: null })))
    }
  }

  const fetch = (url: string, init: { readonly body?: string }) =>
    new Promise<Response>((resolve, reject) => {
      const endpoint = endpoints.find(({ host }) => new URL(url).host === host)
      if (endpoint === undefined) return reject(new TypeError("no such host"))
      const millis = random.below(endpoint.slowestMillis)
      time.after(millis, () => serve(endpoint, init.body ?? "{}", resolve, reject))
    })

  return {
    // Sound: the client calls it only in this way.
    fetch: fetch as unknown as Network["fetch"],
    isContradicted: (block, since) =>
      [...(seen.get(block.number) ?? [])].some(([hash, last]) => hash !== block.hash && last >= since),
  }
}
