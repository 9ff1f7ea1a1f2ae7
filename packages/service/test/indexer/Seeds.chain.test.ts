import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as HashRules from "../../src/verification/HashRules.ts"
import { caughtUp, openStore, start } from "./chain.ts"
import * as oracle from "./oracle.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

describe("wallet histories", () => {
  it.live.each([2, 3])(
    "run: stores the wallet histories that a scan of the node returns, on the chain of seed %i",
    (seed) =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const world = yield* Scenario.run(node, { seed, blobs: false, blocks: 25 })
        const store = yield* openStore
        const indexer = yield* start(store, [node.url], { checks: "full", rules: HashRules.ethereum })
        yield* indexer.until(caughtUp(world.lastBlock))
        yield* indexer.stop
        const expected = yield* oracle.scan(node, world.lastBlock)
        const compared = yield* oracle.expectWallets(store, expected, world.addresses)

        expect(compared.transactions).toBe(world.all.length)
        expect(compared.wallets).toBeGreaterThan(20)
      }),
  )
})
