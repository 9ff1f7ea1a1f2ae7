import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import * as Rows from "../rows.ts"
import { chainOf, type Ledger } from "../rest/ledgers.ts"
import { type Json, start, type Started } from "../service.ts"
import { chains, message, modern, post, tool, wallet } from "./messages.ts"

const many: Ledger = { 0: Array.from({ length: 60 }, (_, at) => ({ kind: "internal", amount: BigInt(at + 1) })) }

class Served extends Context.Service<Served, Started>()("test/Served") {}

/** A service with one key for two requests at once, and a restricted one. */
const served = Layer.effect(
  Served,
  start({ chains: { ...chains, polygon: { blocks: [] }, base: chainOf({ 1: many }, 2) } }),
)

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
      const slashed = yield* service.fetch("/mcp/", {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": service.key },
        body: JSON.stringify(message("ping")),
      })

      expect([text.status, html.status, got.status, removed.status]).toEqual([400, 400, 405, 405])
      expect([slashed.status, slashed.json.result]).toEqual([200, {}])
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
