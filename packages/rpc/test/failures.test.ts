/**
 * Every failure of a node and of its gateways, over real sockets: the correct error, and no more requests than the
 * policy permits.
 */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RpcClient, type RpcError } from "../src/index.ts"
import { error, memoryNode, results } from "./memoryNode.ts"
import { failure, gives, type Handler, refuses, reply, script, success } from "./server.ts"

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

const quick = { retry: { base: 1, cap: 2 } }

const call = (handlers: ReadonlyArray<Handler>, options: Partial<RpcClient.UrlOptions> = {}) =>
  Effect.gen(function* () {
    const server = yield* script(...handlers)
    const client = yield* RpcClient.make({ url: server.url, ...quick, ...options })
    const outcome = yield* Effect.result(client.eth_chainId())
    return { outcome, requests: server.seen.length, server }
  })

const failing = (handlers: ReadonlyArray<Handler>, options: Partial<RpcClient.UrlOptions> = {}) =>
  Effect.map(call(handlers, options), ({ outcome, requests, server }) => {
    if (outcome._tag === "Success") throw new Error(`expected a failure, got ${outcome.success}`)
    return { error: outcome.failure, requests, server }
  })

const page = "<!DOCTYPE html><html><body>Attention Required! too many requests</body></html>"

const invalid: ReadonlyArray<readonly [name: string, handler: Handler, received: string, requests: number]> = [
  ["another id", reply(([one]) => success((one?.id ?? 0) + 1, "0x1")), "id is 2; expected 1", 1],
  ["an id of another type", reply(([one]) => success(String(one?.id), "0x1")), 'id is "1"; expected 1', 1],
  ["a result under a null id", reply(() => success(null, "0x1")), "id is null; expected 1", 1],
  ["a result without an id", reply(() => ({ jsonrpc: "2.0", result: "0x1" })), "id is nothing; expected 1", 1],
  ["an error of another call", reply(() => failure(77, 3, "execution reverted")), "id is 77; expected 1", 1],
  ["another version", reply(([one]) => ({ ...success(one?.id, "0x1"), jsonrpc: "1.0" })), 'jsonrpc is "1.0"', 1],
  ["no version", reply(([one]) => ({ id: one?.id, result: "0x1" })), "jsonrpc is nothing", 1],
  [
    "a result and an error",
    reply(([one]) => ({ ...failure(one?.id, 1, "x"), result: "0x1" })),
    "a result and an error at once",
    1,
  ],
  ["neither result nor error", reply(([one]) => ({ jsonrpc: "2.0", id: one?.id })), "result is nothing", 1],
  ["an error that is null", reply(([one]) => ({ jsonrpc: "2.0", id: one?.id, error: null })), "error is null", 1],
  [
    "an error without a code",
    reply(([one]) => ({ jsonrpc: "2.0", id: one?.id, error: { message: "x" } })),
    "error.code is nothing",
    1,
  ],
  ["an error that is text", reply(() => ({ error: "something broke" })), 'body is "something broke"', 1],
  [
    "the shape of a block explorer",
    reply(() => ({ status: "0", message: "NOTOK", result: "Invalid address" })),
    "NOTOK: Invalid address",
    1,
  ],
  [
    "an empty list of a block explorer",
    reply(() => ({ status: "0", message: "No transactions found", result: [] })),
    "No transactions found",
    1,
  ],
  ["an array", reply(([one]) => [success(one?.id, "0x1")]), "body is [", 1],
  ["a text", reply('"0x1"'), 'body is "0x1"', 1],
  ["null", reply("null"), "body is null", 1],
  ["an HTML page", reply(page, 200, { "content-type": "text/html" }), "body is an HTML page: <!DOCTYPE html>", 1],
  [
    "JSON that is cut off",
    reply(([one]) => `{"jsonrpc":"2.0","id":${one?.id},"result":"0x`),
    "body is truncated or malformed JSON",
    4,
  ],
  ["an empty body", reply(""), "body is nothing", 4],
  ["a redirect", reply("", 307, { location: "http://127.0.0.1:1/" }), "a redirect (status 307)", 1],
  ["status 404", reply("not here", 404), "status is 404 with the text: not here", 1],
  ["status 500 with a page", reply(page, 500), "status is 500 with the text: <!DOCTYPE", 4],
  ["status 502", reply("bad gateway", 502), "status is 502 with the text: bad gateway", 4],
  ["status 503 without a body", reply("", 503), "status is 503", 4],
  ["status 503 with JSON of its own", reply(() => ({ message: "no healthy upstream" }), 503), "status is 503", 4],
]

const issueOf = (error: RpcError.CallError): string =>
  error._tag === "InvalidResponse" ? `${error.path} is ${error.received}; expected ${error.expected}` : error._tag

