/** Compares the wallet pages of scenario chains with a scan of blocks and traces of the node. */
import { Effect } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import * as Campaign from "../campaign/Campaign.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import { caughtUp, chainOf, openStore, start } from "./chain.ts"
import * as oracle from "./oracle.ts"
import { expect } from "vitest"

const opened = Effect.fnUntraced(function* (database: string | undefined) {
  if (database === undefined) return yield* openStore
  return yield* TestStore.open(yield* TestServer.connect(yield* TestServer.blank(database)), ref)
})

Campaign.main({
  name: "seeds",
  about:
    "Compares the wallet pages of scenario chains, with every type of transaction, with a scan of the node's blocks and traces.",
  seeds: 5,
  options: { blocks: [80, "blocks per chain"], database: Campaign.database },
  plan: ({ blocks, database }, _, seeds) =>
    Effect.succeed({
      columns: ["chain", "blocks", "transactions", "wallets", "rows", "internal calls"],
      cases: Campaign.ofSeeds(
        seeds,
        Effect.fnUntraced(function* (seed, _report, size) {
          const node = yield* Anvil.make()
          const world = yield* Scenario.run(node, { seed, blocks: size })
          const store = yield* opened(database)
          const indexer = yield* start(store, [node.url])
          yield* indexer.until(caughtUp(world.lastBlock))
          yield* indexer.stop
          expect(yield* store.headers(0, world.lastBlock)).toEqual(yield* chainOf(node, world.lastBlock))
          const expected = yield* oracle.scan(node, world.lastBlock)
          const { rows, transactions, wallets } = yield* oracle.expectWallets(store, expected, world.addresses)
          const internal = expected.reduce((sum, one) => sum + one.internal.length, 0)
          return [world.lastBlock + 1, transactions, wallets, rows, internal]
        }),
        ["blocks", blocks],
      ),
    }),
})
