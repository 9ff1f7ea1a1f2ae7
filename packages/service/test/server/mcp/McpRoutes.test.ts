import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { FakeNode } from "@daybook/harness"
import { describe, it, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Context, Deferred, Effect, Fiber, Layer, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { expect, vi } from "vitest"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import type { Service } from "../../../src/server/mcp/Handlers.ts"
import * as McpMessage from "../../../src/server/mcp/McpMessage.ts"
import * as McpRoutes from "../../../src/server/mcp/McpRoutes.ts"
import * as StatelessServer from "../../../src/server/mcp/StatelessServer.ts"
import * as RelayError from "../../../src/server/relay/RelayError.ts"
import * as Rows from "../rows.ts"
import { chainOf, type Ledger, token } from "../rest/ledgers.ts"
import { type Json, start, type Started } from "../service.ts"

const ledgers: Readonly<Record<number, Ledger>> = {
  1: { 0: [{ kind: "fee", amount: -7n, counterparty: null }, { amount: -5n }] },
  2: {
    0: [
      { kind: "erc20", asset: token, amount: 10n },
      { kind: "erc20", asset: token, amount: -3n },
    ],
  },
  3: { 1: [{ kind: "internal", amount: 6n }] },
}
const many: Ledger = { 0: Array.from({ length: 60 }, (_, at) => ({ kind: "internal", amount: BigInt(at + 1) })) }
const chains = { eth: chainOf(ledgers, 4) }
const wallet = { address: Rows.alice, chain: "eth" }

const post = (
  { fetch, key }: Started,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
) =>
  fetch("/mcp", {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "x-api-key": key,
      ...headers,
    },
    body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })

const message = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params })
const tool = (name: string, args: unknown = wallet) => message("tools/call", { name, arguments: args })

/** A node of chain 1 without code at any address. */
const emptyNode = Effect.acquireRelease(
  Effect.promise(() => FakeNode.start(({ method }) => ({ result: method === "eth_chainId" ? "0x1" : "0x" }))),
  ({ stop }) => Effect.promise(stop),
)

/** A node of chain 1 that answers no call; reports when it is called, and when a client disconnects. */
const unresponsiveNode = Effect.gen(function* () {
  const [asked, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const server = createServer((request, response) => {
    request.on("data", (sent: Buffer) => {
      // Whether it is a node of the chain is verified once for all callers.
      if (String(sent).includes("eth_chainId")) return response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
      Deferred.doneUnsafe(asked, Effect.void)
      return response.on("close", () => Deferred.doneUnsafe(left, Effect.void))
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections()),
  )
  // Sound: it listens on a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked: Deferred.await(asked), left: Deferred.await(left) }
})

class Served extends Context.Service<Served, Started>()("test/Served") {}

/** A service with one key for two requests at once, and a restricted one. */
const served = Layer.effect(
  Served,
  start({ chains: { ...chains, polygon: { blocks: [] }, base: chainOf({ 1: many }, 2) } }),
)

const modern = (method: string, params: object = {}) => ({
  body: message(method, {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    },
  }),
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
})

/** The official client. */
const connect = ({ url }: Started, key: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1.0.0" })
      const headers = { authorization: `Bearer ${key}` }
      const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
      await client.connect(transport)
      return client
    }),
    (client) => Effect.promise(() => client.close()),
  )

