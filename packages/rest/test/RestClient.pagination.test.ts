import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { RestClient, type RestError } from "../src/index.ts"
import { createRestClient } from "../src/promise.ts"
import { history, page, row, sendPage, servePages, wallet } from "./history.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { reply, script, serve, type Server } from "@daybook/harness/ScriptedServer"

const clientOf = (server: Server, options: Partial<RestClient.Options> = {}) =>
  RestClient.make({ baseUrl: server.url, apiKey: "key-1", ...options })
const query = { address: wallet }
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)
const stale = (resumeFromBlock: number) =>
  reply(409, JSON.stringify({ message: "gone", code: "stale_cursor", requestId: "r", resumeFromBlock }))
const isVoid = (value: object): value is RestClient.RowsReverted => "_tag" in value

/** A request to another server: it takes longer than the arrival of a request that the client has already started. */
const roundTrip = Effect.scoped(
  Effect.flatMap(script(reply(200)), ({ url }) => Effect.promise(async () => (await fetch(url)).text())),
)

const failureOf = (stream: Stream.Stream<unknown, RestError.RestError>) => Effect.flip(Stream.runDrain(stream))

describe("prefetch", () => {
  it.live("prefetch: requests one page ahead from the second page", () =>
    Effect.gen(function* () {
      const server = yield* serve(servePages(history(3, 60)))
      const rest = yield* clientOf(server)
      const seen: Array<number> = []
      yield* rest.walletPagesStream({ ...query, limit: 10 }).pipe(
        Stream.runForEach(() =>
          Effect.gen(function* () {
            const expected = [1, 3, 4, 5, 6, 6][seen.length] ?? 0
            yield* Eventually.untilEffect(Effect.sync(() => server.seen.length >= expected))
            yield* roundTrip
            seen.push(server.seen.length)
          }),
        ),
      )

      expect(seen).toStrictEqual([1, 3, 4, 5, 6, 6])
    }),
  )
  it.live("prefetch: requests nothing ahead when it is off", () =>
    Effect.gen(function* () {
      const server = yield* serve(servePages(history(3, 40)))
      const rest = yield* clientOf(server)
      const pages = rest.walletPagesStream({ ...query, limit: 10 }, { prefetch: false })
      yield* Stream.runForEach(Stream.take(pages, 3), () => roundTrip)

      expect(server.seen.length).toBe(3)
    }),
  )
  it.live("prefetch: closes the socket of the page ahead when the stream ends early", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage([row(4, 0)], "1"), sendPage([row(3, 0)], "2"), () => {})
      const rest = yield* clientOf(server)
      yield* rest.walletPagesStream(query).pipe(
        Stream.take(2),
        Stream.runForEach(() => roundTrip),
      )

      yield* Effect.promise(() => server.closed(3))
    }),
  )
  it.live("prefetch: reports an error of the page ahead after the preceding rows", () =>
    Effect.gen(function* () {
      const server = yield* script(
        sendPage([row(4, 0)], "1"),
        sendPage([row(3, 0)], "2"),
        reply(403, `{"message":"no"}`),
      )
      const got: Array<string> = []
      const stream = (yield* clientOf(server)).walletTransactionsStream(query)
      const error = yield* Effect.flip(Stream.runForEach(stream, ({ hash }) => Effect.sync(() => got.push(hash))))

      expect(error._tag).toBe("Forbidden")
      expect(got).toStrictEqual(hashes([row(4, 0), row(3, 0)]))
    }),
  )
})

describe("maxRows", () => {
  it.live("maxRows: ends the stream after that many rows and requests no larger pages", () =>
    Effect.gen(function* () {
      const server = yield* serve(servePages(history(3, 60)))
      const rest = yield* clientOf(server)
      const few = yield* Stream.runCollect(rest.walletTransactionsStream(query, { maxRows: 7 }))
      const many = yield* Stream.runCollect(rest.walletTransactionsStream({ ...query, limit: 10 }, { maxRows: 25 }))

      const newestFirst = hashes(history(3, 60).toReversed())
      expect(hashes(few)).toStrictEqual(newestFirst.slice(0, 7))
      expect(hashes(many)).toStrictEqual(newestFirst.slice(0, 25))
      expect(server.seen.map(({ url }) => new URL(url, server.url).searchParams.get("limit"))).toStrictEqual([
        "7",
        "10",
        "10",
        "10",
      ])
    }),
  )
  it.live("maxRows: counts the rows before a resume, and a larger limit continues within a page", () =>
    Effect.gen(function* () {
      const server = yield* serve(servePages(history(3, 30)))
      const rest = yield* clientOf(server)
      const sized = { ...query, limit: 10 }
      const pages = yield* Stream.runCollect(rest.walletPagesStream(sized, { maxRows: 14 }))
      const resume = pages.at(-1)?.position
      const none = yield* Stream.runCollect(rest.walletTransactionsStream(sized, { maxRows: 14, resume }))
      const more = yield* Stream.runCollect(rest.walletTransactionsStream(sized, { maxRows: 22, resume }))

      expect(none).toStrictEqual([])
      expect(hashes(more)).toStrictEqual(hashes(history(3, 30).toReversed().slice(14, 22)))
    }),
  )
})

