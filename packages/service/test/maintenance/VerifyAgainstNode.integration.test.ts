/** A store of a real chain compared with its node: no difference, until a row is replaced by another consistent one. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Node from "../../src/node/Node.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as Repair from "../../src/maintenance/Repair.ts"
import * as VerifyAgainstNode from "../../src/maintenance/VerifyAgainstNode.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import { caughtUp, decoder, openStore, start } from "../indexer/chain.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 25 }).pipe(Layer.provideMerge(Anvil.layer()))

layer(scenario, { excludeTestServices: true })("VerifyAgainstNode", (it) => {
  it.effect("run: compares all blocks or a sample, and names what differs", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const store = yield* openStore
      const indexer = yield* start(store, [url])
      yield* indexer.until(caughtUp(lastBlock))
      yield* indexer.stop
      const { audit } = store.database.chain(store.ref)
      const node = yield* Node.make({ urls: [url], chainId: store.ref.id })
      const options = { assembling: { decoder } }
      const whole = yield* VerifyAgainstNode.run(audit, node, options)
      const sample = yield* VerifyAgainstNode.run(audit, node, { ...options, sample: 5 })

      expect(whole).toMatchObject({ blocks: lastBlock + 1, ofBlocks: lastBlock + 1, issues: [], failed: [] })
      expect(sample).toMatchObject({ blocks: 5, ofBlocks: lastBlock + 1, issues: [], failed: [] })

      // A row that is consistent in itself, but wrong.
      const { blocks } = yield* audit.range(12, 12)
      const [block] = blocks
      const change = (body: string) => body.replace(/"value":"\d+"/, '"value":"123456789"')
      const { facts: _, ...rest } = block!
      const [first, ...others] = rest.transactions
      const changed: BlockRows = {
        ...rest,
        decoderRevision: decoder.revision,
        transactions: [{ ...first!, body: change(first!.body) }, ...others.slice(0, -1)],
      }
      yield* Effect.scoped(Effect.flatMap(audit.repairer, ({ replace }) => replace(changed)))
      const found = yield* VerifyAgainstNode.run(audit, node, { ...options, from: 10 })

      expect(found.blocks).toBe(lastBlock - 9)
      expect(found.issues.map(({ block: number }) => number)).toEqual([12, 12])
      expect(found.issues[0]?.what).toMatch(
        /^transaction 0 \(0x\w+\): value: the node has "\d+", the stored row "123456789"$/,
      )
      expect(found.issues[1]?.what).toContain("it is not stored")
    }),
  )

  it.effect("run: ignores rows of wallets that are no longer watched, and a repair keeps them", () =>
    Effect.gen(function* () {
      const { accounts, chainId, url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const store = yield* openStore
      const [kept = "", removed = ""] = accounts.map((account) => account.toLowerCase())
      const indexer = yield* start(store, [url], { watch: new Set([kept, removed]) })
      yield* indexer.until(caughtUp(lastBlock))
      yield* indexer.stop
      const fewer = yield* start(store, [url], { watch: new Set([kept]) })
      yield* fewer.until(caughtUp(lastBlock))
      yield* fewer.stop
      const { audit } = store.database.chain(store.ref)
      const node = yield* Node.make({ urls: [url], chainId })
      const bare = yield* Node.make({ urls: [url], chainId, traces: "off" })
      const assembling = { decoder, watch: new Set([kept]), ledger: LedgerRules.fromChainId(chainId) }
      const { blocks } = yield* audit.range(0, lastBlock)
      const rows = blocks.flatMap(({ transactions }) => transactions)
      // Rows without an address belong to a wallet only by calls and logs.
      const own = rows.filter(({ addresses }) => addresses.length === 0 || addresses.includes(kept))

      const compared = yield* VerifyAgainstNode.run(audit, node, { assembling })
      const untraced = yield* VerifyAgainstNode.run(audit, bare, { assembling })
      const issues = blocks.map(({ number }) => ({ block: number, what: "test" }))
      yield* Repair.run(audit, bare, { blocks: 0, transactions: 0, issues, orphaned: [], removable: [] }, assembling)
      const after = (yield* audit.range(0, lastBlock)).blocks

      expect(rows.length).toBeGreaterThan(own.length)
      expect(compared).toMatchObject({
        issues: [],
        failed: [],
        untraced: [],
        transactions: own.length,
        unwatched: rows.length - own.length,
      })
      expect(untraced).toMatchObject({ issues: [], untraced: [{ reason: "traces are off" }] })
      expect(after).toEqual(blocks)
    }),
  )

  it.effect("repair: leaves a block of an index of some wallets unchanged if no node can trace it any more", () =>
    Effect.gen(function* () {
      const { accounts, chainId, url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const store = yield* openStore
      const watch = new Set([accounts[0]!.toLowerCase()])
      const indexer = yield* start(store, [url], { watch })
      yield* indexer.until(caughtUp(lastBlock))
      yield* indexer.stop
      const { audit } = store.database.chain(store.ref)
      const pruned = {
        ...(yield* Node.make({ urls: [url], chainId })),
        traces: () => Effect.succeed({ _tag: "Untraced", reason: "missing trie node" } as const),
        transactionTrace: () => Effect.succeed(null),
      }
      const assembling = { decoder, watch, ledger: LedgerRules.fromChainId(chainId) }
      const { blocks } = yield* audit.range(1, lastBlock)
      const issues = blocks.map(({ number }) => ({ block: number, what: "test" }))
      const verified = { blocks: 0, transactions: 0, issues, orphaned: [], removable: [] }
      const { failed } = yield* Repair.run(audit, pruned, verified, assembling)
      const after = (yield* audit.range(1, lastBlock)).blocks

      expect(failed.length).toBeGreaterThan(0)
      for (const { why } of failed) expect(why).toMatch(/^No node can trace transaction 0x[0-9a-f]{64} now\.$/)
      expect(after).toEqual(blocks)
    }),
  )
})