layer(served, { excludeTestServices: true })("POST /mcp", (it) => {
  it.effect("answers the official client with the tools, whose movements equal those of REST", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const client = yield* connect(service, service.key)
      const { tools } = yield* Effect.promise(() => client.listTools())
      const called = yield* Effect.promise(() =>
        client.callTool({ name: "wallet_movements", arguments: { ...wallet, order: "ASC" } }),
      )
      const { json } = yield* service.get(`/api/v2.2/${Rows.alice}/movements?chain=eth&order=ASC`)
      const { answer } = called.structuredContent as Json

      expect(tools.map(({ name }) => name)).toContain("wallet_movements")
      expect(answer.map((row: Json) => [row.amount, row.transaction])).toEqual(
        json.result.map((row: Json) => [row.amount, row.transaction_hash]),
      )
      expect(answer.length).toBe(5)
    }).pipe(Effect.scoped),
  )

  it.effect("answers a message in turns of its key: none of its fibers continues before the next turn", () =>
    Effect.gen(function* () {
      const service = yield* Served
      yield* post(service, tool("wallet_movements"))
      const { setImmediate, Error } = globalThis
      const limit = Error.stackTraceLimit
      const outside: Array<string> = []
      Error.stackTraceLimit = Infinity
      vi.spyOn(globalThis, "setImmediate").mockImplementation((callback: () => void) => {
        const { stack = "" } = new Error()
        if (stack.includes("Scheduler.") && /(Rpc|Mcp)Server\./.test(stack)) outside.push(stack)
        return setImmediate(callback)
      })
      const { json } = yield* Effect.ensuring(
        post(service, tool("wallet_movements")),
        Effect.sync(() => {
          vi.restoreAllMocks()
          Error.stackTraceLimit = limit
        }),
      )

      expect(json.result.isError).toBe(false)
      expect(outside).toEqual([])
    }),
  )

  it.effect("lists the resource templates, and answers their URIs like the wallet tools", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const client = yield* connect(service, service.key)
      const { resourceTemplates } = yield* Effect.promise(() => client.listResourceTemplates())
      const read = (part: string, of = Rows.alice, chain = "eth") =>
        Effect.promise(() => client.readResource({ uri: `daybook://${chain}/address/${of}/${part}` }).catch(String))
      const answerOf = (found: unknown) => JSON.parse((found as Json).contents[0].text).answer
      const called = (name: string) =>
        Effect.promise(async () => {
          const { structuredContent } = await client.callTool({ name, arguments: wallet })
          return (structuredContent as Json).answer
        })

      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).toSorted()).toEqual([
        "daybook://{chain}/address/{address}/balances",
        "daybook://{chain}/address/{address}/movements",
        "daybook://{chain}/address/{address}/statement",
      ])
      expect(answerOf(yield* read("statement"))).toEqual(yield* called("wallet_statement"))
      expect(answerOf(yield* read("balances"))).toEqual(yield* called("wallet_balances_at"))
      expect(answerOf(yield* read("movements"))).toEqual(yield* called("wallet_movements"))
      expect(yield* read("balances", "0x12")).toContain(
        '-32602: Invalid parameter of the URI "address": expected an address of 20 bytes in hex, received "0x12".',
      )
      expect(yield* read("balances", Rows.alice, "e+h")).toContain(
        '-32602: Invalid parameter of the URI "chain": expected the name of a chain, received "e+h".',
      )
      const unserved = yield* read("balances", Rows.alice, "none")
      expect(unserved).toContain("-32602")
      expect(unserved).toContain("expected a chain that is served here")
      expect(yield* read("balances", Rows.alice, "polygon")).toContain("-32603")
      expect(yield* read("nothing")).toContain("McpError")
    }).pipe(Effect.scoped),
  )

  it.effect.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "answers version %s without a session",
    (version) =>
      Effect.gen(function* () {
        const service = yield* Served
        const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } }
        const begun = yield* post(service, message("initialize", params))
        const headers = { "mcp-protocol-version": version }
        const notified = yield* post(service, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)
        const listed = yield* post(service, message("tools/list"), headers)
        const called = yield* post(service, tool("wallet_summary"), headers)

        const wrong = yield* post(service, message("initialize", { protocolVersion: version }))

        expect([begun.status, begun.json.result.protocolVersion]).toEqual([200, version])
        expect(Object.keys(wrong.json)).toEqual(["jsonrpc", "id", "error"])
        expect(begun.headers["mcp-session-id"]).toBeUndefined()
        expect(begun.json.result.capabilities).toEqual({
          tools: { listChanged: false },
          resources: { listChanged: false, subscribe: false },
        })
        expect([notified.status, notified.text]).toEqual([202, ""])
        expect(listed.json.result.tools.length).toBeGreaterThan(7)
        expect(JSON.parse(called.json.result.content[0].text).coverage.chain).toBe("eth")
      }),
  )

  it.effect("answers version 2026-07-28, whose headers must repeat version, method and name", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const listed = modern("tools/list")
      const called = modern("tools/call", { name: "chains", arguments: {} })
      const unknown = modern("tools/none")
      const answers = [
        yield* post(service, listed.body, listed.headers),
        yield* post(service, called.body, { ...called.headers, "mcp-name": "chains" }),
        yield* post(service, called.body, { ...called.headers, "mcp-name": "find" }),
        yield* post(service, listed.body, { ...listed.headers, "mcp-method": "tools/call" }),
        yield* post(service, listed.body, { ...listed.headers, "mcp-protocol-version": "2025-11-25" }),
        yield* post(service, listed.body, { ...listed.headers, "mcp-protocol-version": "2020-01-01" }),
        yield* post(service, message("tools/list"), listed.headers),
        yield* post(service, unknown.body, unknown.headers),
      ]

      expect(answers.map(({ json, status }) => [status, json.error?.code])).toEqual([
        [200, undefined],
        [200, undefined],
        [400, -32_020],
        [400, -32_020],
        [400, -32_020],
        [400, -32_022],
        [400, -32_602],
        [404, -32_601],
      ])
    }),
  )

  it.effect("answers a batch of version 2025-03-26 with an array, and rejects one of another version", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const batch = [message("ping", {}, "a"), { jsonrpc: "2.0", method: "notifications/x" }, message("none", {}, 2)]
      const { json, status } = yield* post(service, batch)
      const refused = yield* post(service, batch, { "mcp-protocol-version": "2025-06-18" })
      const many = yield* post(
        service,
        Array.from({ length: 17 }, (_, at) => message("ping", {}, at)),
      )

      expect(json).toMatchObject([
        { id: "a", result: {} },
        { id: 2, error: { code: -32_601 } },
      ])
      expect([status, refused.status, many.status]).toEqual([200, 400, 400])
    }),
  )

  it.effect("sends a large answer to a batch in parts, which count as bytes in flight for the key", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const batch = Array.from({ length: 16 }, (_, at) => ({
        ...tool("wallet_movements", { address: Rows.alice, chain: "base" }),
        id: at,
      }))
      const { headers, json, text } = yield* post(service, batch)
      const single = yield* post(service, message("tools/list"))

      expect(text.length).toBeGreaterThan(256 * 1024)
      expect(json.map(({ id }: Json) => id)).toEqual(batch.map(({ id }) => id))
      expect([headers["transfer-encoding"], single.headers["transfer-encoding"]]).toEqual(["chunked", undefined])
    }),
  )

  it.effect("requires a key as REST does, and names none in an answer", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const ping = message("ping", {})
      const [none, unknown] = [
        yield* post(service, ping, { "x-api-key": "" }),
        yield* post(service, ping, { "x-api-key": "no-such-key" }),
      ]
      const bearer = yield* post(service, ping, { "x-api-key": service.key, authorization: "Bearer other" })

      expect([none.status, unknown.status, bearer.status]).toEqual([401, 401, 200])
      expect(unknown.json.error).toMatchObject({ code: 4100, data: { code: "unauthorized" } })
      expect(unknown.text).not.toContain("no-such-key")
    }),
  )

  it.effect("rejects in a tool what a restricted key may not request, with the text of REST", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const options = { chains: ["eth"], operations: ["movements"] } as const
      const key = yield* service.addKey({ name: "narrow", options })
      const call = (name: string, args: object) =>
        Effect.map(post(service, tool(name, args), { "x-api-key": key }), ({ json }): Json => json.result)
      const path = `/api/v2.2/${Rows.alice}/balances?chain=eth`
      const { json } = yield* service.fetch(path, { headers: { "x-api-key": key } })
      const other = yield* service.fetch(`/api/v2.2/${Rows.alice}/movements?chain=polygon`, {
        headers: { "x-api-key": key },
      })
      const [allowed, operation, chain] = [
        yield* call("wallet_movements", wallet),
        yield* call("wallet_balances_at", wallet),
        yield* call("wallet_movements", { ...wallet, chain: "polygon" }),
      ]

      expect(allowed.isError).toBe(false)
      expect([operation.isError, operation.content[0].text]).toEqual([true, expect.stringContaining(json.message)])
      expect([chain.isError, chain.content[0].text]).toEqual([true, expect.stringContaining(other.json.message)])
    }),
  )

  it.effect("counts the message and each request of its tool against the rate limit of the key", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const rateLimit = { perSecond: 1, burst: 1_000 }
      const headers = { "x-api-key": yield* service.addKey({ name: "slow", options: { rateLimit } }) }
      const ping = Effect.map(post(service, message("ping", {}), headers), (answer) =>
        Number(answer.headers["ratelimit-remaining"]),
      )
      const before = yield* ping
      for (let calls = 0; calls < 10; calls++) yield* post(service, tool("wallet_summary"), headers)
      const after = yield* ping

      // Each call is a message and three requests; the limit grows by one per second of the test.
      expect(before).toBe(999)
      expect(before - after).toBeGreaterThan(20)
    }),
  )

  it.effect("counts each message of a batch against the rate limit of the key", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const limited = (name: string, burst: number) =>
        Effect.map(service.addKey({ name, options: { rateLimit: { perSecond: 1, burst } } }), (key) => ({
          "x-api-key": key,
        }))
      const batch = Array.from({ length: 16 }, (_, at) => message("ping", {}, at))
      const [wide, narrow] = [yield* limited("wide", 1_000), yield* limited("batches", 10)]
      const [allowed, refused] = [yield* post(service, batch, wide), yield* post(service, batch, narrow)]

      expect(Number(allowed.headers["ratelimit-remaining"])).toBe(1_000 - batch.length)
      expect([refused.status, refused.json.error]).toMatchObject([429, { data: { code: "rate_limited" } }])
    }),
  )

  it.effect("answers 429 beyond the rate limit of the key", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const key = yield* service.addKey({ name: "slower", options: { rateLimit: { perSecond: 1, burst: 1 } } })
      const ping = post(service, message("ping", {}), { "x-api-key": key })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => ping),
        { concurrency: "unbounded" },
      )
      const refused = answers.find(({ status }) => status === 429)

      expect(refused?.json.error).toMatchObject({ code: -32_005, data: { code: "rate_limited" } })
      expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0)
    }),
  )

  it.effect("rejects pages of other sites on a loopback address, and names that resolve to it", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const statusOf = (headers: Readonly<Record<string, string>>) =>
        Effect.map(post(service, message("ping", {}), headers), ({ status }) => status)

      expect(yield* statusOf({ origin: "https://evil.example" })).toBe(403)
      expect(yield* statusOf({ origin: "null" })).toBe(403)
      expect(yield* statusOf({ origin: "http://localhost:6274" })).toBe(200)
      expect(yield* statusOf({ origin: service.url })).toBe(200)
    }),
  )

  it.effect("answers an invalid message with 400 or 413 and a JSON-RPC error, and other methods with 405", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
      const wide = (values: number) => `[${"0,".repeat(values - 2)}0]`
      const bodies: ReadonlyArray<readonly [body: unknown, status: number, code: number]> = [
        ["{", 400, -32_700],
        ["", 400, -32_700],
        ["5", 400, -32_600],
        ["[]", 400, -32_600],
        [Buffer.from([0x22, 0xff, 0x22]), 400, -32_700],
        [nested(64), 400, -32_600],
        [nested(65), 400, -32_600],
        [wide(20_000), 400, -32_600],
        [wide(20_001), 400, -32_600],
        [{ jsonrpc: "1.0", id: 1, method: "ping" }, 400, -32_600],
        [{ jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32_600],
        [{ jsonrpc: "2.0", id: 1, method: 5 }, 400, -32_600],
        [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 400, -32_600],
        ["x".repeat(70_000), 413, -32_600],
      ]
      for (const [body, status, code] of bodies) {
        const answer = yield* post(service, body)
        expect([body, answer.status, answer.json?.error.code]).toEqual([body, status, code])
        const isBeyond = body === nested(65) || body === wide(20_001)
        expect([body, answer.json.error.message.includes("limits.bodyDepth")]).toEqual([body, isBeyond])
      }
      const text = yield* post(service, message("ping"), { "content-type": "text/plain" })
      const html = yield* post(service, message("ping"), { accept: "text/html" })
      const [got, removed] = [yield* service.get("/mcp"), yield* service.fetch("/mcp", { method: "DELETE" })]

      expect([text.status, html.status, got.status, removed.status]).toEqual([400, 400, 405, 405])
      expect(got.headers["allow"]).toBe("POST, OPTIONS")
    }),
  )

  it.effect("reads JSON, and answers callers that accept it", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const cases: ReadonlyArray<readonly [header: string, value: string, status: number]> = [
        ["accept", "text/html,application/json", 200],
        ["accept", "Application/JSON;q=0.5", 200],
        ["accept", "application/*", 200],
        ["accept", "text/html, */*", 200],
        ["accept", "text/html, application/xml", 400],
        ["accept", "text/html;application/json", 400],
        ["content-type", "APPLICATION/JSON", 200],
        ["content-type", "application/json ; charset=utf-8", 200],
        ["content-type", "application/jsonp", 400],
        ["content-type", "text/application/json", 400],
      ]
      for (const [header, value, status] of cases) {
        const answer = yield* post(service, message("ping"), { [header]: value })
        expect([header, value, answer.status]).toEqual([header, value, status])
        if (status === 400) expect(answer.json.error.message).toContain(`"${header}": expected application/json`)
      }
    }),
  )

  it.effect("reports an invalid argument as an error, and a tool that does not exist", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const [type, unknown] = [
        yield* post(service, tool("wallet_movements", { ...wallet, limit: 5_000 })),
        yield* post(service, tool("none")),
      ]

      expect([type.status, type.json.error]).toEqual([
        200,
        {
          code: -32_602,
          message: 'Invalid argument "limit": expected a value between 1 and 100, received 5000.',
        },
      ])
      expect([unknown.status, unknown.json.error]).toEqual([
        200,
        {
          code: -32_602,
          message: expect.stringMatching(/^Invalid tool: expected one of chains, .+, received "none"\.$/),
        },
      ])
    }),
  )

  it.effect("names each invalid argument with what it accepts, where a model reads it", () =>
    Effect.gen(function* () {
      const service = yield* Served
      const { body, headers } = modern("tools/call", {
        name: "wallet_movements",
        arguments: { address: 5, direction: "up" },
      })
      const { json } = yield* post(service, body, { ...headers, "mcp-name": "wallet_movements" })

      expect(json.result).toMatchObject({
        isError: true,
        content: [
          {
            type: "text",
            text: 'Invalid argument "address": expected a string, received 5. Invalid argument "chain": expected a string, received nothing. Invalid argument "direction": expected "in" or "out", received "up".',
          },
        ],
      })
    }),
  )
})

