/** Tests of servers that accept connections and stop responding. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import type { Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Pool from "../../../src/store/postgres/Pool.ts"
import { chainOn } from "../model.ts"
import { pagesOf } from "../pages.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

/** A TCP proxy that forwards data until `stopAt` matches, or never responds. */
interface StoppingProxy {
  readonly url: string
  /** Stops before the first message of a client that contains the text; the empty text matches every message. */
  readonly stopAt: (text: string) => void
  /** Waits until it has stopped. */
  readonly stopped: Effect.Effect<void>
  /** Closes all connections. */
  readonly close: Effect.Effect<void>
}

const startProxy = (target: URL | null): Effect.Effect<StoppingProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let marker: string | null = target === null ? "" : null
    let isStopped = false
    const stopped = yield* Deferred.make<void>()
    const stop = () => {
      isStopped = true
      Deferred.doneUnsafe(stopped, Effect.void)
    }
    const server = createServer((client) => {
      sockets.add(client)
      client.on("error", () => client.destroy())
      const upstream = target === null ? null : connect(Number(target.port), target.hostname)
      if (upstream !== null) {
        sockets.add(upstream)
        upstream.on("error", () => client.destroy())
        upstream.on("data", (bytes) => (isStopped ? undefined : client.write(bytes)))
        upstream.on("close", () => client.destroy())
      }
      client.on("close", () => upstream?.destroy())
      client.on("data", (bytes) => {
        if (marker !== null && bytes.includes(marker)) stop()
        if (!isStopped) upstream?.write(bytes)
      })
    })
    const closeAll = () => sockets.forEach((socket) => socket.destroy())
    yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        closeAll()
        server.close()
        await once(server, "close")
      }),
    )
    // Sound: a TCP server has a port.
    const { port } = server.address() as AddressInfo
    const url = target === null ? "postgres://daybook:s3cret@h/none" : target.href
    const changed = new URL(url)
    changed.host = `127.0.0.1:${port}`
    return {
      url: changed.href,
      stopAt: (text: string) => {
        marker = text
      },
      stopped: Deferred.await(stopped),
      close: Effect.sync(closeAll),
    }
  })

