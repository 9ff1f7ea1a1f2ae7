/**
 * A service of the interface and a node in one `fetch`: both show the same fake chain, with faults where a test scripts them. For programs
 * that use the clients: pass it as their option `fetch`, or answer requests with it in msw. No socket is opened.
 */
import * as FakeChain from "./FakeChain.ts"
import * as FakeNode from "./FakeNode.ts"
import * as FakeWire from "./FakeWire.ts"

/**
 * What a request meets instead of its response: a status, a body that is cut off, a broken connection, or a reorg just before it.
 */
export type Fault =
  | { readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly cutAfterBytes: number }
  | "disconnect"
  | { readonly reorg: number }

/** What to serve. */
export interface Options extends FakeChain.Options {
  /** Accepts this key alone. Default: any. */
  readonly apiKey?: string
  /** EIP-155 id of the chain. Default 1. */
  readonly chainId?: number
  /** Fault of the n-th request; `null` for none. Requests after the last one have none. */
  readonly faults?: ReadonlyArray<Fault | null>
}

/** A request that was received. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A running fake. */
export interface FakeService extends Omit<FakeChain.FakeChain, "replacedFrom"> {
  /** Sends a request to the fake: the part of `fetch` that clients use. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Requests so far, in order. */
  readonly received: ReadonlyArray<Received>
  /** Scripts the faults of the next requests, after those scripted before. */
  readonly fail: (...faults: ReadonlyArray<Fault | null>) => void
}

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const errorResponse = (status: number, code: string, message: string, more: object = {}): Response =>
  json(status, { message, code, requestId: "fake", ...more })

/** Where a page continues: after the row with this place. */
interface Cursor {
  readonly hash: string
  readonly block: number
  readonly index: number
}

const encodeCursor = (cursor: Cursor): string => btoa(JSON.stringify(cursor))

const decodeCursor = (text: string): Cursor | undefined => {
  try {
    const { block, hash, index } = JSON.parse(atob(text)) as Partial<Cursor>
    return typeof hash === "string" && typeof block === "number" && typeof index === "number"
      ? { hash, block, index }
      : undefined
  } catch {
    return undefined
  }
}

const secondsOf = (text: string | null): number | undefined => {
  const millis = text === null ? Number.NaN : /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text)
  return Number.isNaN(millis) ? undefined : millis / 1_000
}

const maxLimit = 100

/** The rows of a query, in its order. */
const rowsOf = (chain: FakeChain.FakeChain, wallet: string, parameters: URLSearchParams) => {
  const [from, to] = ["from_block", "to_block"].map((name) => parameters.get(name))
  const [since, until] = ["from_date", "to_date"].map((name) => secondsOf(parameters.get(name)))
  const isIn = ({ number, timestamp }: FakeChain.FakeBlock) =>
    (from == null ? timestamp >= (since ?? 0) : number >= Number(from)) &&
    (to == null ? timestamp <= (until ?? Number.POSITIVE_INFINITY) : number <= Number(to))
  const rows = chain
    .blocks()
    .filter(isIn)
    .flatMap((block) =>
      block.transactions
        .filter((one) => one.from === wallet || one.to === wallet)
        .map((transaction) => ({ block, transaction })),
    )
  return parameters.get("order")?.toUpperCase() === "ASC" ? rows : rows.toReversed()
}

