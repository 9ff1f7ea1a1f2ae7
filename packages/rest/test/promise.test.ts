import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Address from "@daybook/schema/Address"
import { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { Effect, Schema } from "effect"
import {
  createRestClient,
  type Options,
  type Paged,
  type PageResponse,
  type Query,
  type RestPromiseClient,
  type Rows,
  type RowsReverted,
  toJson,
  type WalletPage,
} from "../src/promise.ts"
import { history, row, sendPage, servePages, wallet } from "./history.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { reply, script, serve, type Server } from "@daybook/harness/ScriptedServer"

const query = { address: wallet }
const clientOf = (server: Server, options: { readonly timeout?: number } = {}) =>
  createRestClient({ baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 5 }, ...options })

const rejection = async (promise: Promise<unknown>): Promise<Record<string, unknown>> => {
  try {
    await promise
  } catch (error) {
    // Sound for a test: every assertion that follows reads a field.
    return error as Record<string, unknown>
  }
  return expect.unreachable("the promise must reject")
}

const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

describe("promise", () => {
  describe("createRestClient", () => {
    it("createRestClient: the types of its calls can be imported beside it", () => {
      expectTypeOf<RestPromiseClient["walletTransactionsStream"]>().toExtend<
        (query: Query, options: { readonly onStaleCursor: "restart" }) => Rows<WalletTransaction | RowsReverted>
      >()
      expectTypeOf<RestPromiseClient["walletTransactionsWithResponse"]>().toExtend<
        (query: Query) => Promise<PageResponse<Paged<WalletPage>>>
      >()
      expectTypeOf(createRestClient).parameter(0).toEqualTypeOf<Options>()
    })

    it("createRestClient: throws InvalidOption at once, without the URL or the key", () => {
      const make = () => createRestClient({ baseUrl: "ftp://host/secret-path", apiKey: "key-1" })

      expect(make).toThrow(
        `Invalid option "baseUrl": expected an http or https URL such as https://host/path, received a URL with the scheme ftp:.`,
      )
      expect(make).toThrow(/^((?!secret-path|key-1).)*$/)
    })

    const invalidCalls: ReadonlyArray<readonly [unknown, string]> = [
      [
        { timout: 5 },
        'Invalid option "timout": expected one of the keys timeout, headers, onBadRow, signal, received an unknown key.',
      ],
      [{ timeout: 0 }, 'Invalid option "timeout": expected a duration above zero in milliseconds or as text'],
      [{ onBadRow: true }, 'Invalid option "onBadRow": expected a function, received true.'],
      [{ signal: new AbortController() }, 'Invalid option "signal": expected an AbortSignal, received an object.'],
      [
        5_000,
        'Invalid option "options": expected an object with timeout, headers, onBadRow, signal, received a number.',
      ],
    ]
    it.live.each(invalidCalls)(
      "walletTransactions: rejects the options %j before a request is made",
      ([given, message]) =>
        Effect.gen(function* () {
          const server = yield* script(sendPage([]))
          const rest = clientOf(server)
          const page = rest.walletTransactions as (query: object, options: unknown) => Promise<unknown>
          const error = yield* Effect.promise(() => rejection(page(query, given)))

          expect(error["_tag"]).toBe("BadRequest")
          expect(error["message"]).toContain(message)
          expect(server.seen.length).toBe(0)
        }),
    )
    const invalidStreams: ReadonlyArray<readonly [unknown, string]> = [
      [
        { maxRow: 5 },
        'Invalid option "maxRow": expected one of the keys timeout, headers, onBadRow, maxRows, prefetch, resume,',
      ],
      [{ signal: 5 }, 'Invalid option "signal": expected an AbortSignal, received 5.'],
      [{ onStaleCursor: "retry" }, 'Invalid option "onStaleCursor": expected "fail" or "restart", received "retry".'],
      ["now", 'Invalid option "options": expected an object with timeout, headers, onBadRow, maxRows,'],
    ]
    it.live.each(invalidStreams)(
      "walletTransactionsStream and walletPagesStream: reject the options %j before a request is made",
      ([given, message]) =>
        Effect.gen(function* () {
          const server = yield* script(sendPage([]))
          const { walletPagesStream, walletTransactionsStream } = clientOf(server)
          for (const walk of [walletPagesStream, walletTransactionsStream]) {
            const untyped = walk as (query: object, options: unknown) => AsyncIterable<unknown>
            const error = yield* Effect.promise(() => rejection(collect(untyped(query, given))))

            expect(error["_tag"]).toBe("BadRequest")
            expect(error["message"]).toContain(message)
          }
          expect(server.seen.length).toBe(0)
        }),
    )
    it.live("walletTransactions: rejects a missing query", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const { walletTransactions, walletTransactionsStream } = clientOf(server)
        const page = walletTransactions as (query?: unknown) => Promise<unknown>
        const walk = walletTransactionsStream as (query?: unknown) => AsyncIterable<unknown>
        const message = 'Invalid parameter "query": expected an object with an address, received nothing.'

        expect((yield* Effect.promise(() => rejection(page())))["message"]).toBe(message)
        expect((yield* Effect.promise(() => rejection(collect(walk()))))["message"]).toBe(message)
      }),
    )
    it.live("walletTransactions: accepts null as its options", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const page = clientOf(server).walletTransactions as (query: object, options: unknown) => Promise<unknown>
        const walk = clientOf(server).walletPagesStream as (query: object, options: unknown) => AsyncIterable<unknown>

        expect(yield* Effect.promise(() => page(query, null))).toMatchObject({ result: [] })
        expect((yield* Effect.promise(() => collect(walk(query, null)))).length).toBe(1)
      }),
    )

    it.each([
      [undefined, "baseUrl", "expected the URL before /api/v2.2, such as https://host, received nothing."],
      [
        { baseUrl: "http://host", apiKey: undefined },
        "apiKey",
        "expected the API key of the server, received nothing.",
      ],
      [
        { baseUrl: null, apiKey: "key-1" },
        "baseUrl",
        "expected the URL before /api/v2.2, such as https://host, received null.",
      ],
      [
        { baseUrl: 8080, apiKey: "key-1" },
        "baseUrl",
        "expected the URL before /api/v2.2, such as https://host, received a number.",
      ],
      [
        { baseUrl: "http://host", apiKey: "key-1", timout: 5 },
        "timout",
        "expected one of the keys baseUrl, apiKey, timeout,",
      ],
      [{ baseUrl: "http://host", apiKey: "key-1", retry: 3 }, "retry", "expected an object with maxAttempts, base,"],
      [
        { baseUrl: "http://host", apiKey: "key-1", retry: { attempts: 2 } },
        "retry.attempts",
        "expected one of the keys maxAttempts, base, cap, jitter, attemptTimeout, received an unknown key.",
      ],
      [
        { baseUrl: "http://host/?a=b", apiKey: "key-1" },
        "baseUrl",
        "expected the URL before /api/v2.2, such as https://host, received a URL with a query.",
      ],
      [
        { baseUrl: "http://host/#a", apiKey: "key-1" },
        "baseUrl",
        "expected the URL before /api/v2.2, such as https://host, received a URL with a fragment.",
      ],
      ["http://host", "options", "expected an object with baseUrl, apiKey,"],
      [8080, "options", "expected an object with baseUrl, apiKey,"],
      [null, "baseUrl", "expected the URL before /api/v2.2, such as https://host, received nothing."],
      [
        { baseUrl: "http://host", apiKey: "key-1", maxBytes: "1" },
        "maxBytes",
        `expected a whole number above 0, received "1".`,
      ],
      [{ baseUrl: "http://host", apiKey: 12 }, "apiKey", "expected the API key of the server, received a number."],
    ])("createRestClient: rejects the options %j", (given, option, rest) => {
      const untyped = createRestClient as (options: unknown) => unknown

      expect(() => untyped(given)).toThrow(`Invalid option "${option}": ${rest}`)
    })

    it("createRestClient: accepts a URL object", () => {
      expect(() => createRestClient({ baseUrl: new URL("http://host/a"), apiKey: "key-1" })).not.toThrow()
    })
  })

  describe("walletTransactions", () => {
    it.live("walletTransactions: resolves with the typed page", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)], "next"))
        const page = yield* Effect.promise(() => clientOf(server).walletTransactions(query))

        expect(page.cursor).toBe("next")
        expect(page.result[0]?.value).toBe(7_000_000_049n)
      }),
    )
    it.live("walletTransactions: its rows encode through the schema and compare with a normalised address", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)]))
        const page = yield* Effect.promise(() => clientOf(server).walletTransactions(query))
        const [first = expect.unreachable("no row")] = page.result
        const checksummed = `0x${first.from_address.slice(2).toUpperCase()}`

        expect(() => JSON.stringify(first)).toThrow("BigInt")
        expect(JSON.parse(JSON.stringify(Schema.encodeSync(WalletTransaction)(first))).value).toBe("7000000049")
        expect(first.from_address).not.toBe(checksummed)
        expect(first.from_address).toBe(Address.fromText(checksummed))
      }),
    )
    it.live("walletTransactions: its rows as JSON decode to the same rows", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(3, 10)))
        const { result } = yield* Effect.promise(() => clientOf(server).walletTransactions(query))
        const stored: unknown = JSON.parse(JSON.stringify(toJson(result)))

        expect(result).toHaveLength(10)
        expect(Schema.decodeUnknownSync(Schema.Array(WalletTransaction))(stored)).toEqual(result)
      }),
    )
    it.live("walletTransactions: rejects with the tagged error, which is an Error", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(401, JSON.stringify({ message: "no" })))
        const error = yield* Effect.promise(() => rejection(clientOf(server).walletTransactions(query)))

        expect(error).toBeInstanceOf(Error)
        expect(error["_tag"]).toBe("Unauthorized")
        expect(error["isRetryable"]).toBe(false)
        expect(error["message"]).toBe(`API key rejected: ${server.host} (no). Check the key and its permissions.`)
      }),
    )
    it.live(
      "walletTransactions, walletTransactionsStream, walletPagesStream: the stack of an error names the program's call",
      () =>
        Effect.gen(function* () {
          const server = yield* script(reply(401, JSON.stringify({ message: "no" })))
          const rest = clientOf(server)
          const programs = {
            callsOnce: async () => void (await rest.walletTransactions(query)),
            iteratesRows: async () => {
              for await (const one of rest.walletTransactionsStream(query)) expect.unreachable(one.hash)
            },
            iteratesPages: async () => {
              for await (const one of rest.walletPagesStream(query)) expect.unreachable(one.position)
            },
          }
          for (const [name, program] of Object.entries(programs)) {
            const error = yield* Effect.promise(() => rejection(program()))
            expect([name, error["_tag"], String(error["stack"])]).toEqual([
              name,
              "Unauthorized",
              expect.stringMatching(new RegExp(`^Unauthorized: [^\\n]*\\n[^]*${name}`)),
            ])
          }
        }),
    )
    it("createRestClient: the stack of an invalid option names the program's call", () => {
      const makesClient = () => createRestClient({ baseUrl: "service.example", apiKey: "key-1" })

      expect(makesClient).toThrow(
        expect.objectContaining({ stack: expect.stringMatching(/^InvalidOption: [^\n]*\n[^]*makesClient/) }),
      )
    })
    it.live("walletTransactions: rejects an invalid query without a request", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const error = yield* Effect.promise(() =>
          rejection(clientOf(server).walletTransactions({ ...query, limit: -1 })),
        )

        expect(error["_tag"]).toBe("BadRequest")
        expect(error["parameter"]).toBe("limit")
        expect(server.seen.length).toBe(0)
      }),
    )
    it.live("walletTransactions: an aborted signal rejects with its reason and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const controller = new AbortController()
        const promise = rejection(clientOf(server).walletTransactions(query, { signal: controller.signal }))
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length > 0))
        controller.abort()

        expect((yield* Effect.promise(() => promise))["name"]).toBe("AbortError")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("walletTransactions: keeps the timeout when a signal is given", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const { signal } = new AbortController()
        const error = yield* Effect.promise(() =>
          rejection(clientOf(server, { timeout: 50 }).walletTransactions(query, { signal })),
        )

        expect(error["_tag"]).toBe("TimeoutError")
      }),
    )
  })

  describe("next", () => {
    it.live("next: returns each page of the query once, and null after the last one", () =>
      Effect.gen(function* () {
        const rows = history(3, 25)
        const server = yield* serve(servePages(rows))
        const hashes: Array<string> = []
        yield* Effect.promise(async () => {
          let page: Paged<WalletPage> | null = await clientOf(server).walletTransactions({
            ...query,
            limit: 10,
            order: "ASC",
          })
          for (; page !== null; page = await page.next()) hashes.push(...page.result.map(({ hash }) => hash))
        })

        expect(hashes).toEqual(rows.map(({ hash }) => hash))
        expect(server.seen.map(({ url }) => new URL(url, server.url).searchParams.get("limit"))).toEqual([
          "10",
          "10",
          "10",
        ])
      }),
    )
    it.live("next: keeps the options of the call, including for the page of a response", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(3, 25)))
        const controller = new AbortController()
        const { page } = yield* Effect.promise(() =>
          clientOf(server)
            .walletTransactions({ ...query, limit: 10 }, { signal: controller.signal })
            .withResponse(),
        )
        controller.abort(new Error("stopped"))
        const error = yield* Effect.promise(() => rejection(page.next()))

        expect(error["message"]).toBe("stopped")
        expect(server.seen.length).toBe(1)
      }),
    )
    it.live("next: is not part of the page when it is stored or copied", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(1, 0)]))
        const page = yield* Effect.promise(() => clientOf(server).walletTransactions(query))

        expect(Object.keys(page)).not.toContain("next")
        expect(toJson(page)).not.toHaveProperty("next")
        expect(structuredClone(page)).toEqual({ ...page })
      }),
    )
  })

  describe("withResponse", () => {
    it.live("withResponse: returns the page and the response of one request", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)], null, { "daybook-indexed-to": "7", "x-request-id": "r-1" }))
        const [page, response] = yield* Effect.promise(async () => {
          const promise = clientOf(server).walletTransactions(query)
          return [await promise, await promise.withResponse()] as const
        })

        expect(response.page).toBe(page)
        expect(response.indexCoverage.indexedTo).toBe(7n)
        expect(response.headers["x-request-id"]).toBe("r-1")
        expect(server.seen.length).toBe(1)
      }),
    )
    it.live("withResponse: rejects once and leaves no unhandled rejection", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(401, JSON.stringify({ message: "no" })))
        const unhandled: Array<unknown> = []
        const note = (reason: unknown) => unhandled.push(reason)
        process.on("unhandledRejection", note)
        const error = yield* Effect.promise(() => rejection(clientOf(server).walletTransactions(query).withResponse()))
        // Node reports an unhandled rejection after the microtasks of the turn.
        yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
        process.off("unhandledRejection", note)

        expect(error["_tag"]).toBe("Unauthorized")
        expect(unhandled).toStrictEqual([])
      }),
    )
  })

  describe("walletTransactionsWithResponse", () => {
    it.live("walletTransactionsWithResponse: resolves with page, index coverage and headers", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([], null, { "daybook-finalized-to": "7", "x-request-id": "r-1" }))
        const response = yield* Effect.promise(() => clientOf(server).walletTransactionsWithResponse(query))

        expect(response.indexCoverage.finalizedTo).toBe(7n)
        expect(response.requestId).toBe("r-1")
        expect(response.headers["daybook-finalized-to"]).toBe("7")
      }),
    )
  })
})