describe("answerInTime", () => {
  it.effect("ends each message of a batch within the time limit of the request", () =>
    Effect.gen(function* () {
      const messages = ["a", "b", "c"].map((id) => ({ id, method: "ping", params: null }))
      const answer = ({ id }: { readonly id: number | string }) =>
        id === "a" ? Effect.succeed({ result: {} }) : Effect.never
      const answering = yield* Effect.forkChild(McpRoutes.answerInTime(messages, answer))
      yield* TestClock.adjust(49_999)
      const early = answering.pollUnsafe()
      yield* TestClock.adjust(1)
      const answers = yield* Fiber.join(answering)

      expect(early).toBe(undefined)
      expect(answers).toMatchObject([
        { id: "a", result: {} },
        { id: "b", error: { code: -32_002 } },
        { id: "c", error: { code: -32_002 } },
      ])
    }),
  )
})

describe("McpRoutes", () => {
  const [local, open] = [
    { host: "127.0.0.1", port: 1 },
    { host: "0.0.0.0", port: 1 },
  ]
  const all = ["*"]
  const app = "https://app.example"

  it.each([
    ["no origin", [], local, undefined, true],
    ["any origin of an open address", all, open, app, true],
    ["any origin of a loopback address", all, local, app, false],
    ["a listed origin", [app], local, app, true],
    ["an unlisted origin", [app], open, `${app}.evil`, false],
    ["an origin of the host", [], open, "https://daybook.example", true],
    ["an origin that contains the host", [], open, "https://other.example/https://daybook.example", false],
    ["a page of this machine at a loopback address", [], local, "http://localhost:5173", true],
    ["a page of this machine at an open address", [], open, "http://localhost:5173", false],
  ])("originCheck: %s", (_, allowedOrigins, listen, origin, expected) => {
    const headers = { host: "daybook.example", origin }

    expect(McpRoutes.originCheck({ allowedOrigins, listen })({ headers } as never)).toBe(expected)
  })

  it.effect.each([
    [ErrorResponse.unauthorized("No key."), 4_100, 401],
    [ErrorResponse.forbidden("Not allowed."), 4_100, 403],
    [ErrorResponse.rateLimited("Too many.", {}), -32_005, 429],
    [ErrorResponse.unavailable("Busy."), -32_002, 503],
    [ErrorResponse.notOffered("Not offered."), -32_600, 404],
  ] as const)("fromOperation: is a JSON-RPC error with the status of the operation %#", ([failing, code, status]) =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(failing)
      const error = McpRoutes.fromOperation(failed)
      const response = yield* RelayError.toResponse(error)

      expect([error.code, response.status, response.headers]).toMatchObject([code, status, failed.headers])
    }),
  )
})

