/**
 * Records the responses of a real service and node to a program, and replays them in tests. A recording holds no key: headers and hosts of
 * requests are not kept, and a key repeated in a response is replaced.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { FakeFetch } from "./FakeService.ts"
import { toResponse } from "./internal/FakeFault.ts"
import { failure } from "./internal/FakeReply.ts"
import * as Secrets from "./internal/Secrets.ts"

const RestExchange = Schema.Struct({
  /** Path from `/api/` on, and the sorted query; preceded by the method if it is not GET. */
  request: Schema.String,
  status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.Json,
})

const RpcExchange = Schema.Struct({
  method: Schema.String,
  params: Schema.Array(Schema.Json),
  /** The member `result` or `error` of the response. */
  reply: Schema.Union([Schema.Struct({ result: Schema.Json }), Schema.Struct({ error: Schema.Json })]),
})

/**
 * A recording: the responses of the REST interface and of JSON-RPC calls, in order. It is JSON; store it in a file next to the tests.
 *
 * **Example** (Validating a file)
 *
 * ```ts
 * import * as Recorder from "@daybook/testkit/Recorder"
 * import * as Schema from "effect/Schema"
 *
 * const text = `{ "rest": [], "rpc": [{ "method": "eth_chainId", "params": [], "reply": { "result": "0x1" } }] }`
 * const { rpc } = Schema.decodeUnknownSync(Recorder.Recording)(JSON.parse(text))
 * console.log(rpc[0]?.method) // eth_chainId
 * ```
 */
export const Recording = Schema.Struct({ rest: Schema.Array(RestExchange), rpc: Schema.Array(RpcExchange) })

export interface Recording extends Schema.Schema.Type<typeof Recording> {}

type RestExchange = Recording["rest"][number]
type RpcExchange = Recording["rpc"][number]

/**
 * How to record.
 */
export interface Options {
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: FakeFetch
  /** Additional texts to replace, besides the keys that requests carry. */
  readonly secrets?: ReadonlyArray<string>
}

/**
 * A recorder.
 */
export interface Recorder {
  /** Sends a request and records its response. */
  readonly fetch: FakeFetch
  /** The recording so far. */
  readonly recording: () => Recording
}

/** Response headers that are recorded: those that clients read. */
const keptHeader = /^(?:daybook-|ratelimit-|etag$|retry-after$|x-request-id$)/

/** Classifies a request. Other kinds, such as those that change webhooks and receive secrets, are forwarded but not recorded. */
const kindOf = ({ method, url }: Pick<Request, "method" | "url">): "rest" | "rpc" | "other" => {
  if (method === "GET" || method === "PUT") return "rest"
  return method === "POST" && !new URL(url).pathname.includes("/api/v2.2/") ? "rpc" : "other"
}

/** The request of a REST exchange. */
const restRequest = ({ method, url }: Pick<Request, "method" | "url">): string => {
  const { pathname, searchParams } = new URL(url)
  const query = [...searchParams].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const path = pathname.slice(Math.max(0, pathname.indexOf("/api/")))
  return `${method === "GET" ? "" : `${method} `}${path}?${new URLSearchParams(query).toString()}`
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Call {
  readonly id?: unknown
  readonly method: string
  readonly params?: ReadonlyArray<Schema.Json>
}

interface Reply {
  readonly id?: unknown
  readonly result?: Schema.Json
  readonly error?: Schema.Json
}

/** The calls of a request with their replies, matched by their ids. */
const rpcExchanges = (request: unknown, response: unknown): ReadonlyArray<RpcExchange> => {
  // Sound: the client sent these calls, and a reply without the members below is skipped.
  const [calls, replies] = [[request].flat() as ReadonlyArray<Call>, [response].flat() as ReadonlyArray<Reply>]
  return calls.flatMap(({ id, method, params = [] }): ReadonlyArray<RpcExchange> => {
    const reply = replies.find((one) => one?.id === id)
    if (reply?.error !== undefined) return [{ method, params, reply: { error: reply.error } }]
    return reply?.result === undefined ? [] : [{ method, params, reply: { result: reply.result } }]
  })
}

/** True for transient responses, which the client retries. */
const isTemporary = (status: number): boolean => status === 429 || status >= 500

/**
 * Makes a recorder. Pass its `fetch` to a client, run the program once, and store the recording.
 *
 * **Details**
 *
 * Responses with status 429 or from 500 up are forwarded but not recorded, because clients repeat the request. A recorder does not
 * distinguish nodes: use one per chain.
 *
 * **Example** (Recording a page and replaying it)
 *
 * ```ts
 * import { createRestClient } from "@daybook/rest/promise"
 * import { FakeService, Recorder } from "@daybook/testkit"
 *
 * const fake = FakeService.make({ apiKey: "secret-key" }) // in place of a real service
 * const recorder = Recorder.make({ fetch: fake.fetch })
 * const query = { address: fake.wallet, limit: 3 }
 * const real = await createRestClient({ ...fake.rest, fetch: recorder.fetch }).walletTransactions(query)
 *
 * const text = JSON.stringify(recorder.recording())
 * const { fetch } = Recorder.replay(JSON.parse(text))
 * const again = await createRestClient({ baseUrl: "http://any.test", apiKey: "any", fetch }).walletTransactions(query)
 * console.log(text.includes("secret-key"), again.result[0]?.hash === real.result[0]?.hash) // false true
 * ```
 */
export const make = (options: Options = {}): Recorder => {
  const { fetch: send = (input, init) => globalThis.fetch(input, init), secrets: given = [] } = options
  const secrets = new Set(given)
  const rest: Array<RestExchange> = []
  const rpc: Array<RpcExchange> = []
  const keep = (request: Pick<Request, "method" | "url">, sent: string, response: Response, received: string): void => {
    const kind = kindOf(request)
    const [calls, body] = [sent, received].map((text) => parse(Secrets.remove(secrets, text)))
    if (isTemporary(response.status) || body === undefined || kind === "other") return
    if (kind === "rpc") return void rpc.push(...rpcExchanges(calls, body))
    const headers = Object.fromEntries([...response.headers].filter(([name]) => keptHeader.test(name)))
    // Sound: it was parsed from JSON.
    rest.push({
      request: Secrets.remove(secrets, restRequest(request)),
      status: response.status,
      headers,
      body: body as Schema.Json,
    })
  }
  return {
    recording: () => ({ rest: [...rest], rpc: [...rpc] }),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      for (const secret of Secrets.ofRequest(request, kindOf(request) === "rpc")) secrets.add(secret)
      const sent = await request.clone().text()
      const response = await send(request)
      // A stream may not end. A 304 has no page to record, because the program already has it.
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
      if (isStream || response.status === 304) return response
      const received = await response.text()
      keep(request, sent, response, received)
      const headers = new Headers(response.headers)
      // The body is decompressed.
      for (const name of ["content-encoding", "content-length"]) headers.delete(name)
      return new Response(received, { status: response.status, headers })
    },
  }
}

