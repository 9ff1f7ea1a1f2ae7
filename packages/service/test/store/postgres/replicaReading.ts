/**
 * Tests of pages that are read from replicas. A lagging replica is simulated by a database of the same server that lacks the last
 * writes.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as Engine from "../../../src/store/Engine.ts"
import * as Replicas from "../../../src/store/postgres/Replicas.ts"
import { chainOn, refOf } from "../model.ts"
import { pagesOf } from "../pages.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

const blocks = chainOn(null, 6)
const down = "postgres://daybook:s3cret@127.0.0.1:1/daybook"

/** Number of pages read from each kind of server. */
const reads = Effect.map(
  Effect.forEach([Replicas.pageReads.primary, Replicas.pageReads.replica], (counter) => Metric.value(counter)),
  (states) => states.map(({ count }) => count),
)

/** Number of pages that an effect reads from the primary and from replicas. */
const readsIn = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = yield* reads
  const result = yield* effect
  const after = yield* reads
  return { result, reads: after.map((count, index) => count - before[index]!) }
})

/** Registers the tests of replicas on a server. */
export const replicaReading = (server: () => string): void => {
  const make = Effect.gen(function* () {
    const { url } = yield* TestServer.emptied(server())
    return { url, store: yield* TestStore.open(yield* TestServer.connect(url), ref) }
  })

  /** A primary with all blocks, a replica without the last two, and a function that reads pages with both. */
  const lagging = (...others: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const [primary, replica] = yield* Effect.all([make, make])
      for (const { store } of [primary, replica]) yield* store.append(null, blocks.slice(0, 4))
      yield* primary.store.append(refOf(blocks[3]!), blocks.slice(4))
      const database = yield* Engine.fromUrl({ url: primary.url, replicas: [...others, replica.url] }, "/nowhere")
      const pages = pagesOf(database)
      // The first page of a process reads the primary.
      const { cursor } = yield* pages({ limit: 2 })
      return { primary: primary.store, replica: replica.store, pages, cursor: cursor! }
    })

  describe("replicas", () => {
    it.effect("a first page is read on a replica, and so are the pages of its cursor", () =>
      Effect.gen(function* () {
        const { pages } = yield* lagging()
        const first = yield* readsIn(pages({ limit: 2 }))
        const next = yield* readsIn(pages({ cursor: first.result.cursor! }))

        expect([first.reads, next.reads]).toEqual([
          [0, 1],
          [0, 1],
        ])
        expect(first.result.checkpoint?.head.number).toBe(blocks[3]!.number)
        expect([first, next].flatMap(({ result }) => result.rows.map(({ block }) => block))).toEqual(
          blocks
            .slice(0, 4)
            .map(({ number }) => number)
            .toReversed(),
        )
      }),
    )

    it.effect("a cursor that a replica has not reached is read on the primary, and on the replica once it has", () =>
      Effect.gen(function* () {
        const { cursor, pages, replica } = yield* lagging()
        const behind = yield* readsIn(pages({ cursor }))
        yield* replica.append(refOf(blocks[3]!), blocks.slice(4))
        const reached = yield* readsIn(pages({ cursor }))

        expect([behind.reads, reached.reads]).toEqual([
          [1, 0],
          [0, 1],
        ])
        expect(reached.result.rows).toEqual(behind.result.rows)
        expect(behind.result.rows).toHaveLength(4)
      }),
    )

    it.effect("a replica that removed the block of a cursor reports it as stale", () =>
      Effect.gen(function* () {
        const { pages, replica } = yield* lagging()
        const { cursor } = yield* pages({ limit: 2 })
        yield* replica.unwind(refOf(blocks[3]!), refOf(blocks[1]!))
        const stale = yield* Effect.flip(pages({ cursor: cursor! }))

        expect(stale).toMatchObject({ _tag: "Stale", resumeFromBlock: blocks[2]!.number })
      }),
    )

    it.live("a replica that is down is skipped for a while, and its password is never logged", () =>
      Effect.gen(function* () {
        const logs: Array<string> = []
        const logger = Logger.make(({ message }) => logs.push(String(message)))
        const { pages } = yield* lagging(down)
        const read = Effect.forEach([1, 2, 3, 4], () => pages({ limit: 2 }))
        const { reads, result } = yield* readsIn(Effect.provide(read, Logger.layer([logger])))

        expect(reads).toEqual([0, 4])
        expect(result.map(({ rows }) => rows.length)).toEqual([2, 2, 2, 2])
        expect(logs).toEqual([
          "Replica skipped: Database unreachable: 127.0.0.1:1/daybook. Check that PostgreSQL runs and accepts connections from this machine.",
        ])
      }),
    )

    it.live("the primary reads if no replica works, and a replica reads if the primary does not", () =>
      Effect.gen(function* () {
        const { store, url } = yield* make
        yield* store.append(null, blocks)
        const noReplica = pagesOf(yield* Engine.fromUrl({ url, replicas: [down, down] }, "/nowhere"))
        const noPrimary = pagesOf(yield* Engine.fromUrl({ url: down, replicas: [url] }, "/nowhere"))
        const withoutServers = pagesOf(yield* Engine.fromUrl({ url: down, replicas: [down] }, "/nowhere"))
        const onPrimary = yield* readsIn(Effect.all([noReplica({}), noReplica({})]))
        const onReplica = yield* readsIn(Effect.all([noPrimary({}), noPrimary({})]))
        const refused = yield* Effect.flip(withoutServers({}))

        expect([onPrimary.reads, onReplica.reads]).toEqual([
          [2, 0],
          [0, 2],
        ])
        expect([...onPrimary.result, ...onReplica.result].map(({ rows }) => rows.length)).toEqual([6, 6, 6, 6])
        expect(refused).toMatchObject({ _tag: "StoreError", isRetryable: true })
      }).pipe(Effect.provide(Logger.layer([]))),
    )

    it.effect("a replica that lags for too long is skipped while the primary works", () =>
      Effect.gen(function* () {
        const { pages, primary } = yield* lagging()
        const heads: Array<number | undefined> = []
        for (let seconds = 0; seconds < 18; seconds += 6) {
          yield* TestClock.adjust("6 seconds")
          // The first page reads the primary again.
          yield* pages({})
          heads.push((yield* pages({})).checkpoint?.head.number)
        }
        yield* primary.unwind(refOf(blocks[5]!), null)
        const { reads } = yield* readsIn(pages({}))

        expect(heads).toEqual([blocks[3]!.number, blocks[3]!.number, blocks[5]!.number])
        expect(reads).toEqual([1, 0])
      }),
    )

    it.effect("headers, the journal and the status are read from the primary", () =>
      Effect.gen(function* () {
        const [primary, replica] = yield* Effect.all([make, make])
        yield* primary.store.append(null, blocks)
        const database = yield* Engine.fromUrl({ url: primary.url, replicas: [replica.url] }, "/nowhere")
        const { reader } = database.chain(ref)

        expect(yield* reader.headers(0, 99)).toHaveLength(6)
        expect((yield* reader.snapshot((snapshot) => snapshot.changes(null, 99))).changes).toHaveLength(1)
        expect((yield* reader.snapshot(({ checkpoint }) => checkpoint))?.head).toEqual(refOf(blocks[5]!))
      }),
    )
  })

  describe("fromUrl with replicas", () => {
    it.effect("fromUrl: rejects replicas of another engine, and does not show their URLs", () =>
      Effect.gen(function* () {
        const given = [
          { url: "sqlite:data", replicas: ["sqlite:other"] },
          { url: "sqlite:data", replicas: [server()] },
          { url: server(), replicas: ["sqlite:s3cret"] },
          { url: server(), replicas: ["postgres://u:s3cret@h"] },
        ]
        const messages = yield* Effect.forEach(given, (database) =>
          Effect.map(Effect.flip(Engine.fromUrl(database, "/nowhere")), ({ message }) => message),
        )

        expect(messages.filter((message) => message.startsWith('Invalid configuration "database": '))).toHaveLength(4)
        expect(messages.join()).not.toContain("s3cret")
      }),
    )
  })
}
