/** Opening balances and proofs of an index that follows a real chain. */
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer, References } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import * as Node from "../../src/node/Node.ts"
import * as LedgerScope from "../../src/proof/LedgerScope.ts"
import * as OpeningReader from "../../src/proof/OpeningReader.ts"
import * as ProofKeeper from "../../src/proof/ProofKeeper.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import type * as WatchedProofs from "../../src/proof/WatchedProofs.ts"
import { isProved } from "../../src/store/Proofs.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import * as server from "../node/server.ts"
import type * as TestStore from "../store/TestStore.ts"
import { index, movementsOf, sourceOf } from "./indexed.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20, seed: 4 }).pipe(Layer.provideMerge(Anvil.layer()))

const callsPerMinute = 1_000_000

const keep = Effect.fnUntraced(function* (
  { database, ref }: TestStore.TestStore,
  url: string,
  options: Partial<ProofKeeper.Options> = {},
) {
  const node = yield* Node.make({ urls: [url], chainId: ref.id })
  return yield* Effect.forkScoped(
    ProofKeeper.run({
      chain: ref.name,
      node,
      store: database.chain(ref),
      watch: Effect.succeed(null),
      callsPerMinute,
      isIdle: () => true,
      ...options,
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )
})

/** Waits until a read gives a value. */
const until = <A, E>(read: Effect.Effect<A | null, E>): Effect.Effect<A, E> =>
  Effect.flatMap(read, (found) => (found === null ? Effect.delay(until(read), 20) : Effect.succeed(found)))

const whenExamined = (store: TestStore.TestStore, block: number) =>
  until(
    store.snapshot((snapshot) =>
      Effect.map(snapshot.unreadOpenings({ to: block, wallets: null, limit: 1 }), ({ holdings, next }) =>
        holdings.length === 0 && next > block ? true : null,
      ),
    ),
  )

const sumsOf = Effect.fnUntraced(function* (store: TestStore.TestStore, wallet: string, to: number) {
  const sums = new Map<string, bigint>()
  for (const { amount, asset } of yield* movementsOf(store, wallet, to)) {
    sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  }
  return sums
})

it.layer(scenario, { excludeTestServices: true })("ProofKeeper", (it) => {
  it.effect(
    "openings: are read for every wallet of an index that begins in the middle of a chain, so that sums equal balances",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
        const { store } = yield* index(node.url, lastBlock, { fromBlock: 12 })
        yield* store.finalize(lastBlock)
        const reported: Array<WatchedProofs.WatchedProofs> = []
        yield* keep(store, node.url, { onWallets: (wallets) => void reported.push(wallets) })
        yield* whenExamined(store, lastBlock)
        expect(reported).toEqual([])
        for (const wallet of Object.values(accounts)) {
          const sums = yield* sumsOf(store, wallet, lastBlock)
          if (sums.size === 0) continue
          const balance = yield* node.call<string>("eth_getBalance", [wallet, `0x${lastBlock.toString(16)}`])

          expect([wallet, sums.get("native")]).toEqual([wallet, BigInt(balance)])
          for (const token of [contracts.gold, contracts.silver].filter((one) => sums.has(one))) {
            const data = `0x70a08231${wallet.slice(2).padStart(64, "0")}`
            const held = yield* node.call<string>("eth_call", [{ to: token, data }, `0x${lastBlock.toString(16)}`])

            expect(sums.get(token)).toBe(BigInt(held))
          }
        }
      }),
  )

  it.effect("openings: are read again for a lower first block, and are the chain's allocation for block 0", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock, { fromBlock: 12 })
      yield* store.finalize(lastBlock)
      yield* keep(store, url)
      yield* whenExamined(store, lastBlock)
      const genesisOf = store.snapshot((snapshot) =>
        Effect.map(
          Effect.all([
            snapshot.checkpoint,
            snapshot.openingRange({ wallet: accounts.alice, order: "ASC", after: undefined, limit: 1 }),
          ]),
          ([checkpoint, { rows }]) => [checkpoint?.first, rows[0]?.movement.kind],
        ),
      )
      const before = yield* genesisOf
      const indexer = yield* start(store, [url], { fromBlock: 0 })
      yield* indexer.until((event) => event._tag === "Prepended" && event.first === 0)
      yield* indexer.stop
      const lowered = yield* store.snapshot((snapshot) => snapshot.openings(accounts.alice))
      yield* whenExamined(store, lastBlock)
      const {
        balances: [opening],
      } = yield* store.snapshot((snapshot) => snapshot.openings(accounts.alice))

      expect(before).toEqual([12, "genesis"])
      expect(lowered.balances).toEqual([])
      expect(yield* genesisOf).toEqual([0, "genesis"])
      expect(opening).toMatchObject({ holding: { asset: "native" }, amount: 10_000n * 10n ** 18n })
    }),
  )

  it.effect(
    "proofs: are made for watched wallets at each new final block, but not while the indexer has other work",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const [from = "", to = ""] = node.accounts
        yield* Head.mine(node, 3)
        const { store } = yield* index(node.url, 3, { fromBlock: 2 })
        let isIdle = false
        yield* store.finalize(3)
        let reported: WatchedProofs.WatchedProofs | undefined
        yield* keep(store, node.url, {
          watch: Effect.succeed(new Set([from])),
          isIdle: () => isIdle,
          onWallets: (wallets) => {
            reported = wallets
          },
        })
        const proofAt = (block: number) =>
          store.snapshot((snapshot) =>
            Effect.map(snapshot.proof(from), (proof) => (proof?.block.number === block ? proof : null)),
          )
        yield* Effect.sleep(50)
        const early = yield* proofAt(3)
        isIdle = true
        const first = yield* until(proofAt(3))
        yield* Head.transfer(node, { from, to, valueWei: 5n })
        yield* Head.mine(node)
        const indexer = yield* start(store, [node.url])
        yield* indexer.until(caughtUp(4))
        yield* indexer.stop
        yield* store.finalize(4)
        const second = yield* until(proofAt(4))

        expect(early).toBe(null)
        expect([isProved(first), first.provedBlock]).toEqual([true, 3])
        expect([isProved(second), second.provedBlock]).toEqual([true, 4])
        expect(yield* until(Effect.sync(() => (reported?.oldestProvedBlock === 4 ? reported : null)))).toEqual({
          proved: 1,
          different: 0,
          unchecked: 0,
          pending: 0,
          oldestProvedBlock: 4,
        })
        expect(second.holdings.map(({ holding }) => holding.asset)).toEqual(["native", "nonce"])
      }),
  )

  it.effect("openings: are the same after the reader was interrupted, and stored ones are not read again", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const forward = server.forward(url)
      let requests = 0
      const hanging = yield* server.start(
        {
          eth_getBalance: (params) =>
            ++requests > 20 ? new Promise<server.Reply>(() => undefined) : forward("eth_getBalance", params),
        },
        forward,
      )
      const openingsOf = ({ snapshot }: TestStore.TestStore) =>
        Effect.forEach(Object.values(accounts), (wallet) => snapshot((one) => one.openings(wallet)))
      const { store } = yield* index(url, lastBlock, { fromBlock: 12 })
      yield* store.finalize(lastBlock)
      const scope = yield* LedgerScope.read(store, "test")
      const { holdings } = yield* store.snapshot((one) =>
        one.unreadOpenings({ to: lastBlock, wallets: null, limit: 5 }),
      )
      const source = yield* sourceOf(store, url)
      const amounts = yield* OpeningReader.read(
        source,
        12,
        holdings.map((one) => ({ ...one, movedInFirst: 0n })),
      )
      yield* source.proofs.writeOpenings(
        scope.first,
        holdings.map(({ holding, wallet }, at) => ({ wallet, balances: [{ holding, amount: amounts[at]! }] })),
      )
      const keeper = yield* keep(store, hanging.url)
      yield* until(Effect.sync(() => (requests > 20 ? true : null)))
      yield* Fiber.interrupt(keeper)
      const counting = yield* server.start({}, forward)
      yield* keep(store, counting.url)
      yield* whenExamined(store, lastBlock)
      const read = new Set(
        counting.calls.flatMap(([method, params]) => (method === "eth_getBalance" ? [String(params[0])] : [])),
      )
      const stored = holdings.filter(({ holding }) => holding.asset === "native").map(({ wallet }) => wallet)
      const whole = yield* index(url, lastBlock, { fromBlock: 12 })
      yield* whole.store.finalize(lastBlock)
      yield* keep(whole.store, url)
      yield* whenExamined(whole.store, lastBlock)

      expect(stored.length).toBeGreaterThan(0)
      expect(stored.filter((wallet) => read.has(wallet))).toEqual([])
      expect(yield* openingsOf(store)).toEqual(yield* openingsOf(whole.store))
    }),
  )

  it.effect("openings: remain unknown with a node that lacks the state of the block before the first one", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock, { fromBlock: 12 })
      const forward = server.forward(url)
      const pruned =
        (method: string): server.Response =>
        (params) =>
          Number(params[1]) < 12
            ? { error: { code: -32000, message: "missing trie node 1a2b (path )" } }
            : forward(method, params)
      const methods = ["eth_getBalance", "eth_getTransactionCount", "eth_getCode", "eth_call"]
      const node = yield* server.start(Object.fromEntries(methods.map((name) => [name, pruned(name)])), forward)
      yield* store.finalize(lastBlock)
      yield* keep(store, node.url, { watch: Effect.succeed(new Set([accounts.alice])) })
      const proof = yield* until(store.snapshot((snapshot) => snapshot.proof(accounts.alice)))
      const calls = node.calls.length
      const projection = yield* store.snapshot((snapshot) => snapshot.projection(WalletLedger.id))

      expect(proof.unchecked.join(" ")).toContain("What the wallet held before block 12 is not known")
      expect(yield* store.snapshot((snapshot) => snapshot.openings(accounts.alice))).toMatchObject({ balances: [] })
      expect(projection?.next).toBe(lastBlock + 1)
      // Each compared value is requested once, and no opening again.
      expect(calls).toBeLessThan(60)
    }),
  )

  it.effect(
    "tokens: are read once each, short and harmless whatever a contract returns, within the limits of nodes",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { contracts, lastBlock } = yield* Scenario.Scenario
        const { gold, silver } = contracts
        const { store } = yield* index(url, lastBlock)
        yield* store.finalize(lastBlock)
        const forward = server.forward(url)
        const word = (digits: string) => digits.padStart(64, "0")
        const text = Buffer.from("Go\u202eld\n").toString("hex")
        const answers: Readonly<Record<string, string>> = {
          [`${gold} 0x06fdde03`]: `0x${word("20")}${word((text.length / 2).toString(16))}${text.padEnd(64, "0")}`,
          [`${gold} 0x95d89b41`]: `0x${Buffer.from("GLD").toString("hex").padEnd(64, "0")}`,
          [`${gold} 0x313ce567`]: `0x${word("12")}`,
          [`${silver} 0x06fdde03`]: `0x${"ff".repeat(4_000)}`,
          [`${silver} 0x313ce567`]: `0x${"f".repeat(64)}`,
        }
        const called: Array<string> = []
        const node = yield* server.start(
          {
            eth_call: (params) => {
              const { data, input, to } = params[0] as Readonly<Record<string, string | undefined>>
              const key = `${to} ${(data ?? input ?? "").slice(0, 10)}`
              called.push(key)
              return answers[key] === undefined ? forward("eth_call", params) : { result: answers[key] }
            },
          },
          forward,
        )
        const examined = store.snapshot((snapshot) =>
          Effect.map(snapshot.unreadTokens({ to: lastBlock, wallets: null, limit: 1 }), ({ from }) =>
            from > lastBlock ? true : null,
          ),
        )
        const keeper = yield* keep(store, node.url)
        yield* until(examined)
        yield* Fiber.interrupt(keeper)
        const found = yield* store.snapshot((snapshot) => snapshot.tokens([gold, silver]))
        const before = called.filter((key) => key.endsWith("0x06fdde03"))
        yield* Effect.scoped(
          Effect.flatMap(store.database.chain(store.ref).proofs, (writer) =>
            Effect.flatMap(LedgerScope.read(store, "test"), ({ first }) =>
              writer.writeTokens(first, new Map(), first.number),
            ),
          ),
        )
        yield* keep(store, node.url)
        yield* until(examined)

        expect(found.get(gold)).toEqual({ name: "Go[U+202E]ld", symbol: "GLD", decimals: 18, block: lastBlock })
        expect(found.get(silver)).toEqual({ name: null, symbol: "SILV", decimals: null, block: lastBlock })
        expect(before.length).toBeGreaterThan(2)
        expect(new Set(before).size).toBe(before.length)
        expect(called.filter((key) => key.endsWith("0x06fdde03"))).toEqual(before)
      }),
  )

  it.effect("tokens: are not recorded as nameless if the node lacks the state of the block, and delay no opening", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { contracts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock, { fromBlock: 12 })
      yield* store.finalize(lastBlock)
      const node = yield* server.start(
        { eth_getCode: () => ({ error: { code: -32000, message: "missing trie node 1a2b (path )" } }) },
        server.forward(url),
      )
      yield* keep(store, node.url)
      yield* whenExamined(store, lastBlock)
      const { from } = yield* store.snapshot((one) => one.unreadTokens({ to: lastBlock, wallets: null, limit: 1 }))

      expect(node.calls.some(([method]) => method === "eth_getCode")).toBe(true)
      expect(from).toBe(12)
      expect([...(yield* store.snapshot((one) => one.tokens([contracts.gold, contracts.silver])))]).toEqual([])
    }),
  )
})
