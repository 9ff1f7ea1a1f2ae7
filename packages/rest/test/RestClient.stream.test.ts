import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { RestClient, type RestError } from "../src/index.ts"
import { history, row, sendPage, servePages, wallet } from "./history.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { reply, script, serve, type Server } from "@daybook/harness/ScriptedServer"

const clientOf = (server: Server) => RestClient.make({ baseUrl: server.url, apiKey: "key-1" })
const query = { address: wallet }
const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

/** The rows that a stream returned before it ended, and its error. */
const gather = (stream: Stream.Stream<{ readonly hash: string }, RestError.RestError>) =>
  Effect.gen(function* () {
    const rows: Array<string> = []
    const exit = yield* Effect.result(Stream.runForEach(stream, ({ hash }) => Effect.sync(() => rows.push(hash))))
    return { rows, error: exit._tag === "Failure" ? exit.failure : undefined }
  })

describe("RestClient", () => {
  describe("walletTransactionsStream", () => {
    it.live("walletTransactionsStream: without prefetch, requests a page when its first row is needed", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(3, 30)))
        const rest = yield* clientOf(server)
        const rows = yield* rest
          .walletTransactionsStream({ ...query, limit: 10 }, { prefetch: false })
          .pipe(Stream.take(20), Stream.runCollect)

        expect(hashes(rows)).toStrictEqual(hashes(history(3, 30).toReversed().slice(0, 20)))
        expect(server.seen.length).toBe(2)
      }),
    )
    it.live("walletTransactionsStream: requests each page with the whole query, and the first one with its order", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(3, 12)))
        const rest = yield* clientOf(server)
        yield* Stream.runDrain(rest.walletTransactionsStream({ ...query, chain: "eth", from_block: 0, limit: 5 }))

        expect(server.seen.map(({ url }) => url.split("?")[1])).toStrictEqual(
          ["", "&cursor=5", "&cursor=10"].map((cursor) => `chain=eth&from_block=0&limit=5&order=DESC${cursor}`),
        )
      }),
    )
    it.live("walletTransactionsStream: continues from a cursor", () =>
      Effect.gen(function* () {
        const server = yield* serve(servePages(history(3, 12)))
        const rest = yield* clientOf(server)
        const stream = rest.walletTransactionsStream({ ...query, limit: 5, cursor: "5" })
        const rows = yield* Stream.runCollect(stream)
        const again = yield* Stream.runCollect(stream)

        expect(hashes(rows)).toStrictEqual(hashes(history(3, 12).toReversed().slice(5)))
        expect(hashes(again)).toStrictEqual(hashes(rows))
        expect(server.seen[0]?.url.split("?")[1]).toBe("limit=5&cursor=5")
      }),
    )
    it.live("walletTransactionsStream: skips an empty page with a cursor", () =>
      Effect.gen(function* () {
        const server = yield* script(
          sendPage([], "a"),
          sendPage([row(2, 0)], "b"),
          sendPage([], "c"),
          sendPage([row(1, 0)]),
        )
        const { error, rows } = yield* gather((yield* clientOf(server)).walletTransactionsStream(query))

        expect(rows).toStrictEqual(hashes([row(2, 0), row(1, 0)]))
        expect(error).toBe(undefined)
      }),
    )
    it.live("walletTransactionsStream: drops repeated rows", () =>
      Effect.gen(function* () {
        const [a, b, c, d] = [row(4, 0), row(3, 0), row(2, 0), row(1, 0)]
        const server = yield* script(
          sendPage([a, b], "1"),
          sendPage([a, b], "2"),
          sendPage([b, c], "3"),
          sendPage([c, d]),
        )
        const { error, rows } = yield* gather((yield* clientOf(server)).walletTransactionsStream(query))

        expect(rows).toStrictEqual(hashes([a, b, c, d]))
        expect(error).toBe(undefined)
      }),
    )
    it.live("walletTransactionsStream: fails at a repeated cursor after the preceding rows", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), sendPage([row(3, 0)], "2"), sendPage([row(2, 0)], "1"))
        const { error, rows } = yield* gather((yield* clientOf(server)).walletTransactionsStream(query))

        expect(rows).toStrictEqual(hashes([row(4, 0), row(3, 0), row(2, 0)]))
        expect(error?._tag === "InvalidResponse" && error.path === "cursor" && !error.isRetryable).toBe(true)
        expect(server.seen.length).toBe(3)
      }),
    )
    it.live("walletTransactionsStream: fails with OutOfOrder when a server ignores the order", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0), row(3, 0)], null, { "x-request-id": "r-1" }))
        const { error, rows } = yield* gather(
          (yield* clientOf(server)).walletTransactionsStream({ ...query, order: "ASC" }),
        )

        expect(rows).toStrictEqual(hashes([row(4, 0)]))
        expect(error?._tag === "OutOfOrder" && error.order === "ASC" && error.block === 3n && error.after === 4n).toBe(
          true,
        )
        expect(error?.requestId).toBe("r-1")
        expect(error?.attempts.length).toBe(1)
      }),
    )
    it.live(
      "walletTransactionsStream: fails with StaleCursor and the block to resume from, after the preceding rows",
      () =>
        Effect.gen(function* () {
          const body = { message: "gone", code: "stale_cursor", requestId: "r", resumeFromBlock: 4 }
          const server = yield* script(sendPage([row(4, 0)], "1"), reply(409, JSON.stringify(body)))
          const { error, rows } = yield* gather((yield* clientOf(server)).walletTransactionsStream(query))

          expect(rows.length).toBe(1)
          expect(error?._tag === "StaleCursor" && error.resumeFromBlock === 4n).toBe(true)
        }),
    )
    it.live("walletTransactionsStream: an interruption closes the socket of the current request", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([row(4, 0)], "1"), () => {})
        const rest = yield* clientOf(server)
        const fiber = yield* Effect.forkChild(Stream.runDrain(rest.walletTransactionsStream(query)))
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 2))
        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.live("walletTransactionsStream: rejects an invalid query without a request", () =>
      Effect.gen(function* () {
        const server = yield* script(sendPage([]))
        const { error } = yield* gather((yield* clientOf(server)).walletTransactionsStream({ address: "vitalik.eth" }))

        expect(error?._tag === "BadRequest" && error.parameter === "address").toBe(true)
        expect(server.seen.length).toBe(0)
      }),
    )
  })

  describe("walletPagesStream", () => {
    it.live("walletPagesStream: returns each page with its headers and without repeated rows", () =>
      Effect.gen(function* () {
        const [a, b, c] = [row(4, 0), row(3, 0), row(2, 0)]
        const server = yield* script(
          sendPage([a, b], "1", { "daybook-indexed-to": "9" }),
          sendPage([], "2"),
          sendPage([b, c], null, { "daybook-indexed-to": "10" }),
        )
        const pages = yield* Stream.runCollect((yield* clientOf(server)).walletPagesStream(query))

        expect(
          pages.map(({ indexCoverage, page }) => [
            hashes(page.result),
            page.cursor,
            page.page_size,
            indexCoverage.indexedTo,
          ]),
        ).toStrictEqual([
          [hashes([a, b]), "1", 100, 9n],
          [[], "2", 100, null],
          [hashes([c]), null, 100, 10n],
        ])
      }),
    )
  })
})
