import { describe, it, layer } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import type * as Decoder from "@daybook/abi/Decoder"
import { forward, missing, start as serve } from "../node/server.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as Projections from "../../src/projection/Projections.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import { all } from "../store/TestDatabase.ts"
import { entriesOf, hashes } from "../store/projections.ts"
import { caughtUp, chainOf, decoder, openStore, start } from "./chain.ts"
import * as oracle from "./oracle.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const latest = (params: ReadonlyArray<unknown>) => params[0] === "latest"

const scenario = Scenario.layer({ blobs: false, blocks: 15 }).pipe(Layer.provideMerge(Anvil.layer()))

layer(scenario, { excludeTestServices: true })("ChainIndexer on the scenario chain", (it) => {
  it.effect("run: stores each transaction of the node for its sender, recipient and created contract", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const world = yield* Scenario.Scenario
      const store = yield* openStore
      const indexer = yield* start(store, [node.url])
      const done = yield* indexer.until(caughtUp(world.lastBlock))
      yield* indexer.stop

      const expected = yield* oracle.scan(node, world.lastBlock)
      expect(done).toMatchObject({ _tag: "Synced", blocks: world.lastBlock + 1, transactions: expected.length })
      expect(yield* store.headers(0, world.lastBlock)).toEqual(yield* chainOf(node, world.lastBlock))
      expect(expected.map(({ hash }) => hash)).toEqual(world.all.map(({ hash }) => hash))
      yield* oracle.expectWallets(store, expected, world.addresses)
    }),
  )

  it.effect("run: stores the same internal transactions with either tracer, and none without a tracer", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const world = yield* Scenario.Scenario
      const nested = yield* serve({ trace_block: missing }, forward(node.url))
      const noBlocks = { trace_block: missing, debug_traceBlockByHash: missing, debug_traceBlockByNumber: missing }
      const single = yield* serve(noBlocks, forward(node.url))
      const bare = yield* serve({ ...noBlocks, debug_traceTransaction: missing }, forward(node.url))
      const rowsBy = Effect.fnUntraced(function* (url: string, allFrames: boolean) {
        const store = yield* openStore
        const indexer = yield* start(store, [url], { allFrames })
        yield* indexer.until(caughtUp(world.lastBlock))
        yield* indexer.stop
        const rows = yield* Effect.forEach(world.addresses, (address) => oracle.wallet(store, address))
        return { rows: rows.flat(), traces: (yield* store.readStatus)?.traces }
      })
      const flat = yield* rowsBy(node.url, true)
      const frames = yield* rowsBy(nested.url, true)
      const traced = yield* rowsBy(single.url, true)
      const none = yield* rowsBy(bare.url, true)

      expect([flat, frames, traced, none].map(({ traces }) => traces)).toEqual([
        "trace_block",
        "debug_traceBlock",
        "debug_traceTransaction",
        "off",
      ])
      expect(frames.rows).toEqual(flat.rows)
      expect(traced.rows).toEqual(flat.rows)
      expect(flat.rows.some(({ internal }) => internal?.includes("DELEGATECALL"))).toBe(true)
      expect(none.rows).toEqual(flat.rows.map((row) => ({ ...row, internal: null })))
    }),
  )

  it.effect("run: stores the same rows from a node without eth_getBlockReceipts", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const world = yield* Scenario.Scenario
      const store = yield* openStore
      const proxy = yield* serve({ eth_getBlockReceipts: missing }, forward(node.url))
      const indexer = yield* start(store, [proxy.url], { rules: HashRules.ethereum, checks: "full" })
      yield* indexer.until(caughtUp(world.lastBlock))
      yield* indexer.stop

      yield* oracle.expectWallets(store, yield* oracle.scan(node, world.lastBlock), world.addresses)
      const receipts = proxy.calls.filter(([method]) => method === "eth_getTransactionReceipt")
      expect(new Set(receipts.map(([, [hash]]) => hash)).size).toBe(world.all.length)
    }),
  )

  it.effect("run: fills a projection that is added to an existing index", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const world = yield* Scenario.Scenario
      const fresh = yield* openStore
      const grown = yield* openStore
      const first = yield* start(grown, [node.url])
      yield* first.until(caughtUp(world.lastBlock))
      yield* first.stop
      expect(yield* grown.snapshot((snapshot) => snapshot.projection("hashes"))).toBeNull()

      const projections = [...Projections.make(decoder, 31_337), hashes(1)]
      const again = yield* start(grown, [node.url], { projections })
      const other = yield* start(fresh, [node.url], { projections })
      yield* other.until(caughtUp(world.lastBlock))
      yield* Eventually.untilEffect(
        grown.snapshot((snapshot) =>
          Effect.map(snapshot.projection("hashes"), (found) => found?.next === world.lastBlock + 1),
        ),
      )
      yield* again.stop
      const filled = yield* entriesOf(grown, world.accounts.alice)
      expect(filled.length).toBeGreaterThan(0)
      expect(filled).toEqual(yield* entriesOf(fresh, world.accounts.alice))
    }),
  )

  it.effect("run: decodes rows of an older decoder again", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const world = yield* Scenario.Scenario
      const older: Decoder.Decoder = {
        revision: 1,
        event: () => null,
        call: () => null,
        functionOf: () => null,
        candidates: () => [],
      }
      const fresh = yield* openStore
      const grown = yield* openStore
      const first = yield* start(grown, [node.url], { decoder: older })
      yield* first.until(caughtUp(world.lastBlock))
      yield* first.stop
      const decoded = grown.snapshot((snapshot) => snapshot.projection("decoded_documents"))
      const next = world.lastBlock + 1
      expect(yield* decoded).toEqual({ revision: older.revision, next })

      const again = yield* start(grown, [node.url])
      const other = yield* start(fresh, [node.url])
      yield* other.until(caughtUp(world.lastBlock))
      yield* Eventually.untilEffect(
        Effect.map(decoded, (found) => found?.revision === decoder.revision && found.next === next),
      )
      yield* again.stop
      expect(yield* oracle.wallet(grown, world.accounts.alice)).toEqual(
        yield* oracle.wallet(fresh, world.accounts.alice),
      )
    }),
  )
})

