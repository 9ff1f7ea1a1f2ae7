/**
 * Holds the wallet pages of scenario chains with many seeds against a scan of the node's blocks and traces.
 * `node test/indexer/seeds.ts [--database URL] [seed ...]`, by default 1 to 5, with every type of transaction; prints what was compared.
 * Blocks are stored by SQLite, or in databases that are made on the PostgreSQL server of the URL.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { Anvil, Scenario } from "@daybook/chain"
import * as TestServer from "../store/postgres/TestServer.ts"
import { ref } from "../store/TestDatabase.ts"
import * as TestStore from "../store/TestStore.ts"
import { caughtUp, chainOf, openStore, start } from "./chain.ts"
import * as oracle from "./oracle.ts"
import { expect } from "vitest"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { database: { type: "string" } } })
const given = positionals.map(Number)
const seeds = given.length === 0 ? [1, 2, 3, 4, 5] : given
const print = (line: string) => void process.stdout.write(`${line}\n`)

const opened = Effect.gen(function* () {
  if (values.database === undefined) return yield* openStore
  return yield* TestStore.open(yield* TestServer.connect(yield* TestServer.blank(values.database)), ref)
})

/** Indexes the scenario of a seed and compares everything. */
const compare = Effect.fnUntraced(function* (seed: number) {
  const node = yield* Anvil.make()
  const world = yield* Scenario.run(node, { seed, blocks: 80 })
  const store = yield* opened
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

await Effect.runPromise(Effect.forEach(seeds, compare, { discard: true }))
process.exit()