describe("onProgress", () => {
  it.live("onProgress: receives pages, rows and the current block", () =>
    Effect.gen(function* () {
      const server = yield* script(
        sendPage([row(9, 0), row(8, 0)], "1"),
        sendPage([], "2"),
        sendPage([row(8, 0), row(5, 0)]),
      )
      const reported: Array<RestClient.Progress> = []
      const rest = yield* clientOf(server)
      yield* Stream.runDrain(
        rest.walletTransactionsStream(query, { onProgress: (progress) => reported.push(progress) }),
      )

      expect(reported).toStrictEqual([
        { pages: 1, rows: 2, block: 8n },
        { pages: 2, rows: 2, block: 8n },
        { pages: 3, rows: 3, block: 5n },
      ])
    }),
  )
})

describe("resume", () => {
  it.live("resume: continues after the page of its position", () =>
    Effect.gen(function* () {
      const server = yield* serve(servePages(history(3, 30)))
      const rest = yield* clientOf(server)
      const pages = yield* Stream.runCollect(rest.walletPagesStream({ ...query, limit: 10 }))
      const again = yield* Stream.runCollect(
        (yield* clientOf(server)).walletPagesStream({ ...query, limit: 4 }, { resume: pages[0]?.position }),
      )

      expect(again.flatMap((one) => hashes(one.page.result))).toStrictEqual(
        hashes(history(3, 30).toReversed().slice(10)),
      )
      expect(again.at(-1)?.progress).toStrictEqual({ pages: 6, rows: 30, block: pages.at(-1)?.progress.block })
    }),
  )
  it.live("resume: returns nothing after the last page of a descending stream", () =>
    Effect.gen(function* () {
      const server = yield* serve(servePages(history(3, 5)))
      const rest = yield* clientOf(server)
      const [last] = yield* Stream.runCollect(rest.walletPagesStream(query))
      const rows = yield* Stream.runCollect(rest.walletTransactionsStream(query, { resume: last?.position }))

      expect(rows).toStrictEqual([])
      expect(server.seen.length).toBe(1)
    }),
  )
  it.live("resume: drops newer rows at the top, and reports removed rows", () =>
    Effect.gen(function* () {
      const rows = history(3, 12)
      let served = rows
      const server = yield* serve((...all) => servePages(served)(...all))
      const rest = yield* clientOf(server)
      const walk = createRestClient({ baseUrl: server.url, apiKey: "key-1" }).walletTransactionsStream({
        ...query,
        limit: 5,
      })
      const resume = yield* Effect.promise(async () => {
        let left = 3
        for await (const _ of walk) if (--left === 0) break
        return walk.position()
      })
      const above = Number(rows.at(-1)?.block_number) + 1
      served = [...rows, row(above, 0), row(above, 1)]
      const after = yield* Stream.runCollect(rest.walletTransactionsStream({ ...query, limit: 5 }, { resume }))
      served = rows.slice(0, 10)
      const error = yield* failureOf(rest.walletTransactionsStream(query, { resume }))

      expect(hashes(after)).toStrictEqual(hashes(rows.toReversed().slice(3)))
      expect(error._tag === "StaleCursor" && String(error.resumeFromBlock)).toBe(rows[10]?.block_number)
    }),
  )

  const wrong: ReadonlyArray<readonly [string, Parameters<RestClient.Client["walletTransactionsStream"]>[1], string]> =
    [
      ["a text that is no position", { resume: "at-5" }, "resume"],
      ["no rows", { maxRows: 0 }, "maxRows"],
      ["a half row", { maxRows: 1.5 }, "maxRows"],
      ["a name that is none", { maxRow: 1 } as object, "maxRow"],
      ["a signal, which is for promises", { signal: new AbortController().signal } as object, "signal"],
      ["text for prefetch", { prefetch: "no" as never }, "prefetch"],
      ["an invalid timeout", { timeout: "soon" as never }, "timeout"],
      ["an invalid listener", { onProgress: 5 as never }, "onProgress"],
      ["an unknown onStaleCursor", { onStaleCursor: "retry" as never }, "onStaleCursor"],
      ["text for options", "fail" as never, "options"],
    ]
  for (const [name, options, parameter] of wrong) {
    it.live(`resume: rejects ${name} without a request and names the option`, () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const error = yield* failureOf((yield* clientOf(server)).walletTransactionsStream(query, options))

        expect(error._tag === "BadRequest" && error.parameter === parameter && error.status === undefined).toBe(true)
        expect(server.seen.length).toBe(0)
      }),
    )
  }
  it.live("resume: rejects the position of another query and names the difference", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage([row(4, 0)], "1"), sendPage([]))
      const rest = yield* clientOf(server)
      const [first] = yield* Stream.runCollect(Stream.take(rest.walletPagesStream({ ...query, chain: "eth" }), 1))
      const error = yield* failureOf(
        rest.walletTransactionsStream({ ...query, chain: "polygon", order: "ASC" }, { resume: first?.position }),
      )

      expect(error.message).toBe(
        `Invalid option "resume": expected a position of the same query; only limit may differ, received a position of a query with chain eth, order DESC.`,
      )
      expect(server.seen.length).toBe(1)
    }),
  )
})