describe("StatelessServer", () => {
  const [batch, newest] = ["2025-03-26", "2026-07-28"]
  const internal = { code: -32_603, message: "Internal error. The server log has details." }
  const failure = { code: -32_602, message: "Invalid params" }
  const exitOf = (exit: unknown) => ({ _tag: "Exit", requestId: "1", exit })
  const failed = (...cause: ReadonlyArray<unknown>) => exitOf({ _tag: "Failure", cause })

  it.each([
    ["a value", exitOf({ _tag: "Success", value: { tools: [] } }), { result: { tools: [] } }],
    ["an error", failed({ _tag: "Interrupt" }, { _tag: "Fail", error: failure }), { error: failure }],
    ["a defect of a handler", failed({ _tag: "Die", defect: "secret" }), { error: internal }],
    ["an interruption", failed({ _tag: "Interrupt" }), { error: internal }],
    ["a defect of the connection", { _tag: "Defect", defect: "secret" }, { error: internal }],
    ["another message", { _tag: "Pong" }, { error: internal }],
  ])("answerOf: %s", (_, received, expected) => {
    // Sound: the members that are read from a message.
    expect(StatelessServer.answerOf(received as Parameters<typeof StatelessServer.answerOf>[0])).toEqual(expected)
  })

  /** Answers with a new server, and the requests that the inner server receives, by version and method. */
  const answers = Effect.gen(function* () {
    const requests: Array<string> = []
    const span: Tracer.Tracer["span"] = (options) => {
      const [, request] = /^McpServer\.@effect\/mcp\/(.+)$/.exec(options.name) ?? []
      if (request !== undefined) requests.push(request)
      return new Tracer.NativeSpan(options)
    }
    const server = yield* StatelessServer.make("1.0.0")
    // Sound: no message here reads it.
    const service = {} as Service
    const answer = (method: string, params: object, version: string): Effect.Effect<Json> =>
      Effect.provideService(
        server.answer({ id: 1, method, params }, version, service),
        Tracer.Tracer,
        Tracer.make({ span }),
      )
    return { answer, requests }
  })
  const { _meta } = modern("ping").body.params as Json

  it.effect(
    "answer: initializes for a message of an earlier version, but not for one of the newest version or initialize",
    () =>
      Effect.gen(function* () {
        const { answer, requests } = yield* answers
        const clientInfo = { name: "test", version: "1" }
        const begun = yield* answer(
          "initialize",
          { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
          batch,
        )
        const [first] = [requests.splice(0)]
        yield* answer("ping", {}, "2025-11-25")
        const second = requests.splice(0)
        yield* answer("server/discover", { _meta }, newest)

        expect(begun.result.protocolVersion).toBe("2025-06-18")
        expect(first).toEqual(["2025-06-18/initialize"])
        expect(second).toEqual(["2025-11-25/initialize", "2025-11-25/ping"])
        expect(requests).toEqual(["2026-07-28/server/discover"])
      }).pipe(Effect.scoped),
  )

  it.effect("answer: states what the server offers, and rejects what would be followed by notifications", () =>
    Effect.gen(function* () {
      const { answer } = yield* answers
      const discovered = yield* answer("server/discover", { _meta }, newest)
      const refused = [
        yield* answer("resources/subscribe", { uri: "daybook://eth" }, "2025-06-18"),
        yield* answer("resources/unsubscribe", { uri: "daybook://eth" }, "2025-06-18"),
        yield* answer("subscriptions/listen", { _meta, notifications: {} }, newest),
      ]

      expect(discovered.result.capabilities).toEqual({
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: false },
      })
      expect(refused.map(({ error }) => [error.code, error.message])).toEqual([
        [-32_601, "Method not found: resources/subscribe"],
        [-32_601, "Method not found: resources/unsubscribe"],
        [-32_601, "Method not found: subscriptions/listen"],
      ])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "answer: rejects a tool call with the sentences of the interface, as a result if the version requires it",
    () =>
      Effect.gen(function* () {
        const { answer } = yield* answers
        const params = { name: "find", arguments: { chain: "eth" } }
        const issue = 'Invalid argument "text": expected a string, received nothing.'

        expect(yield* answer("tools/call", params, "2025-06-18")).toEqual({ error: { code: -32_602, message: issue } })
        expect(yield* answer("tools/call", params, "2025-11-25")).toEqual({
          result: { isError: true, content: [{ type: "text", text: issue }] },
        })
        expect(yield* answer("tools/call", {}, "2025-06-18")).toMatchObject({ error: { code: -32_602 } })
      }).pipe(Effect.scoped),
  )

  it.effect("answer: rejects an argument that a tool does not have, as it would otherwise be ignored", () =>
    Effect.gen(function* () {
      const { answer } = yield* answers
      const params = { name: "wallet_balances_at", arguments: { ...wallet, block: 3, date: "2026-01-01" } }
      const keys = "expected one of the keys address, chain, to_block, to_date, asset, received an unknown key."
      const text = `Invalid argument "block": ${keys} Invalid argument "date": ${keys}`

      expect(yield* answer("tools/call", params, "2025-11-25")).toEqual({
        result: { isError: true, content: [{ type: "text", text }] },
      })

      const chains = { name: "chains", arguments: { chain: "eth", address: 5 } }
      const none = 'Invalid arguments: expected none, as the tool takes no arguments, received "chain", "address".'

      expect(yield* answer("tools/call", chains, "2025-11-25")).toEqual({
        result: { isError: true, content: [{ type: "text", text: none }] },
      })

      const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, 0]))
      const full = { ...params, arguments: { ...wallet, ...many } }
      const ten = Array.from({ length: 10 }, (_, at) => `Invalid argument "key${at}": ${keys}`)

      expect(yield* answer("tools/call", full, "2025-11-25")).toEqual({
        result: { isError: true, content: [{ type: "text", text: ten.join(" ") }] },
      })
    }).pipe(Effect.scoped),
  )

  it.effect("tools/list: states that a tool accepts no further arguments", () =>
    Effect.gen(function* () {
      const { answer } = yield* answers
      const listed = yield* answer("tools/list", {}, "2025-11-25")

      expect(listed).toMatchObject({
        result: {
          tools: [
            { inputSchema: { type: "object" } },
            ...Array(8).fill({ inputSchema: { additionalProperties: false } }),
          ],
        },
      })
    }).pipe(Effect.scoped),
  )
})

