/** Tests that a service on PostgreSQL serves the same pages as one on SQLite. */
import { Anvil, Scenario } from "@daybook/chain"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Logger, Redacted } from "effect"
import * as Config from "../../../src/config/Config.ts"
import type { IndexerEvent } from "../../../src/indexer/IndexerEvent.ts"
import * as Service from "../../../src/Service.ts"
import { request } from "../../server/service.ts"
import * as TestServer from "./TestServer.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

/** Collects events of an indexer, and notifies waiters. */
const observed = () => {
  const waiting: Array<(event: IndexerEvent) => void> = []
  return {
    onEvent: (_: string, event: IndexerEvent) => Effect.sync(() => waiting.forEach((observe) => observe(event))),
    /** The first subsequent event that matches. */
    next: (is: (event: IndexerEvent) => boolean) =>
      Effect.map(Deferred.make<void>(), (matched) => {
        waiting.push((event) => {
          if (is(event)) Deferred.doneUnsafe(matched, Effect.void)
        })
        return Deferred.await(matched)
      }),
  }
}

const isAt = (head: number) => (event: IndexerEvent) =>
  (event._tag === "Indexed" || event._tag === "Synced") && event.head >= head

/** A service in all roles on a database, which indexes the chain of a node. */
const start = Effect.fnUntraced(function* (database: string, rpc: string) {
  const config = yield* Effect.fromResult(
    Config.decode({
      listen: {
        host: "127.0.0.1",
        port: 0,
      },
      database,
      limits: { drainIdleMillis: 1 },
      chains: {
        eth: {
          rpc: [rpc],
          fromBlock: 0,
          pollMillis: 50,
        },
      },
      rateLimit: {
        perSecond: 1e6,
        burst: 1e6,
      },
    }),
  )
  const { next, onEvent } = observed()
  const { address, keys, metrics } = yield* Service.run(config, { baseFolder: yield* temporaryFolder, onEvent })
  const key = Redacted.value((yield* keys.add({ name: "test", operator: false, empty: null }))!)
  const get = (path: string) => request(`${address!.url}${path}`, { headers: { "x-api-key": key } })
  return { next, get, metrics }
})

const queries = ["limit=100", "limit=7&order=ASC&from_block=2&to_block=10", "scope=all&limit=20"]

/** Pages of wallets, each read to the end with its cursors. */
const walk = Effect.fnUntraced(function* (
  get: (path: string) => ReturnType<typeof request>,
  wallets: ReadonlyArray<string>,
) {
  const pages: Array<unknown> = []
  for (const wallet of wallets) {
    for (const query of queries) {
      for (let cursor = ""; ;) {
        const { json, status } = yield* get(`/api/v2.2/${wallet}/verbose?${query}${cursor}`)
        pages.push({ wallet, query, status, ...json, cursor: typeof json.cursor })
        if (status !== 200 || typeof json.cursor !== "string") break
        cursor = `&cursor=${encodeURIComponent(json.cursor)}`
      }
    }
  }
  return pages
})

/** Registers the comparison of a service on a server with one on SQLite. */
export const service = (server: () => string): void => {
  describe("a service on PostgreSQL", () => {
    it.live("serve: indexes a chain through a reorg and serves the same pages as a service on SQLite", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make({ chainId: 1 })
        const world = yield* Scenario.run(node, { seed: 3, blocks: 12, blobs: false })
        const { url } = yield* TestServer.database(server())
        const services = yield* Effect.all([start(url, node.url), start("sqlite:data", node.url)])
        const reach = Effect.fnUntraced(function* (head: number, change: Effect.Effect<unknown>) {
          const waits = yield* Effect.all(services.map(({ next }) => next(isAt(head))))
          yield* change
          yield* Effect.all(waits)
        })
        yield* reach(world.lastBlock + 1, Effect.orDie(node.call("anvil_mine", ["0x1"])))
        const [postgres, sqlite] = yield* Effect.all(services.map(({ get }) => walk(get, world.addresses.slice(0, 8))))
        const reorgs = yield* Effect.all(services.map(({ next }) => next(({ _tag }) => _tag === "Reorged")))

        yield* Effect.orDie(node.call("anvil_reorg", [4, []]))
        yield* reach(world.lastBlock + 3, Effect.orDie(node.call("anvil_mine", ["0x2"])))
        yield* Effect.all(reorgs)
        const [after, expected] = yield* Effect.all(services.map(({ get }) => walk(get, world.addresses.slice(0, 8))))

        expect(postgres).toEqual(sqlite)
        expect(after).toEqual(expected)
        expect(postgres!.length).toBeGreaterThan(24)
        expect(after).not.toEqual(postgres)
        expect(services[0].metrics()).toMatch(/^daybook_database_page_reads_total\{server="primary"\} [1-9]/m)
        expect(postgres!.filter((page) => (page as { readonly status: number }).status !== 200)).toEqual([])
      }).pipe(Effect.provide(Logger.layer([]))),
    )
  })
}
