import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { FakeNode } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import * as McpRoutes from "../../../src/server/mcp/McpRoutes.ts"
import * as RelayError from "../../../src/server/relay/RelayError.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"
import { chains, message, post, tool } from "./messages.ts"

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