describe("McpMessage", () => {
  const [batched, newest] = ["2025-03-26", "2026-07-28"]
  const ping = message("ping")
  const read = { jsonrpc: "2.0", id: "a", method: "ping", params: null }
  const messages = (
    version = batched,
    all = [{ id: 1, method: "ping", params: null as object | null }],
    isBatch = false,
  ) => {
    return { _tag: "Messages", messages: all, isBatch, version }
  }
  const refused = (code: number, text: string, id: unknown = 1) => ({
    _tag: "Refused",
    id,
    error: { code, message: expect.stringContaining(text) },
  })
  const invalid = (text: string, id: unknown = 1) => refused(-32_600, text, id)
  const notification = { jsonrpc: "2.0", method: "notifications/x" }
  const notifications = { _tag: "Notifications" }

  it.each([
    ["a single object", 5, invalid("expected an object", null)],
    ["null", null, invalid("expected an object", null)],
    ["no version of JSON-RPC", { id: 1, method: "ping" }, invalid('"jsonrpc": "2.0"')],
    ["a message", ping, messages()],
    ["parameters", message("ping", { a: 1 }), messages(batched, [{ id: 1, method: "ping", params: { a: 1 } }])],
    ["an id that is text", read, invalid('"params" with an object', "a")],
    ["parameters of a list", message("ping", [1]), invalid('"params" with an object')],
    ["an id of no type", message("ping", {}, null), invalid('"id" with a text or a number', null)],
    ["a method of no type", message(5 as never), invalid('"method" with the name of a method')],
    ["no method", { jsonrpc: "2.0", id: 1 }, invalid('"method" with the name of a method')],
    ["a notification", notification, notifications],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, notifications],
    ["an error", { jsonrpc: "2.0", id: 1, error: {} }, notifications],
    ["both", { jsonrpc: "2.0", id: 1, result: {}, error: {} }, invalid('"method" with the name of a method')],
    ["a batch", [ping, notification], messages(batched, [{ id: 1, method: "ping", params: null }], true)],
    ["a batch of notifications", [notification], notifications],
    ["a batch with a number", [ping, 5], invalid("expected an object", null)],
    ["a batch of 16", Array.from({ length: 16 }, () => notification), notifications],
    ["a batch of 17", Array.from({ length: 17 }, () => notification), invalid("1 to 16 messages", null)],
    ["no message", [], invalid("1 to 16 messages", null)],
    ["a batch with initialize", [ping, message("initialize")], invalid("no message that must be sent alone", null)],
    ["a batch with a version", [modern("ping").body], invalid("no message that must be sent alone", null)],
  ])("read: %s", (_, json, expected) => {
    expect(McpMessage.read({}, json)).toMatchObject(expected)
  })

  it.each<readonly [string, Readonly<Record<string, string | undefined>>, unknown, object]>([
    [
      "initialize without a version",
      { "mcp-protocol-version": "2020-01-01" },
      message("initialize"),
      messages(batched, [{ id: 1, method: "initialize", params: null }]),
    ],
    ["an earlier version", { "mcp-protocol-version": "2024-11-05" }, ping, messages("2024-11-05")],
    [
      "an unknown version",
      { "mcp-protocol-version": "2020-01-01" },
      ping,
      refused(-32_022, "Unsupported protocol version"),
    ],
    [
      "an unknown version of a batch",
      { "mcp-protocol-version": "2020-01-01" },
      [ping],
      refused(-32_022, "Unsupported", null),
    ],
    [
      "a batch of a later version",
      { "mcp-protocol-version": "2025-06-18" },
      [ping],
      invalid("only version 2025-03-26 has batches", null),
    ],
    ["a claim without a header", {}, modern("ping").body, refused(-32_020, "Mcp-Protocol-Version")],
    [
      "another claim",
      { "mcp-protocol-version": "2025-06-18" },
      modern("ping").body,
      refused(-32_020, "Mcp-Protocol-Version"),
    ],
    ["no claim", { "mcp-protocol-version": newest }, message("ping", {}), refused(-32_602, '"_meta"')],
    [
      "another method",
      { "mcp-protocol-version": newest, "mcp-method": "tools/call" },
      modern("ping").body,
      refused(-32_020, "Mcp-Method"),
    ],
    [
      "no name",
      { "mcp-protocol-version": newest, "mcp-method": "tools/call" },
      modern("tools/call", { name: "find" }).body,
      refused(-32_020, "Mcp-Name"),
    ],
    [
      "another name",
      { "mcp-protocol-version": newest, "mcp-method": "resources/read", "mcp-name": "a" },
      modern("resources/read", { uri: "b" }).body,
      refused(-32_020, "Mcp-Name"),
    ],
    ["a notification with a claim", {}, { ...modern("ping").body, id: undefined }, notifications],
  ])("read: %s in headers", (_, headers, json, expected) => {
    expect(McpMessage.read(headers, json)).toMatchObject(expected)
  })

  it("read: accepts a message of the newest version whose headers repeat it, and the name of its target", () => {
    for (const [method, params, name] of [
      ["ping", {}, undefined],
      ["toString", {}, undefined],
      ["tools/call", { name: "find" }, "find"],
      ["prompts/get", { name: "a" }, "a"],
      ["resources/read", { uri: "daybook://eth" }, "daybook://eth"],
    ] as const) {
      const { body, headers } = modern(method, params)
      const whole = messages(newest, [{ id: 1, method, params: body.params as object }])
      expect(McpMessage.read({ ...headers, "mcp-name": name }, body)).toEqual(whole)
      expect(McpMessage.readWithoutHeaders(undefined, body)).toEqual(whole)
    }
  })

  it("readWithoutHeaders: uses the negotiated or stated version, and compares no headers", () => {
    const { body } = modern("tools/call")
    const unnamed = messages(newest, [{ id: 1, method: "tools/call", params: body.params as object }])

    expect(McpMessage.readWithoutHeaders("2024-11-05", ping)).toEqual(messages("2024-11-05"))
    expect(McpMessage.readWithoutHeaders("2024-11-05", body)).toEqual(unnamed)
    expect(McpMessage.readWithoutHeaders(undefined, 5)).toMatchObject(invalid("expected an object", null))
    expect(McpMessage.readWithoutHeaders(undefined, body)).toEqual(unnamed)
  })

  it("cancelled: returns the id of the request that a notification cancels", () => {
    const notified = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }
    const others = [{ ...notified, method: "notifications/x" }, { ...notified, params: undefined }, 5, null]

    expect(McpMessage.cancelled(notified)).toBe(7)
    expect(others.map(McpMessage.cancelled)).toEqual([undefined, undefined, undefined, undefined])
  })
})