describe("failures", () => {
  describe("an invalid response", () => {
    it.live.each(invalid)("an invalid response: %s is reported with its path", ([, handler, received, requests]) =>
      Effect.gen(function* () {
        const got = yield* failing([handler])

        expect(got.error).toMatchObject({ _tag: "InvalidResponse" })
        expect(issueOf(got.error)).toContain(received)
        expect(got.requests).toBe(requests)
      }),
    )

    it.live("an invalid response: more bytes than maxBytes are not read", () =>
      Effect.gen(function* () {
        const { error, requests } = yield* failing([gives("x".repeat(5_000))], { maxBytes: 1_000 })

        expect(error._tag === "InvalidResponse" && error.reason === "too-large").toBe(true)
        expect(requests).toBe(1)
      }),
    )

    it.live("an invalid response: is shortened in the message", () =>
      Effect.gen(function* () {
        const { error } = yield* failing([gives({ long: "x".repeat(100_000) })])

        expect(error.message.length).toBeLessThan(500)
      }),
    )
  })

  it.effect(
    "null in place of a state is notFound for a block that the call names, and otherwise an invalid response",
    () =>
      Effect.gen(function* () {
        const node = memoryNode(results(null))
        const client = yield* RpcClient.make({ url: "https://n.example", fetch: node.fetch, ...quick })
        const named = yield* Effect.flip(client.eth_getBalance(address, 99_999_999n))
        const current = yield* Effect.flip(client.eth_getBalance(address))
        const elsewhere = yield* Effect.flip(client.eth_gasPrice())

        expect(named).toMatchObject({
          _tag: "RpcError",
          kind: "notFound",
          code: -32_001,
          message: 'The node returned null: it does not have block "0x5f5e0ff".',
          isRetryable: false,
        })
        expect([current, elsewhere]).toMatchObject([
          { _tag: "InvalidResponse", path: "result", received: "null" },
          { _tag: "InvalidResponse", path: "result", received: "null" },
        ])
        expect(node.requests).toHaveLength(3)
      }),
  )

  describe("a rate limit", () => {
    const limits: ReadonlyArray<readonly [string, Handler]> = [
      ["status 429", reply("", 429)],
      ["status 429 with an HTML page", reply(page, 429)],
      ["status 429 with -32005", refuses(-32005, "limit exceeded", 429)],
      ["status 429 with -32007", refuses(-32007, "15/second request limit reached", 429)],
      ["status 429 with any code", refuses(-32000, "no", 429)],
      ["status 429 without an envelope", reply(() => ({ error: { code: 429, message: "slow down" } }), 429)],
      ["-32005 inside 200", refuses(-32005, "limit exceeded")],
      ["-32007 inside 200", refuses(-32007, "50/second request limit reached")],
      ["-32011 inside 200", refuses(-32011, "rate limited")],
      ["-32029 inside 200", refuses(-32029, "Too Many Requests")],
      ["429 inside 200", refuses(429, "compute units exceeded")],
      ["a message inside -32000", refuses(-32000, "429 Too Many Requests")],
      ["an error that is text", reply(() => ({ error: "Too Many Requests" }))],
      [
        "the message of a block explorer",
        reply(() => ({ status: "0", message: "NOTOK", result: "Max rate limit reached" })),
      ],
      ["the message of Cloudflare", reply("error code: 1015")],
      ["a null id", reply(() => failure(null, -32005, "limit exceeded"))],
    ]

    it.live.each(limits)("a rate limit: %s is retried", ([, handler]) =>
      Effect.gen(function* () {
        const { outcome, requests } = yield* call([handler, gives("0x1")])

        expect(outcome._tag === "Success" && outcome.success === 1n).toBe(true)
        expect(requests).toBe(2)
      }),
    )

    it.live.each(limits)("a rate limit: %s is RateLimited once attempts are used up", ([, handler]) =>
      Effect.gen(function* () {
        const { error, requests } = yield* failing([handler])

        expect(error._tag).toBe("RateLimited")
        expect(error._tag === "RateLimited" && error.attempts.length).toBe(4)
        expect(requests).toBe(4)
      }),
    )

    const waits: ReadonlyArray<readonly [string, Handler, number]> = [
      [
        "Retry-After beside a JSON-RPC body",
        reply(([one]) => failure(one?.id, -32005, "x"), 429, { "retry-after": "60" }),
        60_000,
      ],
      ["backoff_seconds in the error's data", refuses(-32005, "x", 429, { rate: { backoff_seconds: 40 } }), 40_000],
      ["a message inside 200", refuses(-32000, "too many requests, retry in 90s"), 90_000],
    ]

    it.live.each(waits)("a rate limit: a requested wait beyond the deadline fails at once: %s", ([, handler, millis]) =>
      Effect.gen(function* () {
        const { error, requests } = yield* failing([handler])

        expect(error.retryAfter && Duration.toMillis(error.retryAfter)).toBe(millis)
        expect(requests).toBe(1)
      }),
    )

    it.effect("a rate limit: a requested wait holds for the other calls to the endpoint", () =>
      Effect.gen(function* () {
        const node = memoryNode(error(-32005, "retry in 300ms"), results("0x1"))
        const client = yield* RpcClient.make({ url: "http://node.example", fetch: node.fetch, ...quick })

        const first = yield* Effect.forkChild(client.eth_chainId())
        yield* node.received(1)
        const other = yield* Effect.forkChild(client.eth_blockNumber())
        yield* TestClock.adjust("299 millis")
        expect(node.requests.length).toBe(1)
        yield* TestClock.adjust("10 millis")
        yield* Effect.all([Fiber.join(first), Fiber.join(other)])

        expect(
          node.requests
            .flat()
            .map(({ method }) => method)
            .toSorted(),
        ).toEqual(["eth_blockNumber", "eth_chainId", "eth_chainId"])
      }),
    )
  })

  describe("an error of the node", () => {
    const errors: ReadonlyArray<readonly [number, string, number, RpcError.RpcError["kind"], number]> = [
      [200, "execution reverted", 3, "reverted", 1],
      [200, "invalid argument 0", -32602, "invalidParams", 1],
      [500, "invalid argument 0", -32602, "invalidParams", 1],
      [500, "execution reverted", 3, "reverted", 1],
      [400, "chain is not served", -32602, "invalidParams", 1],
      [413, "request entity too large", -32600, "tooLarge", 1],
      [500, "nonce too low", -32000, "unknown", 1],
      [503, "starting", -32000, "unknown", 4],
      [500, "boom", -32603, "internal", 4],
      [200, "boom", -32603, "internal", 4],
      [200, "the method x does not exist/is not available", -32601, "methodUnsupported", 1],
      [200, "header not found", -32000, "notFound", 1],
      [200, "missing trie node", -32000, "pruned", 1],
    ]

    it.live.each(errors)("an error of the node: status %i, %s", ([status, message, code, kind, requests]) =>
      Effect.gen(function* () {
        const got = yield* failing([refuses(code, message, status, { more: 1 })])

        expect(got.error._tag === "RpcError").toBe(true)
        if (got.error._tag !== "RpcError") return
        expect([
          got.error.code,
          got.error.message,
          got.error.kind,
          got.error.status,
          got.error.method,
          got.error.host,
        ]).toEqual([code, message, kind, status, "eth_chainId", got.server.host])
        expect(got.error.data).toEqual({ more: 1 })
        expect(got.error.attempts.length).toBe(requests)
        expect(got.requests).toBe(requests)
      }),
    )

    it.live("an error of the node: needs no id", () =>
      Effect.gen(function* () {
        const { error } = yield* failing([reply(() => failure(null, -32700, "parse error"))])

        expect(error._tag === "RpcError" && error.code === -32700).toBe(true)
      }),
    )
  })

  describe("a rejected key", () => {
    it.live.each([
      ["status 401", reply("", 401)],
      ["status 401 with JSON-RPC", refuses(-32001, "unknown key", 401)],
      ["status 403", refuses(-32600, "origin not allowed", 403)],
      ["a message inside 200", refuses(-32600, "Must be authenticated!")],
      ["text", reply(() => ({ error: "invalid api key" }))],
    ] as ReadonlyArray<readonly [string, Handler]>)(
      "a rejected key: %s is Unauthorized and not retried",
      ([, handler]) =>
        Effect.gen(function* () {
          const { error, requests } = yield* failing([handler])

          expect(error._tag).toBe("Unauthorized")
          expect(requests).toBe(1)
        }),
    )
  })

  describe("the network", () => {
    it.live("the network: a reset connection is retried", () =>
      Effect.gen(function* () {
        const { outcome, requests } = yield* call([
          (_seen, _response, _number, request) => void request.socket.resetAndDestroy(),
          gives("0x1"),
        ])

        expect(outcome._tag).toBe("Success")
        expect(requests).toBe(2)
      }),
    )

    it.live("the network: a truncated body is a TransportError of the body", () =>
      Effect.gen(function* () {
        const { error } = yield* failing([
          (_seen, response, _number, request) => {
            response.writeHead(200, { "content-length": "100" }).write('{"jsonrpc', () => request.socket.destroy())
          },
        ])

        expect(error._tag === "TransportError" && error.phase === "body").toBe(true)
      }),
    )

    it.effect("the network: the timeout covers a stalled body, and the socket is closed", () =>
      Effect.gen(function* () {
        const server = yield* script((_seen, response) => void response.writeHead(200).write('{"jsonrpc":"2.0",'))
        const begun = yield* Deferred.make<void>()
        const client = yield* RpcClient.make({
          url: server.url,
          timeout: "1 minute",
          fetch: async (url, init) => {
            const response = await fetch(url, init)
            setImmediate(() => Deferred.doneUnsafe(begun, Exit.void))
            return response
          },
        })
        const failed = yield* Effect.forkChild(Effect.flip(client.eth_chainId()))
        yield* Deferred.await(begun)
        yield* TestClock.adjust("1 minute")
        const error = yield* Fiber.join(failed)

        expect(error._tag === "TimeoutError" && error.phase === "body").toBe(true)
        yield* Effect.promise(() => server.closed(1))
      }),
    )

    it.live("the network: an unreachable host is a TransportError of the connection", () =>
      Effect.gen(function* () {
        const client = yield* RpcClient.make({ url: "http://127.0.0.1:1", ...quick })

        const error = yield* Effect.flip(client.eth_chainId())

        expect(error._tag === "TransportError" && error.phase === "connect").toBe(true)
      }),
    )
  })
})
