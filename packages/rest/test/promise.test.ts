import { assert, describe, it } from "@effect/vitest"
import * as Address from "@daybook/schema/Address"
import { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { Effect, Schema } from "effect"
import { createRestClient } from "../src/promise.ts"
import { history, row, sendPage, servePages, wallet } from "./history.ts"
import { reply, script, serve, type Server } from "@daybook/testkit/ScriptedServer"

const query = { address: wallet }
const clientOf = (server: Server, options: { readonly timeout?: number } = {}) =>
  createRestClient({ baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 5 }, ...options })

const rejection = async (promise: Promise<unknown>): Promise<Record<string, unknown>> => {
  try {
    await promise
  } catch (error) {
    // Sound for a test: every assertion that follows looks at a field.
    return error as Record<string, unknown>
  }
  return assert.fail("it should have been rejected")
}

const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

describe("promise", () => {
  describe("createRestClient", () => {
    it("throws InvalidOption at once, without the URL or the key", () => {
      const make = () => createRestClient({ baseUrl: "ftp://host/secret-path", apiKey: "key-1" })

      assert.throws(make, `The option "baseUrl" has the scheme ftp:, which is not supported.`)
      assert.throws(make, /^((?!secret-path|key-1).)*$/)
    })

    const wrongCalls: ReadonlyArray<readonly [unknown, string]> = [
      [{ timout: 5 }, 'The parameter "timout" is not known. Known are timeout, onBadRow, signal. No request was made.'],
      [{ timeout: 0 }, 'The parameter "timeout" takes a duration above zero in milliseconds or as text'],
      [{ onBadRow: true }, 'The parameter "onBadRow" takes a function; true came.'],
      [{ signal: new AbortController() }, 'The parameter "signal" takes an AbortSignal; an object came.'],
      [5_000, 'The parameter "options" takes an object of timeout, onBadRow, signal; a number came.'],
    ]
    it.live.each(wrongCalls)("refuses the options %j of a call before a request is made", ([given, message]) =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const rest = clientOf(server)
        const page = rest.walletTransactions as (query: object, options: unknown) => Promise<unknown>
        const error = yield* Effect.promise(() => rejection(page(query, given)))

        assert.strictEqual(error["_tag"], "BadRequest")
        assert.include(error["message"], message)
        assert.strictEqual(server.seen.length, 0)
      }),
    )
    const wrongWalks: ReadonlyArray<readonly [unknown, string]> = [
      [{ maxRow: 5 }, 'The parameter "maxRow" is not known. Known are timeout, onBadRow, maxRows, prefetch, resume,'],
      [{ signal: 5 }, 'The parameter "signal" takes an AbortSignal; 5 came.'],
      [{ onStaleCursor: "retry" }, 'The parameter "onStaleCursor" takes "fail" or "restart"; retry came.'],
      ["now", 'The parameter "options" takes an object of timeout, onBadRow, maxRows,'],
    ]
    it.live.each(wrongWalks)("refuses the options %j of a walk before a request is made", ([given, message]) =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const { walletPagesStream, walletTransactionsStream } = clientOf(server)
        for (const walk of [walletPagesStream, walletTransactionsStream]) {
          const untyped = walk as (query: object, options: unknown) => AsyncIterable<unknown>
          const error = yield* Effect.promise(() => rejection(collect(untyped(query, given))))

          assert.strictEqual(error["_tag"], "BadRequest")
          assert.include(error["message"], message)
        }
        assert.strictEqual(server.seen.length, 0)
      }),
    )
    it.live("says that a query is missing", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const { walletTransactions, walletTransactionsStream } = clientOf(server)
        const page = walletTransactions as (query?: unknown) => Promise<unknown>
        const walk = walletTransactionsStream as (query?: unknown) => AsyncIterable<unknown>
        const message = 'The parameter "query" takes an object with an address; nothing came. No request was made.'

        assert.strictEqual((yield* Effect.promise(() => rejection(page())))["message"], message)
        assert.strictEqual((yield* Effect.promise(() => rejection(collect(walk()))))["message"], message)
      }),
    )
    it.live("takes null for the options of a call", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const page = clientOf(server).walletTransactions as (query: object, options: unknown) => Promise<unknown>
        const walk = clientOf(server).walletPagesStream as (query: object, options: unknown) => AsyncIterable<unknown>

        assert.deepInclude(yield* Effect.promise(() => page(query, null)), { result: [] })
        assert.strictEqual((yield* Effect.promise(() => collect(walk(query, null)))).length, 1)
      }),
    )

    it.each([
      [undefined, "baseUrl", "is missing. It takes the URL"],
      [{ baseUrl: "http://host", apiKey: undefined }, "apiKey", "is missing. It takes the key"],
      [{ baseUrl: null, apiKey: "key-1" }, "baseUrl", "is missing. It takes the URL"],
      [{ baseUrl: 8080, apiKey: "key-1" }, "baseUrl", "is a number. It takes the URL"],
      [
        { baseUrl: "http://host", apiKey: "key-1", timout: 5 },
        "timout",
        "is not known. Known are baseUrl, apiKey, timeout,",
      ],
      [{ baseUrl: "http://host", apiKey: "key-1", retry: 3 }, "retry", "takes an object of maxAttempts, base,"],
      [
        { baseUrl: "http://host", apiKey: "key-1", retry: { attempts: 2 } },
        "retry.attempts",
        "is not known. Known are maxAttempts, base, cap, jitter, attemptTimeout.",
      ],
      [{ baseUrl: "http://host/?a=b", apiKey: "key-1" }, "baseUrl", "has a query, which has no meaning there."],
      [{ baseUrl: "http://host/#a", apiKey: "key-1" }, "baseUrl", "has a fragment, which has no meaning there."],
      ["http://host", "options", "takes an object of baseUrl, apiKey,"],
      [8080, "options", "takes an object of baseUrl, apiKey,"],
      [null, "baseUrl", "is missing. It takes the URL"],
      [
        { baseUrl: "http://host", apiKey: "key-1", maxBytes: "1" },
        "maxBytes",
        `takes a whole number above 0; "1" came.`,
      ],
      [{ baseUrl: "http://host", apiKey: 12 }, "apiKey", "is a number. It takes the key"],
    ])("says which option is missing or of another kind: %j", (given, option, issue) => {
      const untyped = createRestClient as (options: unknown) => unknown

      assert.throws(() => untyped(given), `The option "${option}" ${issue}`)
    })

    it("takes a URL object", () => {
      assert.doesNotThrow(() => createRestClient({ baseUrl: new URL("http://host/a"), apiKey: "key-1" }))
    })
  })

  describe("walletTransactions", () => {
    it.live("resolves with the typed page", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)], "next"))
        const page = yield* Effect.promise(() => clientOf(server).walletTransactions(query))

        assert.strictEqual(page.cursor, "next")
        assert.strictEqual(page.result[0]?.value, 7_000_000_049n)
      }),
    )
    it.live("gives rows that print through the schema and compare with a normalised address", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)]))
        const page = yield* Effect.promise(() => clientOf(server).walletTransactions(query))
        const [first = assert.fail("no row")] = page.result
        const checksummed = `0x${first.from_address.slice(2).toUpperCase()}`

        assert.throws(() => JSON.stringify(first), "BigInt")
        assert.strictEqual(JSON.parse(JSON.stringify(Schema.encodeSync(WalletTransaction)(first))).value, "7000000049")
        assert.notStrictEqual<string>(first.from_address, checksummed)
        assert.strictEqual(first.from_address, Address.fromText(checksummed))
      }),
    )
    it.live("rejects with the tagged error, a real Error", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(401, JSON.stringify({ message: "no" })))
        const error = yield* Effect.promise(() => rejection(clientOf(server).walletTransactions(query)))

        assert.instanceOf(error, Error)
        assert.strictEqual(error["_tag"], "Unauthorized")
        assert.strictEqual(error["isRetryable"], false)
        assert.strictEqual(
          error["message"],
          `${server.host} does not accept the API key (no). Check the key and what it is allowed to do.`,
        )
      }),
    )
    it.live("rejects on a wrong query without a request", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const error = yield* Effect.promise(() =>
          rejection(clientOf(server).walletTransactions({ ...query, limit: -1 })),
        )

        assert.strictEqual(error["_tag"], "BadRequest")
        assert.strictEqual(error["parameter"], "limit")
        assert.strictEqual(server.seen.length, 0)
      }),
    )
    it.live("rejects with the signal's reason and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const controller = new AbortController()
        const promise = rejection(clientOf(server).walletTransactions(query, { signal: controller.signal }))
        while (server.seen.length === 0) yield* Effect.sleep(5)
        controller.abort()

        assert.strictEqual((yield* Effect.promise(() => promise))["name"], "AbortError")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("keeps the timeout when there is a signal", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const { signal } = new AbortController()
        const error = yield* Effect.promise(() =>
          rejection(clientOf(server, { timeout: 50 }).walletTransactions(query, { signal })),
        )

        assert.strictEqual(error["_tag"], "TimeoutError")
      }),
    )
  })

  describe("withResponse", () => {
    it.live("gives page and response of one request", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(7, 0)], null, { "daybook-indexed-to": "7", "x-request-id": "r-1" }))
        const [page, response] = yield* Effect.promise(async () => {
          const promise = clientOf(server).walletTransactions(query)
          return [await promise, await promise.withResponse()] as const
        })

        assert.strictEqual(response.page, page)
        assert.strictEqual(response.indexCoverage.indexedTo, 7n)
        assert.strictEqual(response.headers["x-request-id"], "r-1")
        assert.strictEqual(server.seen.length, 1)
      }),
    )
    it.live("rejects once, where it was asked for", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(401, JSON.stringify({ message: "no" })))
        const unhandled: Array<unknown> = []
        const note = (reason: unknown) => unhandled.push(reason)
        process.on("unhandledRejection", note)
        const error = yield* Effect.promise(() => rejection(clientOf(server).walletTransactions(query).withResponse()))
        yield* Effect.sleep(20)
        process.off("unhandledRejection", note)

        assert.strictEqual(error["_tag"], "Unauthorized")
        assert.deepStrictEqual(unhandled, [])
      }),
    )
  })

  describe("walletTransactionsWithResponse", () => {
    it.live("resolves with page, completeness and headers", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([], null, { "daybook-finalized-to": "7", "x-request-id": "r-1" }))
        const response = yield* Effect.promise(() => clientOf(server).walletTransactionsWithResponse(query))

        assert.strictEqual(response.indexCoverage.finalizedTo, 7n)
        assert.strictEqual(response.requestId, "r-1")
        assert.strictEqual(response.headers["daybook-finalized-to"], "7")
      }),
    )
  })

  describe("walletTransactionsStream", () => {
    it.live("gives every row to a loop, and again to the next one", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const rows = clientOf(server).walletTransactionsStream({ ...query, limit: 5, order: "ASC" })
        const [first, second] = yield* Effect.promise(async () => [
          (await collect(rows)).map(({ hash }) => hash),
          (await collect(rows)).map(({ hash }) => hash),
        ])

        const expected = history(5, 23).map(({ hash }) => hash)
        assert.deepStrictEqual(first, expected)
        assert.deepStrictEqual(second, expected)
      }),
    )
    it.live("asks for no more pages after an early break", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        let seen = 0
        yield* Effect.promise(async () => {
          const rows = clientOf(server).walletTransactionsStream({ ...query, limit: 5 }, { prefetch: false })
          for await (const _ of rows) if (++seen === 7) break
        })

        assert.strictEqual(seen, 7)
        assert.strictEqual(server.seen.length, 2)
      }),
    )
    it.live("closes the socket of the page in flight when the iterator is returned", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), () => {})
        const iterator = clientOf(server).walletTransactionsStream(query)[Symbol.asyncIterator]()
        yield* Effect.promise(() => iterator.next())
        const pending = iterator.next()
        while (server.seen.length < 2) yield* Effect.sleep(5)
        yield* Effect.promise(async () => iterator.return?.())

        assert.deepStrictEqual(yield* Effect.promise(() => pending), { done: true, value: undefined })
        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.live("throws the tagged error out of the loop, after the rows before it", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), reply(403, JSON.stringify({ message: "no" })))
        let seen = 0
        const error = yield* Effect.promise(() =>
          rejection(
            (async () => {
              for await (const _ of clientOf(server).walletTransactionsStream(query)) seen++
            })(),
          ),
        )

        assert.strictEqual(error["_tag"], "Forbidden")
        assert.strictEqual(seen, 1)
      }),
    )
    it.live("throws the signal's reason out of the loop and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), () => {})
        const controller = new AbortController()
        const reason = new Error("the user left")
        const loop = rejection(
          (async () => {
            for await (const _ of clientOf(server).walletTransactionsStream(query, { signal: controller.signal }));
          })(),
        )
        while (server.seen.length < 2) yield* Effect.sleep(5)
        controller.abort(reason)

        assert.strictEqual<unknown>(yield* Effect.promise(() => loop), reason)
        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.live("sends nothing when the signal was aborted before", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const rows = clientOf(server).walletTransactionsStream(query, { signal: AbortSignal.abort() })
        const error = yield* Effect.promise(() => rejection(collect(rows)))

        assert.strictEqual(error["name"], "AbortError")
        assert.strictEqual(server.seen.length, 0)
      }),
    )
  })

  describe("walletTransactionsStream, awaited", () => {
    it.live("gives the first page, and an iteration after that goes on from it", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const rows = clientOf(server).walletTransactionsStream({ ...query, limit: 10 })
        const page = yield* Effect.promise(async () => await rows)
        const again = yield* Effect.promise(async () => await rows)
        const asked = server.seen.length
        const all = yield* Effect.promise(() => collect(rows))

        assert.strictEqual(page.result.length, 10)
        assert.strictEqual(again, page)
        assert.strictEqual(asked, 1)
        assert.deepStrictEqual(
          all.map(({ hash }) => hash),
          history(5, 23)
            .toReversed()
            .map(({ hash }) => hash),
        )
        assert.strictEqual(server.seen.length, 3)
      }),
    )
    it.live("rejects with the tagged error", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(403, JSON.stringify({ message: "no" })))
        const rows = clientOf(server).walletTransactionsStream(query)
        const error = yield* Effect.promise(() => rejection(Promise.resolve(rows)))

        assert.strictEqual(error["_tag"], "Forbidden")
      }),
    )
    it.live("gives an empty page when nothing is left", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 3)))
        const rows = clientOf(server).walletTransactionsStream(query)
        yield* Effect.promise(() => collect(rows))
        const page = yield* Effect.promise(async () => {
          return await clientOf(server).walletTransactionsStream(query, { resume: rows.position() })
        })

        assert.deepStrictEqual(page, { cursor: null, page: 0, page_size: 0, result: [] })
      }),
    )
    it.live("knows its position after each row", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const rows = clientOf(server).walletTransactionsStream({ ...query, limit: 10 })
        const before = rows.position()
        const got: Array<string> = []
        yield* Effect.promise(async () => {
          for await (const { hash } of rows) if (got.push(hash) === 13) break
          const rest = clientOf(server).walletTransactionsStream({ ...query, limit: 7 }, { resume: rows.position() })
          for await (const { hash } of rest) got.push(hash)
        })

        assert.strictEqual(before, undefined)
        assert.deepStrictEqual(
          got,
          history(5, 23)
            .toReversed()
            .map(({ hash }) => hash),
        )
      }),
    )
  })

  describe("walletPagesStream", () => {
    it.live("gives a page at a time", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const pages = yield* Effect.promise(() => collect(clientOf(server).walletPagesStream({ ...query, limit: 10 })))

        assert.deepStrictEqual(
          pages.map(({ page }) => page.result.length),
          [10, 10, 3],
        )
      }),
    )
  })
})
