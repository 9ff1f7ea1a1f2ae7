/** Indexed wallets of a real chain compared with the state of its node. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import { isProved, type WalletProof } from "../../src/store/Proofs.ts"
import { damage } from "../maintenance/damage.ts"
import * as server from "../node/server.ts"
import { index, movementsOf, reconcile, sourceOf } from "./indexed.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 25, seed: 4 }).pipe(Layer.provideMerge(Anvil.layer()))

const differencesOf = ({ holdings }: WalletProof) =>
  holdings
    .filter(({ expected, found }) => expected !== (found ?? 0n))
    .map(({ firstBlock, holding }) => [holding.asset, firstBlock])

layer(scenario, { excludeTestServices: true })("Reconciliation", (it) => {
  it.effect("run: proves every account of an index from the first block on, and from the middle of the chain", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
      for (const fromBlock of [0, 12]) {
        const { store } = yield* index(url, lastBlock, { fromBlock })
        const source = yield* sourceOf(store, url)
        for (const wallet of [...Object.values(accounts), contracts.multisend, contracts.smartAccount]) {
          const proof = yield* reconcile(source, wallet, lastBlock)

          expect([wallet, differencesOf(proof), proof.unchecked]).toEqual([wallet, [], []])
          expect(proof.provedBlock).toBe(lastBlock)
          expect(yield* store.snapshot((snapshot) => snapshot.proof(wallet))).toEqual(proof)
        }
        const found = yield* movementsOf(store, accounts.alice, lastBlock)
        const native = found.filter(({ asset }) => asset === "native")
        const node = yield* Anvil.Anvil
        const balance = yield* node.call<string>("eth_getBalance", [accounts.alice, `0x${lastBlock.toString(16)}`])

        expect(native[0]).toMatchObject({ kind: "genesis" })
        expect(native.reduce((total, { amount }) => total + amount, 0n)).toBe(BigInt(balance))
      }
    }),
  )

  it.effect("run: names the asset and block of a ledger row that was removed from the file", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { file, store } = yield* index(url, lastBlock, { fromBlock: 10 })
      const source = yield* sourceOf(store, url)
      const before = yield* reconcile(source, accounts.alice, lastBlock)
      const { rows } = yield* store.snapshot((snapshot) =>
        snapshot.ledger({ wallet: accounts.alice, from: 14, to: 14, order: "ASC", after: null, limit: 100 }),
      )
      damage(file, `DELETE FROM ledger WHERE hex(wallet) = upper('${accounts.alice.slice(2)}') AND id / 1048576 = 14`)
      const after = yield* reconcile(source, accounts.alice, lastBlock)
      const changed = new Set(rows.flatMap(({ movements }) => movements.map(({ asset }) => asset)))

      expect(isProved(before)).toBe(true)
      expect(changed.has("native")).toBe(true)
      expect(differencesOf(after)).toContainEqual(["native", 14])
      expect(new Set(differencesOf(after).map(([, block]) => block))).toEqual(new Set([14]))
      expect(after.provedBlock).toBe(null)
    }),
  )

  it.effect(
    "run: names a token that changes balances without events, with the first block, and keeps what was proved",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, contracts, lastBlock } = yield* Scenario.Scenario
        const { store } = yield* index(url, lastBlock, { fromBlock: 10 })
        const forward = server.forward(url)
        const node = yield* server.start(
          {
            eth_call: async (params) => {
              const [{ to }, block] = params as [{ readonly to: string }, string]
              const reply = await forward("eth_call", params)
              const isRebased = to === contracts.gold && Number(block) >= 18
              if (!isRebased || typeof reply !== "object" || !("result" in reply)) return reply
              return { result: `0x${(BigInt(String(reply.result)) * 2n).toString(16).padStart(64, "0")}` }
            },
          },
          forward,
        )
        const source = yield* sourceOf(store, node.url)
        const proved = yield* reconcile(source, accounts.alice, 16)
        const continued = yield* reconcile(source, accounts.alice, lastBlock - 1, { isContinued: true })
        const again = yield* reconcile(source, accounts.alice, lastBlock, { isContinued: true })
        const whole = yield* reconcile(source, accounts.alice, lastBlock)

        expect([isProved(proved), differencesOf(proved)]).toEqual([true, []])
        for (const proof of [continued, again, whole]) {
          expect(differencesOf(proof)).toEqual([[contracts.gold, 18]])
          expect([isProved(proof), proof.provedBlock]).toEqual([false, 16])
        }
        expect(again).toEqual(whole)
      }),
  )

  it.effect("run: names what a node without old state leaves unchecked, and proves nothing with it", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock, { fromBlock: 12 })
      const forward = server.forward(url)
      const pruned =
        (method: string, end: () => number): server.Response =>
        (params) =>
          Number(params[1]) < end()
            ? { error: { code: -32000, message: "missing trie node 1a2b (path )" } }
            : forward(method, params)
      let end = 15
      const methods = ["eth_getBalance", "eth_getTransactionCount", "eth_getCode", "eth_call"]
      const answers = Object.fromEntries(methods.map((name) => [name, pruned(name, () => end)]))
      const node = yield* server.start(answers, forward)
      const source = yield* sourceOf(store, node.url)
      const withoutOpening = yield* reconcile(source, accounts.bob, lastBlock)
      const whole = yield* reconcile(yield* sourceOf(store, url), accounts.bob, lastBlock)
      const remembered = yield* reconcile(source, accounts.bob, lastBlock)
      end = lastBlock + 1
      const withoutClosing = yield* reconcile(source, accounts.bob, lastBlock)

      expect(withoutOpening).toMatchObject({ provedBlock: null, holdings: [] })
      expect(withoutOpening.unchecked).toEqual([
        `What the wallet held before block 12 is not known: ${node.host} has no state of block 11 ("missing trie node 1a2b (path )"). Use an archive node.`,
      ])
      expect(withoutClosing.unchecked.join(" ")).toContain(
        `Nothing was compared: ${node.host} has no state of block 25`,
      )
      expect(isProved(whole)).toBe(true)
      expect(remembered.unchecked.join(" ")).toContain("How many transactions the wallet sent before block 12")
      expect(remembered.holdings.length).toBe(whole.holdings.length - 1)
    }),
  )

  it.effect("run: accepts no balance above 256 bits, no other block, and no block that is not indexed", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const { store } = yield* index(url, lastBlock)
      const forward = server.forward(url)
      let [balance, hash] = [`0x1${"0".repeat(64)}`, ""]
      const node = yield* server.start(
        {
          eth_getBalance: (params) =>
            Number(params[1]) === 0 ? forward("eth_getBalance", params) : { result: balance },
          eth_getBlockByNumber: async (params) => {
            const reply = await forward("eth_getBlockByNumber", params)
            if (hash === "" || typeof reply !== "object" || !("result" in reply)) return reply
            return { result: { ...(reply.result as object), hash } }
          },
        },
        forward,
      )
      const source = yield* sourceOf(store, node.url)
      const large = yield* Effect.flip(reconcile(source, accounts.carol, lastBlock))
      balance = "0x-1"
      const malformed = yield* Effect.flip(reconcile(source, accounts.carol, lastBlock))
      hash = `0x${"ab".repeat(32)}`
      const replaced = yield* Effect.flip(reconcile(source, accounts.carol, lastBlock))
      const later = yield* Effect.flip(reconcile(source, accounts.carol, lastBlock + 1))

      expect(large.message).toContain("expected a hex quantity of at most 256 bits")
      expect(malformed).toMatchObject({ _tag: "NodeFailed" })
      expect(replaced).toMatchObject({ _tag: "ChainReorganized", block: lastBlock })
      expect(later.message).toBe(
        `Block not indexed: ${lastBlock + 1}; the ledger of test has the blocks 0 to ${lastBlock}. Give one of these with --at, or wait.`,
      )
    }),
  )
})