const page = (chain: FakeChain.FakeChain, wallet: string, parameters: URLSearchParams): Response => {
  const text = parameters.get("cursor")
  const cursor = text === null ? undefined : decodeCursor(text)
  if (text !== null && cursor === undefined)
    return errorResponse(400, "bad_request", "Invalid cursor.", { parameter: "cursor" })
  const replaced = cursor && chain.replacedFrom(cursor.hash)
  if (replaced !== undefined)
    return errorResponse(409, "stale_cursor", "A reorg reverted a block of the cursor.", { resumeFromBlock: replaced })
  const isAscending = parameters.get("order")?.toUpperCase() === "ASC"
  const isAfter = (block: number, index: number): boolean => {
    if (cursor === undefined) return true
    const [one, other] = isAscending ? [cursor, { block, index }] : [{ block, index }, cursor]
    return one.block < other.block || (one.block === other.block && one.index < other.index)
  }
  const left = rowsOf(chain, wallet, parameters).filter((row) => isAfter(row.block.number, row.transaction.index))
  const limit = Math.min(maxLimit, Math.max(1, Number(parameters.get("limit") ?? maxLimit)))
  const result = left.slice(0, limit)
  const last = result.at(-1)
  const next =
    last === undefined || left.length <= limit
      ? null
      : encodeCursor({ hash: last.block.hash, block: last.block.number, index: last.transaction.index })
  const [first, head] = [chain.blocks()[0], chain.blocks().at(-1)]
  return json(
    200,
    {
      cursor: next,
      page: "0",
      page_size: String(limit),
      result: result.map(({ block, transaction }) => FakeWire.row(block, transaction)),
    },
    { "daybook-indexed-from": String(first?.number), "daybook-indexed-to": String(head?.number) },
  )
}

const isFault = (fault: Fault | null | undefined): fault is Exclude<Fault, { readonly reorg: number }> =>
  fault != null && (fault === "disconnect" || !("reorg" in fault))

/** A response whose body breaks off after some bytes. */
const cut = async (response: Response, bytes: number): Promise<Response> => {
  const body = new Uint8Array(await response.arrayBuffer())
  let isSent = false
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isSent) return controller.error(new TypeError("terminated"))
      isSent = true
      controller.enqueue(body.slice(0, bytes))
    },
  })
  return new Response(stream, { status: response.status, headers: response.headers })
}

const withFault = (
  fault: Exclude<Fault, { readonly reorg: number }>,
  respond: () => Response,
): Response | Promise<Response> => {
  if (fault === "disconnect") throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })
  if ("cutAfterBytes" in fault) return cut(respond(), fault.cutAfterBytes)
  const { retryAfterSeconds, status } = fault
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }
  const code = { 401: "unauthorized", 403: "forbidden", 429: "rate_limited", 503: "unavailable" }[status] ?? "internal"
  return json(status, { message: `Scripted status ${status}.`, code, requestId: "fake" }, headers)
}

const walletPath = /\/api\/v2\.2\/(0x[0-9a-f]{40})\/verbose$/i

/** Makes a fake. */
export const make = (options: Options = {}): FakeService => {
  const chain = FakeChain.make(options)
  const { apiKey, chainId = 1 } = options
  const faults = [...(options.faults ?? [])]
  const received: Array<Received> = []

  const respond = (request: Received): Response => {
    const url = new URL(request.url)
    const wallet = walletPath.exec(url.pathname)?.[1]
    const isKnown =
      apiKey === undefined ||
      (wallet === undefined ? url.pathname.endsWith(`/${apiKey}`) : request.headers["x-api-key"] === apiKey)
    if (!isKnown) return errorResponse(401, "unauthorized", "Unknown API key.")
    if (wallet !== undefined) return page(chain, wallet.toLowerCase(), url.searchParams)
    if (request.method === "POST") return json(200, FakeNode.reply(chain, chainId, JSON.parse(request.body)))
    return errorResponse(404, "not_found", `Unknown path: ${url.pathname}.`)
  }

  return {
    wallet: chain.wallet,
    blocks: chain.blocks,
    mine: chain.mine,
    reorg: chain.reorg,
    received,
    fail: (...more) => void faults.push(...more),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { headers, method, url } = request
      const seen = { method, url, headers: Object.fromEntries(headers), body: await request.text() }
      received.push(seen)
      request.signal.throwIfAborted()
      const fault = faults.shift()
      if (fault != null && typeof fault === "object" && "reorg" in fault) chain.reorg(fault.reorg)
      return isFault(fault) ? withFault(fault, () => respond(seen)) : respond(seen)
    },
  }
}
