import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { RestClient } from "../src/index.ts"
import { history, row, sendPage, wallet } from "./history.ts"
import * as Eventually from "@daybook/harness/Eventually"
import * as RecordingTracer from "@daybook/harness/RecordingTracer"
import { type Handler, reply, script, type Server } from "@daybook/harness/ScriptedServer"

const retry = { base: 1, cap: 5 }
const clientOf = (server: Server, options: Partial<RestClient.Options> = {}) =>
  RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry, timeout: "5 seconds", ...options })
const query = { address: wallet }
const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  reply(status, JSON.stringify(body), { "content-type": "application/json", ...headers })

describe("RestClient", () => {
  describe("walletTransactions", () => {
    it.live("walletTransactions: sends the query in the form of the interface and returns the typed page", () =>
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

        expect(page.cursor).toBe("next")
        expect(page.result[0]?.value).toBe(7_000_000_049n)
        expect(page.result[0]?.receipt_contract_address).toStrictEqual(null)
        const [seen] = server.seen
        const url = new URL(seen?.url ?? "", server.url)
        expect(seen?.method).toBe("GET")
        expect(url.pathname).toBe(`/api/v2.2/${wallet}/verbose`)
        expect(Object.fromEntries(url.searchParams)).toStrictEqual({
          chain: "polygon amoy",
          from_block: "1",
          to_date: "2024-01-31 12:00 +01:00",
          include: "internal_transactions",
          limit: "5",
          order: "ASC",
          cursor: "a+b/c=",
        })
        expect(seen?.headers["x-api-key"]).toBe("key-1")
        expect(seen?.headers.accept).toBe("application/json")
        expect(seen?.headers["x-team"]).toBe("blue")
      }),
    )
    it.live("make: accepts a base URL with the path of the API or of a proxy", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        for (const path of ["", "/", "/api/v2.2", "/api/v2.2/", "/behind/a/proxy/"]) {
          const rest = yield* clientOf(server, { baseUrl: Redacted.make(server.url + path) })
          yield* rest.walletTransactions(query)
        }

        expect(server.seen.map(({ url }) => url.replace(`/api/v2.2/${wallet}/verbose`, "*"))).toStrictEqual([
          "*",
          "*",
          "*",
          "*",
          "/behind/a/proxy*",
        ])
      }),
    )
    it.live("walletTransactions: an invalid query fails without a request and names the parameter", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const rest = yield* clientOf(server)
        const error = yield* Effect.flip(rest.walletTransactions({ ...query, limit: 0 }))

        expect(error._tag === "BadRequest" && error.parameter === "limit" && error.status === undefined).toBe(true)
        expect(error.message).toBe(`Invalid parameter "limit": expected a safe integer of at least 1, received 0.`)
        expect(server.seen.length).toBe(0)
      }),
    )
    it.live(
      "walletTransactions: reads responses of hosted providers: numbers, nulls, a single object, unknown keys",
      () =>
        Effect.gen(function* () {
          const log = {
            log_index: 3,
            transaction_hash: row(7, 0).hash,
            transaction_index: 0,
            address: wallet,
            data: "0x",
          }
          const topics = { topic0: null, topic1: "", topic2: null, topic3: null }
          const at = {
            block_timestamp: "2021-05-07T11:08:35.000Z",
            block_number: 7,
            block_hash: row(7, 0)["block_hash"],
          }
          const sent = { ...row(7, 0), nonce: 12, block_number: 7, to_address: null, transaction_fee: "0.01" }
          const logs = { ...log, ...topics, ...at, transfer_index: [7, 0, 3] }
          const server = yield* script(
            reply(200, JSON.stringify({ page: 0, page_size: "100", total: 1, result: { ...sent, logs } })),
          )
          const page = yield* (yield* clientOf(server)).walletTransactions(query)

          expect(page.cursor).toBe(null)
          expect(page).toMatchObject({ page: 0, page_size: 100, total: 1 })
          const [transaction] = page.result
          expect(transaction).toMatchObject({
            nonce: 12,
            block_number: 7n,
            to_address: null,
            transaction_fee: "0.01",
          })
          expect(transaction?.logs[0]?.log_index).toBe(3)
          expect(transaction?.logs[0]?.topic0).toBe(null)
        }),
    )

    it.live("walletTransactions: retries a 429 after the requested wait", () =>
      Effect.gen(function* () {
        const limited = json(
          429,
          { message: "slow down", code: "rate_limited", requestId: "r" },
          { "retry-after-ms": "1" },
        )
        const server = yield* script(limited, sendPage([row(1, 0)]))
        const page = yield* (yield* clientOf(server)).walletTransactions(query)

        expect(page.result.length).toBe(1)
        expect(server.seen.length).toBe(2)
      }),
    )
    it.live("walletTransactions: fails at once when the requested wait exceeds the deadline", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(429, "", { "retry-after": "3600" }))
        const error = yield* Effect.flip((yield* clientOf(server)).walletTransactions(query))

        expect(error._tag).toBe("RateLimited")
        expect(error.isRetryable).toBe(true)
        expect(server.seen.length).toBe(1)
      }),
    )
    it.live("walletTransactions: retries a 503, a 502 and a reset connection, and lists the attempts", () =>
      Effect.gen(function* () {
        const server = yield* script(
          json(503, { message: "starting", code: "unavailable", requestId: "r" }),
          reply(502, "<html>Bad Gateway</html>"),
          (request) => void request.socket.resetAndDestroy(),
          sendPage([row(1, 0)], null, { "x-request-id": "r-4", "daybook-indexed-to": "90" }),
        )
        const response = yield* (yield* clientOf(server)).walletTransactionsWithResponse(query)

        expect(response.attempts.map(({ outcome }) => outcome)).toStrictEqual([
          "503",
          "502",
          "TransportError headers",
          "200",
        ])
        expect(response.requestId).toBe("r-4")
        expect(response.indexCoverage).toMatchObject({ indexedFrom: null, indexedTo: 90n, finalizedTo: null })
        expect(response.headers["daybook-indexed-to"]).toBe("90")
      }),
    )
    it.live("walletTransactions: fails after the last attempt of the policy with its error", () =>
      Effect.gen(function* () {
        const server = yield* script(json(503, { message: "starting" }))
        const rest = yield* clientOf(server, { retry: { ...retry, maxAttempts: 3 } })
        const error = yield* Effect.flip(rest.walletTransactions(query))

        expect(error._tag).toBe("Unavailable")
        expect(error.attempts.length).toBe(3)
        expect(server.seen.length).toBe(3)
        expect(error.message).toBe(`Service unavailable: ${server.host}: starting. Try again later. (3 attempts)`)
      }),
    )
    it.live("walletTransactions: does not retry errors that would repeat", () =>
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

          expect(error._tag).toBe(tag)
          expect([tag, server.seen.length]).toStrictEqual([tag, 1])
          expect(error.host).toBe(server.host)
        }
      }),
    )
    it.live("walletTransactions: a stalled body ends at the deadline and the socket is closed", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write(`{"cursor":`))
        const answered = yield* Deferred.make<void>()
        const rest = yield* clientOf(server, {
          timeout: "1 minute",
          fetch: async (url, init) => {
            const response = await fetch(url, init)
            setImmediate(() => Deferred.doneUnsafe(answered, Exit.void))
            return response
          },
        })
        const failed = yield* Effect.forkChild(Effect.flip(rest.walletTransactions(query)))
        yield* Deferred.await(answered)
        yield* TestClock.adjust("1 minute")
        const error = yield* Fiber.join(failed)

        expect(error._tag === "TimeoutError" && error.phase === "body").toBe(true)
        yield* Effect.promise(() => server.closed(1))
      }).pipe(Effect.provide(TestClock.layer())),
    )
    it.live("walletTransactions: the timeout of a call replaces that of the client", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const error = yield* Effect.flip((yield* clientOf(server)).walletTransactions(query, { timeout: 50 }))

        expect(error._tag === "TimeoutError" && error.phase === "headers").toBe(true)
      }),
    )
    it.live("walletTransactions: an interrupted body fails in phase body", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-length": "1000" }).write(`{"cursor":`, () => request.socket.end())
        })
        const rest = yield* clientOf(server, { retry: { ...retry, maxAttempts: 2 } })
        const error = yield* Effect.flip(rest.walletTransactions(query))

        expect(error._tag === "TransportError" && error.phase === "body").toBe(true)
        expect(server.seen.length).toBe(2)
      }),
    )
    it.live("walletTransactions: rejects a response above maxBytes", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage(history(1, 50)))
        const error = yield* Effect.flip((yield* clientOf(server, { maxBytes: 5_000 })).walletTransactions(query))

        expect(error._tag === "InvalidResponse" && error.reason === "too-large").toBe(true)
      }),
    )
    it.live("walletTransactions: an interruption closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const rest = yield* clientOf(server)
        const fiber = yield* Effect.forkChild(rest.walletTransactions(query))
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length > 0))
        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("walletTransactions: has a span for the call and one for each attempt, without key or page", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), sendPage([row(1, 0), row(2, 0)]))
        const { spans, tracer } = RecordingTracer.make()
        const rest = yield* clientOf(server)
        const { hostname, port } = new URL(server.url)
        const address = { "server.address": hostname, "server.port": Number(port) }
        yield* Effect.withTracer(rest.walletTransactions({ ...query, chain: 1, order: "ASC", limit: 2 }), tracer)

        expect(spans.map(({ name }) => name)).toStrictEqual(["RestClient.walletTransactions", "GET", "GET"])
        expect(Object.fromEntries(spans[0]!.attributes)).toStrictEqual({
          ...address,
          "daybook.chain": "eth",
          "daybook.order": "ASC",
          "daybook.limit": "2",
          "daybook.has_cursor": false,
          "daybook.rows": 2,
        })
        const request = {
          ...address,
          "http.request.method": "GET",
          "url.full": `${server.url}/api/v2.2/${wallet}/verbose?chain=eth&limit=2&order=ASC`,
        }
        expect(spans.slice(1).map(({ attributes }) => Object.fromEntries(attributes))).toStrictEqual([
          { ...request, "http.response.status_code": 503, "error.type": "503" },
          { ...request, "http.request.resend_count": 1, "http.response.status_code": 200 },
        ])
        for (const { attributes, status } of spans) {
          expect(status._tag === "Ended" && (Exit.isFailure(status.exit) || status.exit.value === undefined)).toBe(true)
          expect(JSON.stringify([...attributes])).not.toMatch(/key-1/)
        }
      }),
    )
  })

  describe("telemetry", () => {
    it.live("walletTransactions: a span of a failed call has the tag of its error", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(401))
        const { spans, tracer } = RecordingTracer.make()
        const rest = yield* clientOf(server)
        yield* Effect.exit(Effect.withTracer(rest.walletTransactions(query), tracer))

        expect(spans.map(({ attributes, name }) => [name, attributes.get("error.type")])).toStrictEqual([
          ["RestClient.walletTransactions", "Unauthorized"],
          ["GET", "401"],
        ])
      }),
    )
  })

  describe("make", () => {
    const invalid: ReadonlyArray<readonly [name: string, options: Partial<RestClient.Options>, option: string]> = [
      ["a base URL without a scheme", { baseUrl: "localhost:8080" }, "baseUrl"],
      ["an empty key", { apiKey: " " }, "apiKey"],
      ["a key with a line break inside", { apiKey: "one\ntwo" }, "apiKey"],
      ["a timeout of zero", { timeout: 0 }, "timeout"],
      ["no attempts", { retry: { maxAttempts: 0 } }, "retry.maxAttempts"],
      ["no bytes", { maxBytes: 0 }, "maxBytes"],
      ["a listener that is not a function", { onEvent: {} as never }, "onEvent"],
      ["headers as text", { headers: "x: y" as never }, "headers"],
      ["a header that is not a string", { headers: { "x-a": 5 as never } }, "headers.x-a"],
      ["a number as the user agent", { userAgent: 5 as never }, "userAgent"],
      ["a deadline in the policy", { retry: { deadline: 5 } as never }, "retry.deadline"],
    ]
    for (const [name, options, option] of invalid) {
      it.effect(`make: rejects ${name} and names the option`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(RestClient.make({ baseUrl: "http://a.test", apiKey: "k", ...options }))

          expect(error._tag).toBe("InvalidOption")
          expect(error.option).toBe(option)
        }),
      )
    }
  })

  describe("layer", () => {
    it.live("layer: provides the service", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(1, 0)]))
        const layer = RestClient.layer({ baseUrl: server.url, apiKey: Redacted.make("key-1") })
        const page = yield* RestClient.RestClient.use((rest) => rest.walletTransactions(query)).pipe(
          Effect.provide(layer),
        )

        expect(page.result.length).toBe(1)
      }),
    )
  })

  describe("layerConfig", () => {
    const configured = (values: Record<string, string>) =>
      RestClient.layerConfig.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(values))))

    it.live("layerConfig: reads DAYBOOK_BASE_URL and DAYBOOK_API_KEY", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const layer = configured({ DAYBOOK_BASE_URL: server.url, DAYBOOK_API_KEY: "key-2" })
        yield* RestClient.RestClient.use((rest) => rest.walletTransactions(query)).pipe(Effect.provide(layer))

        expect(server.seen[0]?.headers["x-api-key"]).toBe("key-2")
      }),
    )
    it.effect("layerConfig: names the invalid variable", () =>
      Effect.gen(function* () {
        const layer = configured({ DAYBOOK_BASE_URL: "host", DAYBOOK_API_KEY: "key-2" })
        const error = yield* Effect.flip(Effect.provide(RestClient.RestClient, layer))

        expect(error._tag === "InvalidOption" && error.option).toBe("DAYBOOK_BASE_URL")
      }),
    )
    it.effect("layerConfig: names the missing variable", () =>
      Effect.gen(function* () {
        const layer = configured({ DAYBOOK_BASE_URL: "http://a.test" })
        const error = yield* Effect.flip(Effect.provide(RestClient.RestClient, layer))

        expect(error._tag).toBe("ConfigError")
        expect(error.message).toContain("DAYBOOK_API_KEY")
      }),
    )
  })
})