/**
 * A recording that answers requests.
 */
export interface Replay {
  readonly fetch: FakeFetch
}

const keyOf = (method: string, params: ReadonlyArray<unknown>): string => JSON.stringify([method, params])

/** Returns the values of a key in order, then repeats the last one. */
const sequences = <A>(entries: ReadonlyArray<readonly [string, A]>): ((key: string) => A | undefined) => {
  const left = new Map<string, Array<A>>()
  for (const [key, value] of entries) left.set(key, [...(left.get(key) ?? []), value])
  return (key) => {
    const values = left.get(key)
    return values !== undefined && values.length > 1 ? values.shift() : values?.[0]
  }
}

const decode = SchemaParser.decodeUnknownResult(Recording)

/**
 * Answers requests from a recording, whatever their host and key. If a request was recorded several times, its responses are replayed in
 * order, and the last one is repeated. A request that was not recorded fails without a retry.
 *
 * **Errors**
 *
 * Throws a `TypeError` for a value that is not a recording.
 *
 * **Example** (A head for a test)
 *
 * ```ts
 * import { createRpcClient } from "@daybook/rpc/promise"
 * import * as Recorder from "@daybook/testkit/Recorder"
 *
 * const { fetch } = Recorder.replay({ rest: [], rpc: [{ method: "eth_blockNumber", params: [], reply: { result: "0x10" } }] })
 * const rpc = createRpcClient({ url: "http://node.test", fetch })
 * console.log(await rpc.eth_blockNumber()) // 16n
 * ```
 */
export const replay = (recording: unknown): Replay => {
  const decoded = decode(recording)
  // Sound: a schema error has at least one issue.
  if (Result.isFailure(decoded))
    throw new TypeError(Issue.format("recording", Issue.fromError(decoded.failure, recording)[0]!))
  const { rest, rpc } = decoded.success
  const nextPage = sequences(rest.map((exchange) => [exchange.request, exchange]))
  const nextReply = sequences(rpc.map(({ method, params, reply }) => [keyOf(method, params), reply]))
  const answer = ({ id, method, params = [] }: Call) => {
    const message = `Call not recorded: ${method} ${JSON.stringify(params)}. Record it again.`
    return { jsonrpc: "2.0", id, ...(nextReply(keyOf(method, params)) ?? { error: { code: -32601, message } }) }
  }
  return {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      if (kindOf(request) === "rpc") {
        // Sound: the clients send calls.
        const body = (await request.json()) as Call | ReadonlyArray<Call>
        return toResponse({ status: 200, body: Array.isArray(body) ? body.map(answer) : answer(body as Call) })
      }
      const path = restRequest(request)
      const name = request.method === "GET" ? `GET ${path}` : path
      return toResponse(
        nextPage(path) ?? failure(400, "bad_request", `Request not recorded: ${name}. Record it again.`),
      )
    },
  }
}
