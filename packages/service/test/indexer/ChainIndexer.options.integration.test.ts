/** Options of an operator: start block, watched wallets, level of verification, several nodes. */
import { describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as TestStore from "../store/TestStore.ts"
import { forward, start as serve } from "../node/server.ts"
import { caughtUp, chainOf, openStore, start } from "./chain.ts"
import * as oracle from "./oracle.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const genesisSeconds = 1_767_225_600
const blockSeconds = 12

describe("ChainIndexer with options", () => {
  it.live("run: starts at the first block at or after a date, and waits until the chain reaches it", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 20)
      const store = yield* openStore
      const indexer = yield* start(store, [node.url], { fromTimestamp: genesisSeconds + 10 * blockSeconds - 1 })
      yield* indexer.until(caughtUp(20))
      const later = yield* openStore
      const waiting = yield* start(later, [node.url], { fromTimestamp: genesisSeconds + 25 * blockSeconds })
      const expected = yield* waiting.until(({ _tag }) => _tag === "Waiting")

      expect((yield* store.headers(0, 99)).map(({ number }) => number)[0]).toBe(10)
      expect(expected).toMatchObject({ message: expect.stringContaining("has not reached the start date") })
      yield* Head.mine(node, 10)
      yield* waiting.until(caughtUp(30))
      expect((yield* later.headers(0, 99)).map(({ number }) => number)[0]).toBe(25)
    }),
  )

  it.live("run: indexes exactly the transactions of watched wallets, and the store rejects further wallets", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const world = yield* Scenario.run(node, { blobs: false, blocks: 25 })
      const expected = yield* oracle.scan(node, world.lastBlock)
      const created = expected.find(({ addresses }) => addresses.length > 1 && addresses.includes(world.contracts.gold))
      const watched = [world.accounts.bob.toLowerCase(), world.contracts.gold.toLowerCase()]
      const watch = new Set(watched)
      const path = yield* temporaryFolder
      const open = (wallets: ReadonlySet<string> | null) => TestStore.inFolder(path, undefined, { watch: wallets })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* open(watch)
          const indexer = yield* start(store, [node.url], { watch, rules: HashRules.ethereum, checks: "full" })
          yield* indexer.until(caughtUp(world.lastBlock))
          yield* indexer.stop
          for (const address of watched) {
            expect((yield* oracle.wallet(store, address)).map(({ hash }) => hash)).toEqual(
              oracle.walletOf(expected, address).map(({ hash }) => hash),
            )
          }
          expect(yield* oracle.wallet(store, world.accounts.alice)).toEqual([])
          expect(yield* store.headers(0, world.lastBlock)).toEqual(yield* chainOf(node, world.lastBlock))
          expect((yield* store.snapshot((snapshot) => snapshot.checkpoint))?.watch).toEqual(watched.toSorted())
        }),
      )

      expect(created).toBeDefined()
      for (const more of [null, new Set([...watched, world.accounts.alice])]) {
        const refused = yield* Effect.flip(Effect.scoped(open(more)))
        expect(refused).toMatchObject({ _tag: "StoreError", isRetryable: false })
        expect(refused.message).toMatch(/^The index lacks .*: chain-test\.sqlite\. /)
      }
      yield* Effect.scoped(open(new Set(watched.slice(0, 1))))
      expect((yield* Effect.flip(Effect.scoped(open(watch)))).message).toContain(
        `lacks wallet ${watched[1]}, which "watch" now names: `,
      )
    }),
  )

  it.live("run: stores another node's block if the first node's block is invalid", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from = "", to = ""] = node.accounts
      for (let block = 0; block < 6; block++) {
        yield* Head.transfer(node, { from, to, valueWei: 1n + BigInt(block) })
        yield* Head.mine(node)
      }
      const falseResponses = yield* Queue.unbounded<string>()
      const liar = yield* serve(
        {
          eth_getBlockReceipts: async (params) => {
            const reply = await forward(node.url)("eth_getBlockReceipts", params)
            const [first] = (reply as { readonly result: ReadonlyArray<{ readonly status: string }> }).result
            Queue.offerUnsafe(falseResponses, String(params[0]))
            return { result: [{ ...first, status: "0x0" }] }
          },
        },
        forward(node.url),
      )
      const store = yield* openStore
      const options = { checks: "full", rules: "detect" } as const
      const indexer = yield* start(store, [liar.url, node.url], options)
      yield* indexer.until(caughtUp(6))

      expect(yield* Queue.size(falseResponses)).toBeGreaterThan(0)
      const rows = yield* oracle.wallet(store, to)
      expect(rows.map(({ body }) => (JSON.parse(body) as { readonly receipt_status: string }).receipt_status)).toEqual(
        Array.from({ length: 6 }, () => "1"),
      )
      const alone = yield* start(yield* openStore, [liar.url], options)
      expect(yield* alone.until(({ _tag }) => _tag === "Waiting")).toMatchObject({
        message: expect.stringContaining("receipts root: expected"),
      })
    }),
  )

  it.live("run: reports the checks that the hash rules skip, and the throughput", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 30)
      const strange = yield* serve(
        {
          eth_getBlockByNumber: async (params) => {
            const reply = await forward(node.url)("eth_getBlockByNumber", params)
            const { result } = reply as { readonly result: object | null }
            return { result: result === null ? null : { ...result, extraData: "0x1234" } }
          },
        },
        forward(node.url),
      )
      const store = yield* openStore
      const indexer = yield* start(store, [strange.url], { checks: "full", rules: "detect" })
      const indexed = yield* indexer.until(({ _tag }) => _tag === "Indexed")
      yield* indexer.until(caughtUp(30))
      const status = yield* store.readStatus

      expect(indexed).toMatchObject({ first: 0, nodeHead: 30, blocksPerSecond: expect.any(Number) })
      expect(status?.unchecked).toBe("header hashes, blooms and roots")
      expect(status?.blocksPerSecond).toBeGreaterThan(0)
    }),
  )
})
