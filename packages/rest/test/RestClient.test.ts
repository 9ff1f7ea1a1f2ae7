import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Fiber, Layer, Redacted, Tracer } from "effect"
import { RestClient } from "../src/index.ts"
import { history, row, sendPage, wallet } from "./history.ts"
import { type Handler, reply, script, type Server } from "@daybook/testkit/ScriptedServer"

const retry = { base: 1, cap: 5 }
const clientOf = (server: Server, options: Partial<RestClient.Options> = {}) =>
  RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry, timeout: "5 seconds", ...options })
const query = { address: wallet }
const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  reply(status, JSON.stringify(body), { "content-type": "application/json", ...headers })
describe("RestClient", () => {
  describe("walletTransactions", () => {
    it.live("asks as the interface says and gives the typed page", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)], "next"))
        const rest = yield* clientOf(server, { headers: { "x-team": "blue" } })
        const page = yield* rest.walletTransactions({
          address: "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
          chain: 80_002,
          from_block: 1n,
          to_date: "2024-01-31 12:00 +01:00",
          include: "internal_transactions",
          limit: 5,
          order: "ASC",
          cursor: "a+b/c=",
        })

        assert.strictEqual(page.cursor, "next")
        assert.strictEqual(page.result[0]?.value, 7_000_000_049n)
        assert.deepStrictEqual(page.result[0]?.receipt_contract_address, null)
        const [seen] = server.seen
        const url = new URL(seen?.url ?? "", server.url)
        assert.strictEqual(seen?.method, "GET")
        assert.strictEqual(url.pathname, `/api/v2.2/${wallet}/verbose`)
        assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
          chain: "polygon amoy",
          from_block: "1",
          to_date: "2024-01-31 12:00 +01:00",
          include: "internal_transactions",
          limit: "5",
          order: "ASC",
          cursor: "a+b/c=",
        })
        assert.strictEqual(seen?.headers["x-api-key"], "key-1")
        assert.strictEqual(seen?.headers.accept, "application/json")
        assert.strictEqual(seen?.headers["x-team"], "blue")
      }),
    )
    it.live("takes a base URL that has the operation's path already, or a path of its own", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        for (const path of ["", "/", "/api/v2.2", "/api/v2.2/", "/behind/a/proxy/"]) {
          const rest = yield* clientOf(server, { baseUrl: Redacted.make(server.url + path) })
          yield* rest.walletTransactions(query)
        }

        assert.deepStrictEqual(
          server.seen.map(({ url }) => url.replace(`/api/v2.2/${wallet}/verbose`, "*")),
          ["*", "*", "*", "*", "/behind/a/proxy*"],
        )
      }),
    )
    it.live("makes no request for a wrong query, and names the parameter", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const rest = yield* clientOf(server)
        const error = yield* Effect.flip(rest.walletTransactions({ ...query, limit: 0 }))

        assert.isTrue(error._tag === "BadRequest" && error.parameter === "limit" && error.status === undefined)
        assert.strictEqual(
          error.message,
          `The parameter "limit" takes a whole number of at least 1; 0 came. No request was made.`,
        )
        assert.strictEqual(server.seen.length, 0)
      }),
    )
    it.live("reads what hosted providers send: numbers, nulls, a single object, more keys", () =>
      Effect.gen(function* () {
        const log = {
          log_index: 3,
          transaction_hash: row(7, 0).hash,
          transaction_index: 0,
          address: wallet,
          data: "0x",
        }
        const topics = { topic0: null, topic1: "", topic2: null, topic3: null }
        const at = { block_timestamp: "2021-05-07T11:08:35.000Z", block_number: 7, block_hash: row(7, 0)["block_hash"] }
        const sent = { ...row(7, 0), nonce: 12, block_number: 7, to_address: null, transaction_fee: "0.01" }
        const logs = { ...log, ...topics, ...at, transfer_index: [7, 0, 3] }
        const server = yield* script(
          reply(200, JSON.stringify({ page: 0, page_size: "100", total: 1, result: { ...sent, logs } })),
        )
        const page = yield* (yield* clientOf(server)).walletTransactions(query)

        assert.strictEqual(page.cursor, null)
        assert.deepInclude<object>(page, { page: 0, page_size: 100, total: 1 })
        const [transaction] = page.result
        assert.deepInclude<object | undefined>(transaction, {
          nonce: 12,
          block_number: 7n,
          to_address: null,
          transaction_fee: "0.01",
        })
        assert.strictEqual(transaction?.logs[0]?.log_index, 3)
        assert.strictEqual(transaction?.logs[0]?.topic0, null)
      }),
    )

    it.live("tries again after 429, when the server said", () =>
      Effect.gen(function* () {
        const limited = json(
          429,
          { message: "slow down", code: "rate_limited", requestId: "r" },
          { "retry-after": "1" },
        )
        const server = yield* script(limited, sendPage([row(1, 0)]))
        const page = yield* (yield* clientOf(server)).walletTransactions(query)

        assert.strictEqual(page.result.length, 1)
        assert.strictEqual(server.seen.length, 2)
        assert.isAtLeast(server.seen[1]!.atMillis - server.seen[0]!.atMillis, 995)
      }),
    )
    it.live("fails at once when the wait asked for is beyond the deadline", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(429, "", { "retry-after": "3600" }))
        const error = yield* Effect.flip((yield* clientOf(server)).walletTransactions(query))

        assert.strictEqual(error._tag, "RateLimited")
        assert.strictEqual(error.isRetryable, true)
        assert.strictEqual(server.seen.length, 1)
      }),
    )
    it.live("tries again after 503, 502 and a reset connection, and lists the attempts", () =>
      Effect.gen(function* () {
        const server = yield* script(
          json(503, { message: "starting", code: "unavailable", requestId: "r" }),
          reply(502, "<html>Bad Gateway</html>"),
          (request) => void request.socket.resetAndDestroy(),
          sendPage([row(1, 0)], null, { "x-request-id": "r-4", "daybook-indexed-to": "90" }),
        )
        const response = yield* (yield* clientOf(server)).walletTransactionsWithResponse(query)

        assert.deepStrictEqual(
          response.attempts.map(({ outcome }) => outcome),
          ["503", "502", "TransportError headers", "200"],
        )
        assert.strictEqual(response.requestId, "r-4")
        assert.deepStrictEqual(response.indexCoverage, { indexedFrom: null, indexedTo: 90n, finalizedTo: null })
        assert.strictEqual(response.headers["daybook-indexed-to"], "90")
      }),
    )
    it.live("gives up after the attempts of its policy with the last error", () =>
      Effect.gen(function* () {
        const server = yield* script(json(503, { message: "starting" }))
        const rest = yield* clientOf(server, { retry: { ...retry, maxAttempts: 3 } })
        const error = yield* Effect.flip(rest.walletTransactions(query))

        assert.strictEqual(error._tag, "Unavailable")
        assert.strictEqual(error.attempts.length, 3)
        assert.strictEqual(server.seen.length, 3)
        assert.strictEqual(
          error.message,
          `${server.host} cannot answer now: starting. Try again later. (3 attempts were made.)`,
        )
      }),
    )
    it.live("does not try again what will not change", () =>
      Effect.gen(function* () {
        const refusals: ReadonlyArray<readonly [Handler, string]> = [
          [json(400, { message: "no", code: "bad_request", requestId: "r" }), "BadRequest"],
          [json(401, { message: "no", code: "unauthorized", requestId: "r" }), "Unauthorized"],
          [json(401, { message: "plan usage exceeded" }), "QuotaExceeded"],
          [json(403, { message: "no" }), "Forbidden"],
          [json(404, { message: "no" }), "NotFound"],
          [json(409, { message: "no", code: "stale_cursor", requestId: "r", resumeFromBlock: 5 }), "StaleCursor"],
          [reply(200, "<html>Please log in</html>"), "InvalidResponse"],
          [reply(200, "{}"), "InvalidResponse"],
          [reply(302, "", { location: "http://elsewhere.test/" }), "InvalidResponse"],
        ]
        for (const [handler, tag] of refusals) {
          const server = yield* script(handler)
          const error = yield* Effect.flip((yield* clientOf(server)).walletTransactions(query))

          assert.strictEqual(error._tag, tag)
          assert.strictEqual(server.seen.length, 1, tag)
          assert.strictEqual(error.host, server.host)
        }
      }),
    )
    it.live("ends a stalled body at the deadline and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write(`{"cursor":`))
        const rest = yield* clientOf(server, { timeout: 100 })
        const error = yield* Effect.flip(rest.walletTransactions(query))

        assert.isTrue(error._tag === "TimeoutError" && error.phase === "body")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("takes the time of a single call in place of the client's", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const error = yield* Effect.flip((yield* clientOf(server)).walletTransactions(query, { timeout: 50 }))

        assert.isTrue(error._tag === "TimeoutError" && error.phase === "headers")
      }),
    )
    it.live("tells a body that was cut off", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-length": "1000" }).write(`{"cursor":`)
          setTimeout(() => request.socket.destroy(), 5)
        })
        const rest = yield* clientOf(server, { retry: { ...retry, maxAttempts: 2 } })
        const error = yield* Effect.flip(rest.walletTransactions(query))

        assert.isTrue(error._tag === "TransportError" && error.phase === "body")
        assert.strictEqual(server.seen.length, 2)
      }),
    )
    it.live("reads no more than allowed", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage(history(1, 50)))
        const error = yield* Effect.flip((yield* clientOf(server, { maxBytes: 5_000 })).walletTransactions(query))

        assert.isTrue(error._tag === "InvalidResponse" && error.reason === "too-large")
      }),
    )
    it.live("closes the socket when it is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const rest = yield* clientOf(server)
        const fiber = yield* Effect.forkChild(rest.walletTransactions(query))
        while (server.seen.length === 0) yield* Effect.sleep(5)
        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("has a span for the call and one for each attempt, without key, path or page", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), sendPage([row(1, 0), row(2, 0)]))
        const spans: Array<Tracer.NativeSpan> = []
        const tracer = Tracer.make({
          span: (options) => {
            const span = new Tracer.NativeSpan(options)
            spans.push(span)
            return span
          },
        })
        const rest = yield* clientOf(server)
        yield* Effect.withTracer(rest.walletTransactions({ ...query, chain: 1, order: "ASC", limit: 2 }), tracer)

        assert.deepStrictEqual(
          spans.map(({ name }) => name),
          ["RestClient.walletTransactions", "daybook.http", "daybook.http"],
        )
        assert.deepStrictEqual(Object.fromEntries(spans[0]!.attributes), {
          "server.address": server.host,
          "daybook.chain": "eth",
          "daybook.order": "ASC",
          "daybook.limit": "2",
          "daybook.has_cursor": false,
          "daybook.rows": 2,
        })
        for (const { attributes, status } of spans) {
          assert.isTrue(status._tag === "Ended" && (Exit.isFailure(status.exit) || status.exit.value === undefined))
          assert.notMatch(JSON.stringify([...attributes]), /key-1|verbose|http:/)
        }
      }),
    )
  })

  describe("make", () => {
    const wrong: ReadonlyArray<readonly [name: string, options: Partial<RestClient.Options>, option: string]> = [
      ["a base URL without a scheme", { baseUrl: "localhost:8080" }, "baseUrl"],
      ["an empty key", { apiKey: " " }, "apiKey"],
      ["a key with a line break inside", { apiKey: "one\ntwo" }, "apiKey"],
      ["a timeout of nothing", { timeout: 0 }, "timeout"],
      ["no attempts", { retry: { maxAttempts: 0 } }, "retry.maxAttempts"],
      ["no bytes", { maxBytes: 0 }, "maxBytes"],
      ["a log that is no function", { onEvent: {} as never }, "onEvent"],
      ["headers as text", { headers: "x: y" as never }, "headers"],
      ["a header that is no text", { headers: { "x-a": 5 as never } }, "headers.x-a"],
      ["a number as its name", { userAgent: 5 as never }, "userAgent"],
      ["a deadline of its own in the policy", { retry: { deadline: 5 } as never }, "retry.deadline"],
    ]
    for (const [name, options, option] of wrong) {
      it.effect(`fails on ${name}, naming the option`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(RestClient.make({ baseUrl: "http://a.test", apiKey: "k", ...options }))

          assert.strictEqual(error._tag, "InvalidOption")
          assert.strictEqual(error.option, option)
        }),
      )
    }
  })

  describe("layer", () => {
    it.live("provides the service", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(1, 0)]))
        const layer = RestClient.layer({ baseUrl: server.url, apiKey: Redacted.make("key-1") })
        const page = yield* RestClient.RestClient.use((rest) => rest.walletTransactions(query)).pipe(
          Effect.provide(layer),
        )

        assert.strictEqual(page.result.length, 1)
      }),
    )
  })

  describe("layerConfig", () => {
    const configured = (values: Record<string, string>) =>
      RestClient.layerConfig.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(values))))

    it.live("reads DAYBOOK_BASE_URL and DAYBOOK_API_KEY", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const layer = configured({ DAYBOOK_BASE_URL: server.url, DAYBOOK_API_KEY: "key-2" })
        yield* RestClient.RestClient.use((rest) => rest.walletTransactions(query)).pipe(Effect.provide(layer))

        assert.strictEqual(server.seen[0]?.headers["x-api-key"], "key-2")
      }),
    )
    it.effect("names the variable that makes no sense", () =>
      Effect.gen(function* () {
        const layer = configured({ DAYBOOK_BASE_URL: "host", DAYBOOK_API_KEY: "key-2" })
        const error = yield* Effect.flip(Effect.provide(RestClient.RestClient, layer))

        assert.strictEqual(error._tag === "InvalidOption" && error.option, "DAYBOOK_BASE_URL")
      }),
    )
    it.effect("names what is missing", () =>
      Effect.gen(function* () {
        const layer = configured({ DAYBOOK_BASE_URL: "http://a.test" })
        const error = yield* Effect.flip(Effect.provide(RestClient.RestClient, layer))

        assert.strictEqual(error._tag, "ConfigError")
        assert.include(error.message, "DAYBOOK_API_KEY")
      }),
    )
  })
})