describe("onStaleCursor", () => {
  it.live("onStaleCursor: marks the reverted rows, returns their replacements, and then the rest", () =>
    Effect.gen(function* () {
      const server = yield* script(
        sendPage([row(9, 0), row(8, 0)], "1"),
        sendPage([row(7, 0), row(5, 0)], "2"),
        stale(8),
        sendPage([row(9, 1), row(8, 1)]),
        sendPage([row(5, 0), row(3, 0)]),
      )
      const rest = yield* clientOf(server)
      const stream = rest.walletTransactionsStream({ ...query, limit: 2, from_block: 1 }, { onStaleCursor: "restart" })
      const values = yield* Stream.runCollect(stream)

      expect(values.map((value) => (isVoid(value) ? `void from ${value.fromBlock}` : value.hash))).toStrictEqual([
        ...hashes([row(9, 0), row(8, 0), row(7, 0), row(5, 0)]),
        "void from 8",
        ...hashes([row(9, 1), row(8, 1), row(3, 0)]),
      ])
      expect(server.seen.slice(3).map(({ url }) => url.split("?")[1])).toStrictEqual([
        "from_block=8&limit=2&order=DESC",
        "from_block=1&to_block=6&limit=2&order=DESC",
      ])
    }),
  )
  it.live("onStaleCursor: fails after repeated reorgs without a row between them", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage([row(9, 0)], "1"), stale(8))
      const stream = (yield* clientOf(server)).walletPagesStream(query, { onStaleCursor: "restart" })
      const error = yield* failureOf(stream)

      expect(error._tag).toBe("StaleCursor")
      expect(server.seen.length).toBe(7)
    }),
  )
})

