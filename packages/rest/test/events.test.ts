/** Events of a wallet over sockets: what is resumed, omitted, rejected and limited. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type Handler, reply, script, serve, type Server } from "@daybook/harness/ScriptedServer"
import { RestClient, type RestError } from "../src/index.ts"
import { createRestClient } from "../src/promise.ts"
import { row, wallet } from "./history.ts"

const hash = (digit: string) => `0x${digit.repeat(64)}`

interface Wire {
  readonly type: string
  readonly data: object
}

const covered = (digit: string): Wire => ({ type: "covered", data: { number: "5", hash: hash(digit) } })
const voided = (digit: string): Wire => ({ type: "block.voided", data: { number: "5", hash: hash(digit) } })
const transaction = (index: number, revision = 1): Wire => {
  const transaction = { ...row(5, index), block_hash: hash("5") }
  const data = {
    address: wallet,
    row: `${transaction.block_hash}-${transaction.hash}`,
    revision,
    final: false,
    transaction,
  }
  return { type: "wallet.transaction", data }
}

const frame = ({ data, type }: Wire, cursor: string): string => {
  const event = { type, timestamp: "2026-01-01T00:00:00.000Z", data: { chain: "eth", cursor, ...data } }
  return `id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Sends a text as a stream, and ends it. */
const sendsOnly =
  (...texts: ReadonlyArray<string>): Handler =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
    response.end(texts.join(""))
  }

/** The same with the shortest wait before a reconnection. */
const sends = (...texts: ReadonlyArray<string>): Handler => sendsOnly("retry: 1\n\n", ...texts)

const clientOf = (server: Server, options: Partial<RestClient.Options> = {}) =>
  RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 2 }, ...options })

const query = { address: wallet, from: 0 } as const

/** The events until the stream fails, in short form, and its error. */
const receive = Effect.fnUntraced(function* (
  server: Server,
  options: Partial<RestClient.Options> = {},
  call?: RestClient.CallOptions,
) {
  const rest = yield* clientOf(server, options)
  const events: Array<string> = []
  const error: RestError.RestError = yield* rest.walletEvents(query, call).pipe(
    Stream.runForEach(({ data, type }) => Effect.sync(() => events.push(`${type} ${data.cursor}`))),
    Effect.andThen(Effect.die("a stream of events ended")),
    Effect.flip,
  )
  return { events, error }
})

const stale = reply(
  409,
  JSON.stringify({ message: "gone", code: "stale_cursor", requestId: "r", resumeFromBlock: 7 }),
  { "content-type": "application/json" },
)