/** Registers the tests of servers that stop responding. */
export const unresponsive = (server: () => string): void => {
  const throughProxy = Effect.gen(function* () {
    const { url } = yield* TestServer.emptied(server())
    const store = yield* TestStore.open(yield* TestServer.connect(url), ref)
    yield* store.append(null, chainOn(null, 3))
    const through = yield* startProxy(new URL(url))
    const database = yield* TestServer.connect(through.url)
    // Runs before the database is closed, which waits for the end of its statements.
    yield* Effect.addFinalizer(() => through.close)
    return { ...through, database }
  })

  /** Error of an effect that waits for a server, after a number of seconds. */
  const errorAfter = Effect.fnUntraced(function* <A, E>(
    effect: Effect.Effect<A, E>,
    stopped: Effect.Effect<void>,
    seconds: number,
  ) {
    const fiber = yield* Effect.forkChild(Effect.flip(effect))
    yield* stopped
    yield* TestClock.adjust(`${seconds - 1} seconds`)
    const early = fiber.pollUnsafe()
    yield* TestClock.adjust("2 seconds")
    return { early, error: yield* Fiber.join(fiber) }
  })

  const isUnanswered = { _tag: "StoreError", isRetryable: true }

  describe("unresponsive servers", () => {
    it.effect("page: a server that accepts a connection and sends nothing is unreachable after 5 seconds", () =>
      Effect.gen(function* () {
        const { stopped, url } = yield* startProxy(null)
        const pages = pagesOf(yield* TestServer.connect(url))
        const { early, error } = yield* errorAfter(pages({}), stopped, 5)

        expect(early).toBeUndefined()
        expect(error).toMatchObject(isUnanswered)
        expect(String(error)).not.toContain("s3cret")
      }),
    )

    it.effect("page: a server that stops before a transaction begins fails it after 10 seconds", () =>
      Effect.gen(function* () {
        const { database, stopAt, stopped } = yield* throughProxy
        const pages = pagesOf(database)
        stopAt("BEGIN ISOLATION")
        const { early, error } = yield* errorAfter(pages({}), stopped, 10)

        expect(early).toBeUndefined()
        expect(error).toMatchObject(isUnanswered)
        expect(String(error)).toMatch(/^StoreError: Database does not respond: 127\.0\.0\.1:\d+\/\w+\. Check the load/)
      }),
    )

    it.effect("page: a server that stops between two statements fails it after 10 seconds", () =>
      Effect.gen(function* () {
        const { database, stopAt, stopped } = yield* throughProxy
        const pages = pagesOf(database)
        stopAt(".appearance")
        const { early, error } = yield* errorAfter(pages({}), stopped, 10)

        expect(early).toBeUndefined()
        expect(error).toMatchObject(isUnanswered)
      }),
    )

    it.effect("page: a server that stops before the only statement of a page fails it after 10 seconds", () =>
      Effect.gen(function* () {
        const { database, stopAt, stopped } = yield* throughProxy
        const pages = pagesOf(database)
        yield* pages({})
        stopAt(".appearance")
        const { early, error } = yield* errorAfter(pages({}), stopped, 10)

        expect(early).toBeUndefined()
        expect(error).toMatchObject(isUnanswered)
      }),
    )

    it.effect("a lookup of a key outside of a transaction fails after 10 seconds", () =>
      Effect.gen(function* () {
        const { database, stopAt, stopped } = yield* throughProxy
        yield* database.apiKeys.ready
        stopAt("")
        const { early, error } = yield* errorAfter(database.apiKeys.find(Redacted.make("none")), stopped, 10)

        expect(early).toBeUndefined()
        expect(error).toMatchObject(isUnanswered)
      }),
    )

    it.effect("pages that wait for connections of other pages fail after 10 seconds", () =>
      Effect.gen(function* () {
        const { url } = yield* TestServer.emptied(server())
        const { reading } = yield* Pool.make("database", Redacted.make(url))
        const hold = Effect.flatMap(Deferred.make<void>(), (held) =>
          Effect.andThen(
            Effect.forkScoped(
              reading.transaction((session) =>
                Effect.andThen(
                  session.rows("SELECT 1", []),
                  Effect.andThen(Deferred.succeed(held, undefined), Effect.never),
                ),
              ),
            ),
            Deferred.await(held),
          ),
        )
        yield* Effect.forEach(Array.from({ length: 10 }), () => hold)
        const waiting = reading.transaction((session) => session.rows("SELECT 1", []))
        const { early, error } = yield* errorAfter(waiting, Effect.void, 10)

        expect(early).toBeUndefined()
        expect(error).toMatchObject(isUnanswered)
      }),
    )
  })

  describe("limits of the server", () => {
    const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
    const show = `SELECT ${limits.map((name) => `current_setting('${name}')`).join(", ")}`

    it.live(
      "limits a statement of a page to 10 seconds, one of a write to an hour, and a wait for a lock to a minute",
      () =>
        Effect.gen(function* () {
          const { url } = yield* TestServer.emptied(server())
          const database = yield* TestServer.connect(url)
          const { writing } = yield* Pool.make("database", Redacted.make(url))
          yield* (yield* TestStore.open(database, ref)).append(null, chainOn(null, 1))
          const set: Array<unknown> = []
          yield* writing.transaction((session) => Effect.map(session.rows(show, []), (rows) => set.push(...rows)))
          yield* writing.transaction(
            (session) => Effect.map(session.rows(show, []), (rows) => set.push(...rows)),
            Infinity,
          )

          expect(set).toEqual([
            ["1h", "1min", "1min"],
            ["0", "1min", "1min"],
          ])
        }),
    )

    it.live("a statement that takes too long and a held lock are retryable", () =>
      Effect.gen(function* () {
        const { rows, url } = yield* TestServer.emptied(server())
        const { writing } = yield* Pool.make("database", Redacted.make(url))
        const late = yield* Effect.flip(writing.transaction((session) => session.rows("SELECT pg_sleep(9)", []), 20))
        yield* rows("CREATE TABLE IF NOT EXISTS public.held (one int)")
        const locked = yield* Effect.flip(
          writing.transaction((holder) =>
            Effect.andThen(
              holder.rows("LOCK TABLE public.held", []),
              writing.transaction((session) =>
                Effect.andThen(
                  session.rows("SET LOCAL lock_timeout = 10", []),
                  Effect.suspend(() => session.rows("LOCK TABLE public.held", [])),
                ),
              ),
            ),
          ),
        )
        yield* rows("DROP TABLE public.held")

        expect([late, locked].map(({ isRetryable, message }) => [isRetryable, message.replace(/\. .*/, "")])).toEqual([
          [true, "Database statement cancelled: database (SQLSTATE 57014)"],
          [true, "Database busy: database (SQLSTATE 55P03)"],
        ])
      }),
    )
  })
}