describe("ChainIndexer", () => {
  const reorganised = (event: { readonly _tag: string }) => event._tag === "Reorged"

  it.live("run: follows reorgs, including one that shortens the chain", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from = "", to = ""] = node.accounts
      yield* Head.transfer(node, { from, to, valueWei: 1n })
      yield* Head.mine(node, 20)
      const store = yield* openStore
      const indexer = yield* start(store, [node.url])
      yield* indexer.until(caughtUp(20))

      const deep = yield* Head.reorganise(node, { depth: 12, moreBlocks: 1 })
      expect(yield* indexer.until(reorganised)).toEqual({
        _tag: "Reorged",
        from: { number: 20, hash: deep.removed.at(-1)?.hash },
        to: deep.ancestor,
      })
      yield* indexer.until(caughtUp(21))
      expect(yield* store.headers(0, 99)).toEqual(yield* chainOf(node, 21))

      const snapshot = yield* node.call("evm_snapshot")
      yield* Head.mine(node, 3)
      yield* indexer.until(caughtUp(24))
      yield* node.call("evm_revert", [snapshot])
      yield* Head.transfer(node, { from, to, valueWei: 3n })
      yield* Head.mine(node)
      expect(yield* indexer.until(reorganised)).toMatchObject({ from: { number: 24 }, to: { number: 21 } })
      yield* indexer.until(caughtUp(22))
      expect(yield* store.headers(0, 99)).toEqual(yield* chainOf(node, 22))
      const expected = yield* oracle.scan(node, 22)
      const rows = yield* oracle.wallet(store, to)
      expect(rows.map(({ block, index, hash }) => ({ block, index, hash }))).toEqual(oracle.walletOf(expected, to))
      expect(rows.length).toBe(14)
    }),
  )

  it.live("run: follows a reorg during the backfill", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 40)
      let isDone = false
      const proxy = yield* serve(
        {
          eth_getBlockByNumber: async (params) => {
            const reply = await forward(node.url)("eth_getBlockByNumber", params)
            if (params[0] === "0x1e" && !isDone) {
              isDone = true
              await Effect.runPromise(Head.reorganise(node, { depth: 15, moreBlocks: 3 }))
            }
            return reply
          },
        },
        forward(node.url),
      )
      const store = yield* openStore
      const indexer = yield* start(store, [proxy.url])
      yield* indexer.until(caughtUp(43))

      expect(yield* store.headers(0, 99)).toEqual(yield* chainOf(node, 43))
    }),
  )

  it.live("run: starts again after a reorg below the first indexed block", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 20)
      const store = yield* openStore
      const indexer = yield* start(store, [node.url], { fromBlock: 10 })
      yield* indexer.until(caughtUp(20))
      yield* Head.reorganise(node, { depth: 15 })

      expect(yield* indexer.until(reorganised)).toMatchObject({ to: null })
      yield* indexer.until(caughtUp(20))
      expect(yield* store.headers(0, 99)).toEqual((yield* chainOf(node, 20)).slice(10))
    }),
  )

  it.live("run: indexes the blocks below the first one once fromBlock is lowered, while it follows the head", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const world = yield* Scenario.run(node, { blobs: false, blocks: 40, seed: 5 })
      const last = world.lastBlock
      const store = yield* openStore
      const upper = yield* start(store, [node.url], { fromBlock: last - 10 })
      yield* upper.until(caughtUp(last))
      yield* upper.stop

      const release = yield* Latch.make()
      const isHeld = ([number, hydrated]: ReadonlyArray<unknown>) => hydrated === true && Number(number) < last - 15
      const answers = {
        eth_getBlockByNumber: async (params: ReadonlyArray<unknown>) => {
          if (isHeld(params)) await Effect.runPromise(release.await)
          return forward(node.url)("eth_getBlockByNumber", params)
        },
      }
      const proxy = yield* serve(answers, forward(node.url))
      const indexer = yield* start(store, [proxy.url], { fromBlock: 2, batchBlocks: 3 })
      const prepended = (isFirst: (first: number) => boolean) =>
        indexer.until((event) => event._tag === "Prepended" && isFirst(event.first))
      yield* prepended((first) => first < last - 10)
      yield* Head.mine(node, 2)
      yield* indexer.until(caughtUp(last + 2))
      yield* Head.reorganise(node, { depth: 4 })
      yield* indexer.until(reorganised)
      yield* indexer.until(caughtUp(last + 2))
      yield* release.open
      yield* prepended((first) => first === 2)
      yield* indexer.stop

      expect(yield* store.headers(0, last + 9)).toEqual((yield* chainOf(node, last + 2)).slice(2))
      const whole = yield* openStore
      const other = yield* start(whole, [node.url], { fromBlock: 2 })
      yield* other.until(caughtUp(last + 2))
      yield* other.stop
      const rowsOf = (of: typeof store) =>
        Effect.forEach(world.addresses, (key) =>
          of.snapshot(({ page }) => page(WalletTransactions.projection, { ...all, key, limit: 1_000 })),
        )
      expect(yield* rowsOf(store)).toEqual(yield* rowsOf(whole))
    }),
  )

  it.live("run: removes nothing when the node lags", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 20)
      let lag = false
      const proxy = yield* serve(
        {
          eth_getBlockByNumber: (params) =>
            forward(node.url)("eth_getBlockByNumber", lag && latest(params) ? ["0xc", params[1]] : params),
        },
        forward(node.url),
      )
      const store = yield* openStore
      const indexer = yield* start(store, [proxy.url])
      yield* indexer.until(caughtUp(20))
      lag = true
      yield* Eventually.untilEffect(
        Effect.map(
          store.readStatus,
          (status) => status?.message === "The node lags behind the index." && status.nodeHead === 12,
        ),
      )

      expect((yield* store.snapshot((snapshot) => snapshot.checkpoint))?.head.number).toBe(20)
      lag = false
      yield* Head.mine(node)
      yield* indexer.until((event) => {
        expect(event._tag).not.toBe("Reorged")
        return caughtUp(21)(event)
      })
    }),
  )

  it.live("run: stores nothing of an invalid block, reports it, and continues once it is valid", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from = "", to = ""] = node.accounts
      yield* Head.mine(node, 3)
      yield* Head.transfer(node, { from, to, valueWei: 1n })
      yield* Head.mine(node, 3)
      const without = {
        eth_getBlockReceipts: () => ({ result: [] }),
        eth_getTransactionReceipt: () => ({ result: null }),
      }
      const proxy = yield* serve(without, forward(node.url))
      const store = yield* openStore
      const indexer = yield* start(store, [proxy.url])
      const waiting = yield* indexer.until(({ _tag }) => _tag === "Waiting")

      expect(waiting).toMatchObject({ message: expect.stringContaining("receipts: expected 1, received 0") })
      expect((yield* store.readStatus)?.state).toBe("waiting")
      expect((yield* store.snapshot((snapshot) => snapshot.checkpoint))?.head.number).toBe(3)
      for (const method of Object.keys(without)) delete proxy.answers[method]
      yield* indexer.until(caughtUp(6))
      expect((yield* oracle.wallet(store, to)).length).toBe(1)
    }),
  )

  it.live("run: waits for a node that is down at startup, and reports it without the key", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(Anvil.make())
      const store = yield* openStore
      const indexer = yield* start(store, [`http://127.0.0.1:${port}/?key=canary0key`])
      const waiting = yield* indexer.until(({ _tag }) => _tag === "Waiting")
      const status = yield* store.readStatus

      expect(waiting).toMatchObject({ message: expect.stringContaining(`Could not connect to 127.0.0.1:${port}`) })
      expect(status).toMatchObject({ state: "waiting", nodeHead: null })
      expect(JSON.stringify([waiting, status])).not.toContain("canary0key")
      const node = yield* Anvil.make({ port })
      yield* Head.mine(node, 3)
      yield* indexer.until(caughtUp(3))
    }),
  )

  it.live("run: rejects a node of another chain with both ids, and starts once the chain is correct", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make({ chainId: 5 })
      const proxy = yield* serve({ eth_chainId: () => ({ result: "0x89" }) }, forward(node.url))
      const store = yield* openStore
      const indexer = yield* start(store, [proxy.url], { chainId: 5 })
      const misconfigured = yield* indexer.until(({ _tag }) => _tag === "Misconfigured")

      const message = `Wrong chain at ${proxy.host}: expected chain id 5 (0x5), received 137 (0x89). Correct the URL of the node or the id of the chain.`
      expect(misconfigured).toEqual({ _tag: "Misconfigured", message })
      expect(yield* store.readStatus).toMatchObject({ state: "misconfigured", message })
      expect(yield* store.snapshot((snapshot) => snapshot.checkpoint)).toBe(null)
      delete proxy.answers["eth_chainId"]
      yield* indexer.until(caughtUp(0))
    }),
  )

  it.live("run: removes nothing if another chain responds at the same URL", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const other = yield* Anvil.make({ chainId: 5, genesisTimestamp: 1_700_000_000 })
      yield* Head.mine(node, 5)
      yield* Head.mine(other, 9)
      let url = node.url
      const proxy = yield* serve({}, (method, params) => forward(url)(method, params))
      const store = yield* openStore
      const indexer = yield* start(store, [proxy.url])
      yield* indexer.until(caughtUp(5))
      url = other.url
      yield* indexer.until(({ _tag }) => _tag === "Misconfigured")

      expect(yield* store.headers(0, 99)).toEqual(yield* chainOf(node, 5))
    }),
  )

  it.live("run: leaves the chain to the indexer that holds the lease, and takes over when it ends", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 5)
      const store = yield* openStore
      const first = yield* start(store, [node.url], { owner: "first" })
      yield* first.until(caughtUp(5))
      const second = yield* start(store, [node.url], { owner: "second" })
      yield* Head.mine(node, 5)
      yield* first.until(caughtUp(10))
      yield* first.stop
      yield* Head.mine(node, 1)

      expect(yield* second.until(caughtUp(11))).toMatchObject({ blocks: 1 })
    }),
  )

  it.live("run: waits until the chain reaches the start block", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const store = yield* openStore
      const indexer = yield* start(store, [node.url], { fromBlock: 3 })

      expect(yield* indexer.until(({ _tag }) => _tag === "Waiting")).toMatchObject({
        message: "The chain has not reached the start block: the head of the node is block 0, the start block is 3.",
      })
      yield* Head.mine(node, 4)
      yield* indexer.until(caughtUp(4))
      expect((yield* store.headers(0, 99)).map(({ number }) => number)).toEqual([3, 4])
    }),
  )
})