describe("walletEvents", () => {
  it.live("walletEvents: returns the rows of a block once if the index changed while the connection was cut", () =>
    Effect.gen(function* () {
      const final: Wire = { type: "block.final", data: { number: "4", hash: hash("4") } }
      const server = yield* script(
        sends(frame(transaction(0), "a"), frame(transaction(1), "a")),
        // Final and added blocks advance the position, and the first row of its block is sent again.
        sends(frame(final, "b"), frame(transaction(0), "c"), frame(transaction(1), "c"), frame(transaction(2), "d")),
        stale,
      )
      const { events } = yield* receive(server)

      expect(events).toEqual(["wallet.transaction a", "wallet.transaction a", "block.final b", "wallet.transaction d"])
    }),
  )

  it.live(
    "walletEvents: continues after the last event once a connection is cut, and returns the rows of a repeated block once",
    () =>
      Effect.gen(function* () {
        const server = yield* script(
          sends(frame(transaction(0), "a"), frame(transaction(1), "a"), frame(transaction(2), "b").slice(0, -30)),
          sends(
            frame(transaction(0), "a"),
            frame(transaction(1, 2), "a"),
            frame(transaction(2), "b"),
            frame(covered("5"), "b"),
          ),
          sends(
            frame(covered("5"), "b"),
            frame(voided("5"), "b"),
            frame(transaction(2), "b"),
            frame(covered("6"), "c"),
          ),
          stale,
        )
        const { error, events } = yield* receive(server)

        expect(events).toEqual([
          "wallet.transaction a",
          "wallet.transaction a",
          "wallet.transaction a",
          "wallet.transaction b",
          "covered b",
          "block.voided b",
          "wallet.transaction b",
          "covered c",
        ])
        expect(server.seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "a", "b", "c"])
        expect(error).toMatchObject({ _tag: "StaleCursor", resumeFromBlock: 7n })
      }).pipe(Effect.scoped),
  )

  it.live("walletEvents: reads lines with any line ending split anywhere, and skips comments and unknown types", () =>
    Effect.gen(function* () {
      const text = `${frame(covered("1"), "a")}: waiting\n\n${frame({ type: "wallet.later", data: {} }, "b")}${frame(covered("2"), "c")}`
      const server = yield* script(
        (_request, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          const bytes = new TextEncoder().encode(`\uFEFF${text.replaceAll("\n", "\r\n")}`)
          for (const byte of bytes) response.write(Uint8Array.of(byte))
          response.end()
        },
        sends(frame(covered("3"), "d").replaceAll("\n", "\r")),
        stale,
      )
      const { events } = yield* receive(server)

      expect(events).toEqual(["covered a", "covered c", "covered d"])
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: an event that is invalid, too large, without an id or not UTF-8 is an InvalidResponse", () =>
    Effect.gen(function* () {
      const large = `data: ${"x".repeat(5_000)}`
      const table: ReadonlyArray<readonly [sent: Handler, path: string]> = [
        [sends(frame({ type: "covered", data: { number: "5", hash: "0x12" } }, "a")), "event.data.hash"],
        [sends("id: a\ndata: {]\n\n"), "event.body"],
        [sends(frame(covered("1"), "a").replace("id: a\n", "")), "id"],
        [sends(frame(covered("1"), "a".repeat(5_000))), "id"],
        [sends(large, large), "body"],
        [
          (_request, response) =>
            void response.writeHead(200, { "content-type": "text/event-stream" }).end(Uint8Array.of(0xff)),
          "body",
        ],
        [reply(200, "<html>", { "content-type": "text/html" }), "content-type"],
      ]
      for (const [sent, path] of table) {
        const server = yield* serve(sent)
        const { error } = yield* receive(server, { maxBytes: 6_000 })

        expect([error._tag, "path" in error && error.path]).toEqual(["InvalidResponse", path])
        expect(server.seen.length).toBe(1)
      }
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: an event of another wallet or another known chain is an InvalidResponse", () =>
    Effect.gen(function* () {
      const other = { ...transaction(0), data: { ...transaction(0).data, address: `0x${"7".repeat(40)}` } }
      const table: ReadonlyArray<readonly [chain: string | undefined, sent: Wire, path: string | undefined]> = [
        ["eth", other, "event.data.address"],
        [undefined, other, "event.data.address"],
        ["mainnet", transaction(0), undefined],
        ["0x1", covered("5"), undefined],
        ["polygon", covered("5"), "event.data.chain"],
        ["my chain", covered("5"), undefined],
        [undefined, covered("5"), undefined],
      ]
      for (const [chain, sent, path] of table) {
        const server = yield* script(sends(frame(sent, "a")), stale)
        const rest = yield* clientOf(server)
        const error: RestError.RestError = yield* rest
          .walletEvents({ ...query, chain })
          .pipe(Stream.runDrain, Effect.andThen(Effect.die("a stream of events ended")), Effect.flip)

        expect([chain, "path" in error ? error.path : undefined]).toEqual([chain, path])
      }
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: with onBadRow an invalid row is reported and omitted", () =>
    Effect.gen(function* () {
      const bad = { ...transaction(1), data: { ...transaction(1).data, revision: "x" } }
      const server = yield* script(sends(frame(transaction(0), "a"), frame(bad, "b"), frame(covered("5"), "b")), stale)
      const rows: Array<string> = []
      const { events } = yield* receive(server, {}, { onBadRow: ({ path }) => void rows.push(path) })

      expect(events).toEqual(["wallet.transaction a", "covered b"])
      expect(rows).toEqual(["data.revision"])
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: fails once several connections returned no event, but not while each returns one", () =>
    Effect.gen(function* () {
      const events = Array.from({ length: 8 }, (_, at) => sends(frame(covered(String(at)), `c${at}`)))
      const server = yield* script(...events, sends())
      const { error, events: given } = yield* receive(server, { retry: { base: 1, maxAttempts: 3 } })

      expect(given.length).toBe(8)
      expect(error).toMatchObject({ _tag: "TransportError", phase: "body" })
      expect(server.seen.length).toBe(8 + 3)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: observes the wait that a server requested once before each later reconnection", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const timed =
        (handler: Handler): Handler =>
        (...exchange) => {
          times.push(performance.now())
          return handler(...exchange)
        }
      const texts = ["retry: 300\n\n", "", ""].map((text, at) =>
        timed(sendsOnly(text, frame(covered(String(at)), `c${at}`))),
      )
      yield* receive(yield* script(...texts, timed(stale)))
      const waits = times.slice(1).map((time, at) => time - times[at]!)

      expect(waits.length).toBe(3)
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(300)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: continues if a server was unavailable for more attempts than a call has", () =>
    Effect.gen(function* () {
      const down = Array.from({ length: 12 }, () => reply(503, "starting"))
      const server = yield* script(sends(frame(covered("1"), "a")), ...down, sends(frame(covered("2"), "b")), stale)
      const { error, events } = yield* receive(server)

      expect(events).toEqual(["covered a", "covered b"])
      expect(error._tag).toBe("StaleCursor")
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: fails after the attempts of a call if the server was never available", () =>
    Effect.gen(function* () {
      const server = yield* serve(reply(503, "starting"))
      const { error } = yield* receive(server)

      expect(error._tag).toBe("Unavailable")
      expect(server.seen.length).toBe(4)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: the connection closes when a loop ends, and a stream without a reader reads no more", () =>
    Effect.gen(function* () {
      const text = frame(transaction(0), "a")
      let isFull = false
      const server = yield* serve((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        // As much as the socket buffers.
        const write = () => {
          while (!response.destroyed) if (!response.write(text)) break
          isFull = true
          response.once("drain", write)
        }
        write()
      })
      const rest = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
      yield* Effect.promise(async () => {
        for await (const event of rest.walletEvents(query)) {
          expect(event.type).toBe("wallet.transaction")
          break
        }
        await server.closed(1)
      })

      expect(isFull).toBe(true)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: an aborted signal ends the loop with its reason", () =>
    Effect.gen(function* () {
      const server = yield* serve((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(frame(covered("1"), "a"))
      })
      const rest = createRestClient({ baseUrl: server.url, apiKey: "key-1" })
      const over = new AbortController()
      const loop = async () => {
        for await (const { type } of rest.walletEvents(query, { signal: over.signal })) {
          if (type === "covered") over.abort(new Error("enough"))
        }
      }
      const reason = yield* Effect.promise(() => loop().catch((error: unknown) => error))
      yield* Effect.promise(() => server.closed(1))

      expect(reason).toMatchObject({ message: "enough" })
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: rejects an invalid query before a request is made", () =>
    Effect.gen(function* () {
      const rest = yield* RestClient.make({ baseUrl: "http://127.0.0.1:9", apiKey: "key-1" })
      const queries: ReadonlyArray<object> = [
        { from: -1 },
        { types: "block.final" },
        { finality: "soon" },
        { to_block: 3 },
      ]
      const paths = yield* Effect.forEach(queries, (one) =>
        Effect.map(
          Effect.flip(Stream.runDrain(rest.walletEvents({ address: wallet, ...one }))),
          (error) => "parameter" in error && error.parameter,
        ),
      )

      expect(paths).toEqual(["from", "types", "finality", "to_block"])
    }),
  )
})
