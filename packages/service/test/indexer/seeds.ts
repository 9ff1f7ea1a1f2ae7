/** Compares the wallet pages of scenario chains with a scan of the node's blocks and traces. */
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

/** Indexes the scenario of a seed and compares everything. */
const compare = Effect.fnUntraced(function* (
  seed: number,
  database: string | undefined,
  print: Campaign.Report["print"],
) {
  const node = yield* Anvil.make()
  const world = yield* Scenario.run(node, { seed, blocks: 80 })
  const store = yield* opened(database)
  const indexer = yield* start(store, [node.url])
  yield* indexer.until(caughtUp(world.lastBlock))
  yield* indexer.stop
  expect(yield* store.headers(0, world.lastBlock)).toEqual(yield* chainOf(node, world.lastBlock))
  const expected = yield* oracle.scan(node, world.lastBlock)
  const { rows, transactions, wallets } = yield* oracle.expectWallets(store, expected, world.addresses)
  const internal = expected.reduce((sum, one) => sum + one.internal.length, 0)
  print(
    `seed ${seed}: ${world.lastBlock + 1} blocks, ${transactions} transactions, ${wallets} wallets with ${rows} rows, ${internal} internal calls: equal`,
  )
}, Effect.scoped)

Campaign.main({
  name: "seeds",
  about:
    "Compares the wallet pages of scenario chains, with every type of transaction, with a scan of the node's blocks and traces.",
  options: {
    seeds: Campaign.words("seed", "Seeds of the chains. Default: 1 to 5."),
    database: Campaign.database,
  },
  run: Effect.fnUntraced(function* ({ database, seeds }, { print }) {
    const chains = seeds.length === 0 ? [1, 2, 3, 4, 5] : seeds.map(Number)
    for (const seed of chains) yield* compare(seed, database, print)
    return `${chains.length} chains, all equal`
  }),
})
