/** The database that an engine provides to a contract test, and functions to open and read it. */
import * as Runs from "@daybook/harness/Runs"
import { Effect } from "effect"
import type { Scope } from "effect"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import type { ChainReader, PageQuery } from "../../src/store/ChainReader.ts"
import type { Database } from "../../src/store/Database.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import * as Model from "./model.ts"
import { wallets } from "./model.ts"
import * as TestStore from "./TestStore.ts"

/** An empty database of an engine. */
export interface TestDatabase {
  /** Opens it as another process would. */
  readonly connect: Effect.Effect<Database, StoreError, Scope.Scope>
  /** All rows of all tables of the chain `ref`, except removed blocks, leases and statuses. */
  readonly dump: Effect.Effect<unknown>
  /** Sets the database's clock, in milliseconds. */
  readonly setClock: (millis: number) => Effect.Effect<void>
}

/** A database of an engine that supports backups. */
export interface Copied extends TestDatabase {
  /** Opens a backup. */
  readonly restore: (folder: string) => Effect.Effect<Database, StoreError, Scope.Scope>
}

/** The chain that tests write. */
export const ref = { name: "test", id: 31337 }

export const all: PageQuery = { key: wallets[0]!, from: 0, to: 1_000_000, order: "ASC", after: null, limit: 1000 }

export const bodiesOf = (blocks: ReadonlyArray<BlockRows>) =>
  blocks.flatMap((block) => block.transactions.map((transaction) => transaction.body))

export const pageBodies = (reader: ChainReader, query = all) =>
  Effect.map(
    reader.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, query)),
    ({ rows }) => rows.map((row) => row.body),
  )

/** Creates an empty database, which is removed when the scope ends. */
export type Make<Made extends TestDatabase = TestDatabase> = Effect.Effect<Made, StoreError, Scope.Scope>

/** Options of a law by its number of runs. */
export type Laws = (runs: number) => { readonly arbitrary: { readonly runs: number }; readonly timeout: number }

/** Runs a part of each law, for an engine whose databases take long to create. */
export const laws =
  (part: number): Laws =>
  (runs) => ({ arbitrary: { runs: Runs.usual(runs, part) }, timeout: 600_000 })

/** An empty database, a function that opens its chain as another process would, and a store that is already open. */
export const opened = <Made extends TestDatabase>(make: Make<Made>) =>
  Effect.gen(function* () {
    const created = yield* make
    const open = Effect.flatMap(created.connect, (database) => TestStore.open(database, ref))
    let now = 0
    const setClock = (millis: number) => Effect.suspend(() => created.setClock((now = millis)))
    /** Advances the database's clock. */
    const advance = (millis: number) => Effect.suspend(() => setClock(now + millis))
    return { ...created, setClock, advance, open, store: yield* open }
  })

/** Appends generated blocks to an empty chain in several steps; returns the model of its contents. */
export const grown = Effect.fnUntraced(function* (
  store: Pick<TestStore.TestStore, "append">,
  steps: number,
  numbers: Model.Seeded,
) {
  const model = Model.empty()
  for (let step = 0; step < steps; step++) {
    const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
    yield* store.append(Model.headOf(model), blocks)
    Model.append(model, blocks)
  }
  return model
})
