/**
 * The database that a contract test gets from an engine, and short ways to read it.
 */
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

/** One empty database of an engine. */
export interface TestDatabase {
  /** Connects to it, as another process would. */
  readonly connect: Effect.Effect<Database, StoreError, Scope.Scope>
  /** Every row of every table of the chain `ref`, except removed blocks, leases and statuses. */
  readonly dump: Effect.Effect<unknown>
  /** Sets the database's clock, in milliseconds. */
  readonly setClock: (millis: number) => Effect.Effect<void>
}

/** One of an engine that makes backups itself. */
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

/** Makes an empty database, which is removed when the scope ends. */
export type Make<Made extends TestDatabase = TestDatabase> = Effect.Effect<Made, StoreError, Scope.Scope>

/** Options of a law with a number of runs. */
export type Laws = (runs: number) => { readonly arbitrary: { readonly runs: number }; readonly timeout: number }

/** Makes a share of the runs of each law: for an engine whose databases take long to create. */
export const laws =
  (part: number): Laws =>
  (runs) => ({ arbitrary: { runs: Runs.usual(runs, part) }, timeout: 600_000 })

/** An empty database, a way to open its chain as another process would, and one that is opened. */
export const opened = <Made extends TestDatabase>(make: Make<Made>) =>
  Effect.gen(function* () {
    const made = yield* make
    const open = Effect.flatMap(made.connect, (database) => TestStore.open(database, ref))
    let now = 0
    const setClock = (millis: number) => Effect.suspend(() => made.setClock((now = millis)))
    /** Moves the database's clock on. */
    const advance = (millis: number) => Effect.suspend(() => setClock(now + millis))
    return { ...made, setClock, advance, open, store: yield* open }
  })

/** Appends generated blocks to an empty chain in some steps; returns the model of its contents. */
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
