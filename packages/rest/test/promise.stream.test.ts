import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createRestClient, isRestError } from "../src/promise.ts"
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
  describe("walletTransactionsStream", () => {
    it.live("walletTransactionsStream: each loop receives every row", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const rows = clientOf(server).walletTransactionsStream({ ...query, limit: 5, order: "ASC" })
        const [first, second] = yield* Effect.promise(async () => [
          (await collect(rows)).map(({ hash }) => hash),
          (await collect(rows)).map(({ hash }) => hash),
        ])

        const expected = history(5, 23).map(({ hash }) => hash)
        expect(first).toStrictEqual(expected)
        expect(second).toStrictEqual(expected)
      }),
    )
    it.live("walletTransactionsStream: returns concurrently requested rows in order, and none after its return", () =>
      Effect.gen(function* () {
        const rows = [row(3, 0), row(2, 0), row(1, 0)]
        const server = yield* script(sendPage(rows))
        const iterator = clientOf(server).walletTransactionsStream(query)[Symbol.asyncIterator]()

        const [first, second] = yield* Effect.promise(() => Promise.all([iterator.next(), iterator.next()]))
        yield* Effect.promise(async () => iterator.return?.())
        const after = yield* Effect.promise(() => iterator.next())

        expect([first?.value.hash, second?.value.hash]).toEqual([rows[0]?.hash, rows[1]?.hash])
        expect(after).toEqual({ done: true, value: undefined })
      }),
    )
    it.live("walletTransactionsStream: requests no page after an early break", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        let seen = 0
        yield* Effect.promise(async () => {
          const rows = clientOf(server).walletTransactionsStream({ ...query, limit: 5 }, { prefetch: false })
          for await (const _ of rows) if (++seen === 7) break
        })

        expect(seen).toBe(7)
        expect(server.seen.length).toBe(2)
      }),
    )
    it.live("walletTransactionsStream: returning the iterator closes the socket of the request in flight", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), () => {})
        const iterator = clientOf(server).walletTransactionsStream(query)[Symbol.asyncIterator]()
        yield* Effect.promise(() => iterator.next())
        const pending = iterator.next()
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 2))
        yield* Effect.promise(async () => iterator.return?.())

        expect(yield* Effect.promise(() => pending)).toStrictEqual({ done: true, value: undefined })
        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.live("walletTransactionsStream: throws the tagged error out of the loop after the preceding rows", () =>
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

        expect(error["_tag"]).toBe("Forbidden")
        expect(seen).toBe(1)
      }),
    )
    it.live("walletTransactionsStream: an aborted signal throws its reason out of the loop and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), () => {})
        const controller = new AbortController()
        const reason = new Error("the page was closed")
        const loop = rejection(
          (async () => {
            for await (const _ of clientOf(server).walletTransactionsStream(query, { signal: controller.signal }));
          })(),
        )
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 2))
        controller.abort(reason)

        expect(yield* Effect.promise(() => loop)).toBe(reason)
        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.live("walletTransactionsStream: sends nothing when the signal is already aborted", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const rows = clientOf(server).walletTransactionsStream(query, { signal: AbortSignal.abort() })
        const error = yield* Effect.promise(() => rejection(collect(rows)))

        expect(error["name"]).toBe("AbortError")
        expect(server.seen.length).toBe(0)
      }),
    )
  })

  it.live("isRestError: recognises the errors of calls by their tags, and nothing else", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(403, JSON.stringify({ message: "no" })))
      const error = yield* Effect.promise(() => rejection(clientOf(server).walletTransactions(query)))

      expect(isRestError(error)).toBe(true)
      expect([new Error("other"), { _tag: "Forbidden" }, null, "Forbidden"].some(isRestError)).toBe(false)
    }),
  )

  describe("walletTransactionsStream, as a value", () => {
    it.live("walletTransactionsStream: is the same stream when an async function returns it", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const open = async () => clientOf(server).walletTransactionsStream({ ...query, limit: 10 })
        const all = yield* Effect.promise(async () => collect(await open()))

        expect(all.map(({ hash }) => hash)).toStrictEqual(
          history(5, 23)
            .toReversed()
            .map(({ hash }) => hash),
        )
        expect(server.seen.length).toBe(3)
      }),
    )
    it.live("walletTransactionsStream: has a position after each row", () =>
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

        expect(before).toBe(undefined)
        expect(got).toStrictEqual(
          history(5, 23)
            .toReversed()
            .map(({ hash }) => hash),
        )
      }),
    )
  })

  describe("walletPagesStream", () => {
    it.live("walletPagesStream: returns one page at a time", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(5, 23)))
        const pages = yield* Effect.promise(() => collect(clientOf(server).walletPagesStream({ ...query, limit: 10 })))

        expect(pages.map(({ page }) => page.result.length)).toStrictEqual([10, 10, 3])
      }),
    )
  })

  it("withResponse: a page with a matching tag is notModified, with its headers and coverage, and any other is returned", async () => {
    const tags: Array<string | null> = []
    const fetch = (_url: unknown, init?: RequestInit) => {
      const tag = new Headers(init?.headers).get("if-none-match")
      tags.push(tag)
      const headers = { etag: 'W/"a"', "daybook-indexed-to": "9" }
      return Promise.resolve(
        tag === 'W/"a"'
          ? new Response(null, { status: 304, headers })
          : Response.json({ cursor: null, page: 0, page_size: 100, result: [] }, { headers }),
      )
    }
    const rest = createRestClient({
      baseUrl: "https://s.example",
      apiKey: "key-1",
      fetch,
    })
    const query = { address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" }
    const first = await rest.walletTransactionsWithResponse(query)
    const same = await rest.walletTransactionsWithResponse(query, { ifNoneMatch: first.headers["etag"] ?? "" })
    const other = await rest.movementsWithResponse(query, { ifNoneMatch: 'W/"b"' })

    expect(tags).toEqual([null, 'W/"a"', 'W/"b"'])
    expect(same).toMatchObject({ notModified: true, headers: { etag: 'W/"a"' }, indexCoverage: { indexedTo: 9n } })
    expect(other.notModified).toBeUndefined()
    await expect(rest.walletTransactions(query, { ifNoneMatch: 'W/"a"' } as never)).rejects.toMatchObject({
      _tag: "BadRequest",
      parameter: "ifNoneMatch",
    })
  })
})