describe("onBadRow", () => {
  const broken = { ...row(3, 0), block_number: "twelve" }

  it.live("onBadRow: keeps the valid rows of a page and reports the invalid ones", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, page([row(4, 0), broken, row(2, 0)], null)))
      const reported: Array<RestClient.BadRow> = []
      const rest = yield* clientOf(server)
      const response = yield* rest.walletTransactionsWithResponse(query, { onBadRow: (bad) => reported.push(bad) })

      expect(hashes(response.page.result)).toStrictEqual(hashes([row(4, 0), row(2, 0)]))
      expect(response.badRows).toStrictEqual(reported)
      expect(reported).toStrictEqual([
        {
          at: 1,
          hash: broken.hash,
          path: "result[1].block_number",
          received: `"twelve"`,
          expected: "decimal digits of at most 256 bits such as 21000",
          row: JSON.parse(JSON.stringify(broken)) as unknown,
        },
      ])
    }),
  )
  it.live("onBadRow: keeps the valid rows if a header value occurs outside a string in the invalid one", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, page([row(4, 0), { ...broken, possible_spam: true }], null)))
      const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key", headers: { "x-debug": "true" } })
      const response = yield* rest.walletTransactionsWithResponse(query, { onBadRow: () => undefined })

      expect(hashes(response.page.result)).toStrictEqual(hashes([row(4, 0)]))
      expect(response.badRows.map((bad) => bad.row)).toStrictEqual([
        expect.stringContaining(`"possible_spam":<redacted>`),
      ])
    }),
  )
  it.live("onBadRow: keeps the valid rows if the invalid one is nested too deeply to be shown", () =>
    Effect.gen(function* () {
      const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
      const body = page([row(4, 0), { ...broken, nested: "here" }], null).replace('"here"', nested)
      const server = yield* script(reply(200, body))
      const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key" })
      const response = yield* rest.walletTransactionsWithResponse(query, { onBadRow: () => undefined })

      expect(hashes(response.page.result)).toStrictEqual(hashes([row(4, 0)]))
      expect(response.badRows.map((bad) => bad.row)).toStrictEqual(["a value that is nested too deep"])
    }),
  )
  it.live("onBadRow: reports the invalid rows of a stream", () =>
    Effect.gen(function* () {
      const server = yield* script(
        reply(200, page([row(4, 0)], "1")),
        reply(200, page(broken, "2")),
        reply(200, page([row(1, 0), 7])),
      )
      const reported: Array<string> = []
      const rest = yield* clientOf(server)
      const rows = yield* Stream.runCollect(
        rest.walletTransactionsStream(query, { onBadRow: ({ path }) => reported.push(path) }),
      )

      expect(hashes(rows)).toStrictEqual(hashes([row(4, 0), row(1, 0)]))
      expect(reported).toStrictEqual(["result[0].block_number", "result[1]"])
    }),
  )
  it.live("onBadRow: does not accept a response that is not a page", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, `{"result":[7]}`))
      const rest = yield* clientOf(server)
      const error = yield* Effect.flip(
        rest.walletTransactions(query, { onBadRow: () => expect.unreachable("no row was read") }),
      )

      expect(error._tag).toBe("InvalidResponse")
    }),
  )
  it.live("onBadRow: without it, an invalid row fails the call and is named", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(200, page([row(4, 0), broken])))
      const error = yield* Effect.flip((yield* clientOf(server)).walletTransactions(query))

      expect(error._tag === "InvalidResponse" && error.path === "result[1].block_number").toBe(true)
    }),
  )
})

describe("headers", () => {
  it.live("userAgent: sends the default, the given one, or that of the platform", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage([]))
      for (const userAgent of [undefined, "tax-app/2.1 (+https://tax.test)", ""]) {
        yield* (yield* clientOf(server, { userAgent })).walletTransactions(query)
      }
      const error = yield* Effect.flip(clientOf(server, { userAgent: "two\nlines" }))

      const [one, two, three] = server.seen.map(({ headers }) => headers["user-agent"])
      expect([one, two]).toStrictEqual(["daybook-rest", "tax-app/2.1 (+https://tax.test)"])
      expect(three).not.toContain("daybook")
      expect(error.option).toBe("userAgent")
    }),
  )
  it.live("onEvent: receives each request and response, without the key", () =>
    Effect.gen(function* () {
      const server = yield* script(reply(503), sendPage([], null, { "x-request-id": "r-2" }))
      const reported: Array<string> = []
      const rest = yield* clientOf(server, {
        retry: { base: 1 },
        onEvent: (event) =>
          reported.push(event._tag === "Response" ? `${event.status} ${event.requestId}` : event._tag),
      })
      yield* rest.walletTransactions(query)

      expect(reported).toStrictEqual(["Request", "503 undefined", "Retry", "Request", "200 r-2"])
    }),
  )
})

describe("interruption", () => {
  it.live("interruption: closes the sockets of the current page and of the page ahead", () =>
    Effect.gen(function* () {
      const server = yield* script(sendPage([row(4, 0)], "1"), sendPage([row(3, 0)], "2"), () => {})
      const rest = yield* clientOf(server)
      const fiber = yield* Effect.forkChild(Stream.runDrain(rest.walletTransactionsStream(query)))
      yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 3))
      yield* Fiber.interrupt(fiber)

      yield* Effect.promise(() => server.closed(3))
    }),
  )
})
