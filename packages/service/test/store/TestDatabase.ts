/**
 * The database that a contract test gets from an engine, and short ways to read it.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { BlockRows } from "../../src/store/BlockRows.ts"
import type { ChainReader, PageQuery } from "../../src/store/ChainReader.ts"
import type { Database } from "../../src/store/Database.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
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
  /** Opens a backup; left out where the engine makes none itself. */
  readonly restore?: (folder: string) => Effect.Effect<Database, StoreError, Scope.Scope>
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
export type Make = Effect.Effect<TestDatabase, StoreError, Scope.Scope>

/** An empty database, a way to open its chain as another process would, and one that is opened. */
export const opened = (make: Make) =>
  Effect.gen(function* () {
    const made = yield* make
    const open = Effect.flatMap(made.connect, (database) => TestStore.open(database, ref))
    let now = 0
    const setClock = (millis: number) => Effect.suspend(() => made.setClock((now = millis)))
    /** Moves the database's clock on. */
    const advance = (millis: number) => Effect.suspend(() => setClock(now + millis))
    return { ...made, setClock, advance, open, store: yield* open }
  })
