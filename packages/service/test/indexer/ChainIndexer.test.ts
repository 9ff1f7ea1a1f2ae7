import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { Eventually } from "@daybook/harness"
import { TestClock } from "effect/testing"
import * as BatchFetcher from "../../src/node/BatchFetcher.ts"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import type { Database } from "../../src/store/Database.ts"
import { Engine } from "../../src/store/Engine.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import { decoder, openStore } from "./chain.ts"
import { healthy, healthyAt } from "./scriptedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

/** Runs an indexer over a database; in no test here does it call a node. */
const run = Effect.fnUntraced(function* (database: Database) {
  const node = yield* Node.make({ urls: ["http://127.0.0.1:65535"], chainId: 31337, traces: "auto" })
  const options = { chain: "test", chainId: 31337, owner: "me", decoder, pollMillis: 10 }
  return yield* ChainIndexer.run(node, options).pipe(Effect.provideService(Engine, database))
})

describe("ChainIndexer", () => {
  it.effect("run: logs once that another process indexes the chain, however long it waits", () =>
    Effect.gen(function* () {
      const { database, ref } = yield* openStore
      yield* database.leases.acquire(ref, "the other", 600_000)
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const fiber = yield* Effect.forkScoped(Effect.provide(run(database), Logger.layer([logger])))
      yield* TestClock.adjust("60 seconds")
      yield* Fiber.interrupt(fiber)

      expect(lines).toEqual(["Another process indexes this chain; waiting for it to stop"])
    }),
  )

  it.effect("run: fails with a database error that is not retryable", () =>
    Effect.gen(function* () {
      const { database } = yield* openStore
      const damaged = new StoreError({ message: "The database is damaged.", isRetryable: false, cause: null })
      const acquire = () => Effect.fail(damaged)
      const error = yield* Effect.flip(run({ ...database, leases: { ...database.leases, acquire } }))

      expect(error).toBe(damaged)
    }),
  )

  it.effect("run: retries a transient database error with growing delays", () =>
    Effect.gen(function* () {
      const { database } = yield* openStore
      const busy = new StoreError({ message: "The database is locked.", isRetryable: true, cause: null })
      let attempts = 0
      const acquire = () => Effect.suspend(() => (attempts++, Effect.fail(busy)))
      yield* Effect.forkScoped(run({ ...database, leases: { ...database.leases, acquire } }))
      const seen: Array<number> = []
      for (const millis of [0, 50, 99, 1, 199, 1]) {
        yield* TestClock.adjust(millis)
        seen.push(attempts)
      }

      expect(seen).toEqual([1, 2, 2, 3, 3, 4])
    }),
  )

  it.effect("run: keeps the lease while it fetches a block, however long that takes", () =>
    Effect.gen(function* () {
      const { database, ref } = yield* openStore
      const { fetch } = ScriptedFetch.make(healthy)
      const quick = yield* Node.make({ urls: ["http://node.example:8545"], chainId: ref.id, fetch })
      let fetched = 0
      const block: Node.Node["block"] = (number) =>
        Effect.tap(Effect.delay(quick.block(number), "1 minute"), () => Effect.sync(() => fetched++))
      const node = { ...quick, block, batchFetcher: () => Effect.succeed(BatchFetcher.none) }
      let renewed = 0
      const renew: typeof database.leases.renew = (...args) =>
        Effect.suspend(() => (renewed++, database.leases.renew(...args)))
      const options = { chain: ref.name, chainId: ref.id, owner: "me", decoder, checks: "links" } as const
      const leases = { ...database.leases, renew }
      yield* ChainIndexer.run(node, options).pipe(
        Effect.provideService(Engine, { ...database, leases }),
        Effect.forkScoped,
      )
      yield* TestClock.adjust("50 seconds")

      expect(fetched).toBe(0)
      expect(renewed).toBeGreaterThan(15)
    }),
  )

  it.effect("run: is synced and finalizes blocks while the head of the node moves in each turn", () =>
    Effect.gen(function* () {
      const { database, ref, snapshot } = yield* openStore
      let head = 300
      const growing = ScriptedFetch.make((method, params) =>
        healthyAt(params[0] === "latest" ? ++head : head)(method, params),
      )
      const node = yield* Node.make({ urls: ["http://node.example:8545"], chainId: ref.id, fetch: growing.fetch })
      const options = { chain: ref.name, chainId: ref.id, owner: "me", decoder, checks: "links" } as const
      yield* ChainIndexer.run(node, options).pipe(Effect.provideService(Engine, database), Effect.forkScoped)
      const read = snapshot((own) => Effect.all([own.checkpoint, own.status]))
      yield* Eventually.untilEffect(Effect.map(read, ([, status]) => status?.state === "synced"))
      const [checkpoint] = yield* read

      expect(checkpoint?.finalized).toBeGreaterThan(280)
    }),
  )

  it.effect("run: leaves the chain to another indexer once its node has been unresponsive for a minute", () =>
    Effect.gen(function* () {
      const { database, ref, snapshot } = yield* openStore
      const other = ScriptedFetch.make(healthy)
      /** Returns its head, but no block: requests for blocks reach their deadline. */
      const hanging: typeof other.fetch = (url, init) =>
        /"params":\["0x/.test(String(init.body)) ? new Promise(() => undefined) : other.fetch(url, init)
      const start = Effect.fnUntraced(function* (owner: string, fetch: typeof other.fetch) {
        const node = yield* Node.make({ urls: [`http://${owner}.example`], chainId: ref.id, traces: "off", fetch })
        const options = { chain: ref.name, chainId: ref.id, owner, decoder, checks: "links" } as const
        yield* ChainIndexer.run(node, options).pipe(Effect.provideService(Engine, database), Effect.forkScoped)
      })
      const head = Effect.map(
        snapshot(({ checkpoint }) => checkpoint),
        (checkpoint) => checkpoint?.head.number,
      )
      yield* start("hanging", hanging)
      yield* ScriptedFetch.advance(other, 1)
      yield* start("standby", other.fetch)
      yield* ScriptedFetch.advance(other, 50)
      expect(yield* head).toBeUndefined()
      yield* ScriptedFetch.advance(other, 60)

      expect(yield* head).toBe(300)
    }),
  )

  it.effect("run: keeps the lease if a turn fails once after appending blocks for more than a minute", () =>
    Effect.gen(function* () {
      const { database, ref, snapshot } = yield* openStore
      const scripted = ScriptedFetch.make(healthy)
      const quick = yield* Node.make({
        urls: ["http://node.example"],
        chainId: ref.id,
        traces: "off",
        fetch: scripted.fetch,
      })
      let failures = 0
      const block: Node.Node["block"] = (number) =>
        Effect.suspend(() => (number === 80 && failures++ === 0 ? Effect.succeed(null) : quick.block(number))).pipe(
          Effect.delay("7 seconds"),
        )
      const node = { ...quick, block, batchFetcher: () => Effect.succeed(BatchFetcher.none) }
      let releases = 0
      const release: typeof database.leases.release = (...args) =>
        Effect.suspend(() => (releases++, database.leases.release(...args)))
      const options = { chain: ref.name, chainId: ref.id, owner: "me", decoder, checks: "links" } as const
      yield* ChainIndexer.run(node, options).pipe(
        Effect.provideService(Engine, { ...database, leases: { ...database.leases, release } }),
        Effect.forkScoped,
      )
      yield* ScriptedFetch.advance(scripted, 110)
      const checkpoint = yield* snapshot((own) => own.checkpoint)

      expect(failures).toBeGreaterThan(1)
      expect(checkpoint?.head.number).toBeGreaterThanOrEqual(80)
      expect(releases).toBe(0)
    }),
  )

  it.effect(
    "run: needs two round trips to a distant node before it requests the first range of a chain without rules",
    () =>
      Effect.gen(function* () {
        const { database, ref } = yield* openStore
        const distant = ScriptedFetch.inRounds(healthy)
        const node = yield* Node.make({ urls: ["http://node.example:8545"], chainId: ref.id, fetch: distant.fetch })
        const options = { chain: ref.name, chainId: ref.id, owner: "me", decoder, rules: "detect" } as const
        yield* ChainIndexer.run(node, options).pipe(Effect.provideService(Engine, database), Effect.forkScoped)
        const rounds: Array<ReadonlyArray<string>> = []
        while (rounds.length < 3) rounds.push(yield* distant.round)

        expect(rounds.map((methods) => [...new Set(methods)].toSorted())).toEqual([
          ["eth_chainId", "eth_getBlockByNumber"],
          ["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"],
          ["eth_getBlockByNumber"],
        ])
        expect(rounds[2]).toHaveLength(4 * 8)
      }),
  )
})