describe("mcp", () => {
  it.live("off: the path does not exist", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains, config: { mcp: "off" } })

      expect((yield* post(service, message("ping"))).status).toBe(404)
    }).pipe(Effect.scoped),
  )

  it.live("answers pages from the listed origins, and `*` includes none on a loopback address", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains, config: { allowedOrigins: ["*", "https://app.example"] } })
      const origins = ["https://app.example", service.url, "https://other.example", "https://app.example.evil"]
      const answers = yield* Effect.forEach(origins, (origin) => post(service, message("ping"), { origin }))

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403])
      expect(answers[2]!.json.error.message).toContain('Add it to "allowedOrigins"')
    }).pipe(Effect.scoped),
  )

  it.live.each(["", "no key", "k\u00e9y"])("an unnecessary key of %j is not an internal error", (key) =>
    Effect.gen(function* () {
      const service = yield* start({ chains })
      const headers = { "sec-fetch-site": "same-origin", "x-api-key": key }
      const { json, status } = yield* post(service, tool("wallet_movements"), headers)

      expect([status, json.result?.isError]).toEqual([200, false])
    }).pipe(Effect.scoped),
  )

  it.live("find: searches names if the explorer is off", () =>
    Effect.gen(function* () {
      const labelled = { eth: { ...chains.eth, config: { labels: { [Rows.bob]: "Cold storage" } } } }
      const service = yield* start({ chains: labelled, config: { explorer: "off" } })
      const { json } = yield* post(service, tool("find", { text: "cold", chain: "eth" }))

      expect(JSON.parse(json.result.content[0].text).answer).toMatchObject({
        place: null,
        names: [{ kind: "label", address: Rows.bob, untrusted_name: "Cold storage" }],
      })
      expect((yield* service.get("/api/v2.2/names?chain=eth")).status).toBe(404)
    }).pipe(Effect.scoped),
  )

  it.live("find: identifies a text for a key that may not search names", () =>
    Effect.gen(function* () {
      const node = yield* emptyNode
      const service = yield* start({ chains: { eth: { ...chains.eth, config: { rpc: [node.url] } } } })
      const key = yield* service.addKey({ name: "relay", options: { operations: ["relay"] } })
      const find = (text: string) =>
        Effect.map(post(service, tool("find", { text, chain: "eth" }), { "x-api-key": key }), ({ json }) => json.result)
      const [address, name] = [yield* find(Rows.bob), yield* find("cold")]

      expect(JSON.parse(address.content[0].text)).toMatchObject({
        answer: { place: { is: "wallet", address: Rows.bob }, names: [] },
        not_covered: [expect.any(String), expect.stringContaining("API key not allowed for the operation search")],
      })
      expect(name).toMatchObject({ isError: true })
    }).pipe(Effect.scoped),
  )

  it.live("a call whose caller disconnects is aborted, also at the node", () =>
    Effect.gen(function* () {
      const node = yield* unresponsiveNode
      const service = yield* start({ chains: { eth: { ...chains.eth, config: { rpc: [node.url] } } } })
      const leaving = new AbortController()
      const call = post(service, tool("find", { text: Rows.bob, chain: "eth" }), {}, leaving.signal)
      yield* Effect.forkScoped(Effect.sandbox(call))
      yield* node.asked
      leaving.abort()

      yield* node.left
    }).pipe(Effect.scoped),
  )

  it.live("rejects messages of a caller with too many at once, and answers those of another", () =>
    Effect.gen(function* () {
      const node = yield* unresponsiveNode
      const service = yield* start({ chains: { eth: { ...chains.eth, config: { rpc: [node.url] } } } })
      const other = { "x-api-key": yield* service.addKey({ name: "other" }) }
      const ending = new AbortController()
      const find = tool("find", { text: Rows.bob, chain: "eth" })
      const calls = Array.from({ length: 105 }, () => post(service, find, {}, ending.signal))
      const refused = yield* Effect.raceAllFirst(calls)
      const answered = yield* post(service, message("ping"), other)
      ending.abort()
      yield* node.left

      expect([refused.status, refused.json.error.code]).toEqual([200, -32_005])
      expect(answered.json.result).toEqual({})
    }).pipe(Effect.scoped),
  )

  it.live("answers callers without a key if REST does, for the same operations", () =>
    Effect.gen(function* () {
      const anonymous = { perSecond: 100, burst: 100, operations: ["movements"] }
      const { fetch } = yield* start({ chains, config: { anonymous } })
      const headers = { "content-type": "application/json" }
      const call = (name: string) => fetch("/mcp", { method: "POST", headers, body: JSON.stringify(tool(name)) })
      const [called, refused] = [yield* call("wallet_movements"), yield* call("wallet_balances_at")]

      expect(called.json.result.isError).toBe(false)
      expect(refused.json.result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("API key required for the operation balances") }],
      })
    }).pipe(Effect.scoped),
  )
})
