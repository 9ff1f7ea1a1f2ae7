/** Tests that a page whose range does not depend on the index is read by one statement, and thus from a single state. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { PageQuery } from "../../../src/store/ChainReader.ts"
import { chainOn, wallets } from "../model.ts"
import { pagesOf } from "../pages.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

/** Types of protocol messages. */
const [readyForQuery, commandComplete] = ["Z", "C"] as const

/** A TCP proxy that counts how often the server is ready for the next query. */
interface Counting {
  readonly url: string
  readonly roundTrips: () => number
  /** Number of completed transactions; a read ends in the background. */
  readonly rollbacks: () => number
}

/** Calls a function with the type and content of each message of the server. */
const messages = (onMessage: (type: string, content: Buffer) => void) => {
  let left = Buffer.alloc(0)
  return (bytes: Buffer) => {
    left = Buffer.concat([left, bytes])
    while (left.length >= 5) {
      const end = 1 + left.readUInt32BE(1)
      if (left.length < end) return
      onMessage(left.toString("latin1", 0, 1), left.subarray(5, end))
      left = left.subarray(end)
    }
  }
}

const counting = (target: URL): Effect.Effect<Counting, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let [roundTrips, rollbacks] = [0, 0]
    const server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname)
      const read = messages((type, content) => {
        if (type === readyForQuery) roundTrips++
        if (type === commandComplete && content.includes("ROLLBACK")) rollbacks++
      })
      upstream.on("data", read)
      client.pipe(upstream).pipe(client)
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on("error", () => socket.destroy())
      }
    })
    yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        sockets.forEach((socket) => socket.destroy())
        server.close()
      }),
    )
    const url = new URL(target)
    // Sound: a TCP server has a port.
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    return { url: url.href, roundTrips: () => roundTrips, rollbacks: () => rollbacks }
  })

/** Registers the tests of pages with one statement. */
export const oneStatement = (server: () => string): void => {
  const opened = Effect.gen(function* () {
    const { url } = yield* TestServer.emptied(server())
    const store = yield* TestStore.open(yield* TestServer.connect(url), ref)
    yield* store.append(null, chainOn(null, 8))
    const { rollbacks, roundTrips, url: through } = yield* counting(new URL(url))
    const pages = pagesOf(yield* TestServer.connect(through))
    // The first page opens the connection, and detects where the rows of the chain are.
    yield* pages({})
    yield* Effect.promise(() => Eventually.until(() => rollbacks() === 1, { what: "the transaction has ended" }))
    /** Reads the page of a query; returns it with the number of round trips. */
    const read = Effect.fnUntraced(function* (query: Parameters<typeof pages>[0]) {
      const before = roundTrips()
      const page = yield* pages(query)
      return { page, trips: roundTrips() - before }
    })
    return { read, store }
  })

  describe("pages of one statement", () => {
    it.live("page: the first page, the next one, and those of a range of blocks take one round trip each", () =>
      Effect.gen(function* () {
        const { read } = yield* opened
        const first = yield* read({ limit: 2 })
        const next = yield* read({ limit: 2, cursor: first.page.cursor! })
        const up = yield* read({ limit: 2, order: "ASC", from_block: 11n, to_block: 16n })
        const nextAscending = yield* read({
          limit: 2,
          order: "ASC",
          from_block: 11n,
          to_block: 16n,
          cursor: up.page.cursor!,
        })
        const above = yield* read({ from_block: 15n, to_block: 1_000n })

        expect([first, next, up, nextAscending, above].map(({ trips }) => trips)).toEqual([1, 1, 1, 1, 1])
        expect([first, next, up, nextAscending].map(({ page }) => page.rows.length)).toEqual([2, 2, 2, 2])
      }),
    )

    it.live("page: a page of one statement equals the page of a transaction", () =>
      Effect.gen(function* () {
        const { read, store } = yield* opened
        const stored = (query: Partial<PageQuery>) =>
          store.snapshot((snapshot) =>
            snapshot.page(
              { id: "wallet_transactions", kind: "appearances" },
              { key: wallets[0]!, from: 10, to: 17, limit: 100, order: "DESC", after: null, internal: false, ...query },
            ),
          )

        expect((yield* read({})).page.rows).toEqual((yield* stored({})).rows)
        expect((yield* read({ limit: 3 })).page.rows).toEqual((yield* stored({ limit: 3 })).rows)
        expect((yield* read({ order: "ASC", from_block: 12n })).page.rows).toEqual(
          (yield* stored({ order: "ASC", from: 12 })).rows,
        )
        expect((yield* read({ to_block: 15n, limit: 1 })).page.rows).toEqual((yield* stored({ to: 15, limit: 1 })).rows)
      }),
    )

    it.live("page: a cursor whose block was reorged is stale, with the block to resume from", () =>
      Effect.gen(function* () {
        const { read, store } = yield* opened
        const { page } = yield* read({ limit: 2 })
        const { head } = page.checkpoint!
        yield* store.unwind(head, null)
        yield* store.append(null, chainOn(null, 8, "fork"))

        const { trips } = yield* read({ limit: 2 })
        const error = yield* Effect.flip(read({ limit: 2, cursor: page.cursor! }))
        expect(trips).toBe(1)
        expect(error).toMatchObject({ _tag: "Stale", resumeFromBlock: 10 })
      }),
    )
  })
}
