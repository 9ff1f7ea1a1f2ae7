/**
 * The database that a contract test gets from an engine, and short ways to ask it.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { TestStore } from "./TestStore.ts"
import type { BlockRows } from "../../src/store/BlockRows.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { ChainReader, PageQuery } from "../../src/store/ChainReader.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { wallets } from "./model.ts"

/** One empty database of an engine. */
export interface TestDatabase {
  /** Opens a chain of it, as another process would. */
  readonly open: Effect.Effect<TestStore, StoreError, Scope.Scope>
  /** Every row of every table except removed blocks, leases and statuses. */
  readonly dump: Effect.Effect<unknown>
}

export const all: PageQuery = { key: wallets[0]!, from: 0, to: 1_000_000, order: "ASC", after: null, limit: 1000 }

export const bodiesOf = (blocks: ReadonlyArray<BlockRows>) =>
  blocks.flatMap((block) => block.transactions.map((transaction) => transaction.body))

export const pageBodies = (store: ChainReader, query = all) =>
  Effect.map(
    store.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, query)),
    (rows) => rows.map((row) => row.body),
  )

/** Makes an empty database, which is gone when the scope ends. */
export type Make = Effect.Effect<TestDatabase, StoreError, Scope.Scope>

/** An empty database and a writer of it. */
export const opened = (make: Make) =>
  Effect.gen(function* () {
    const made = yield* make
    return { ...made, store: yield* made.open }
  })
