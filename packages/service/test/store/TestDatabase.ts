/**
 * The database that a contract test gets from an engine, and short ways to ask it.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { BlockRows, PageQuery, StoreError, StoreShape } from "../../src/store/Store.ts"
import { wallets } from "./model.ts"

/** One empty database of an engine. */
export interface TestDatabase {
  /** Another connection to it, as another process would have. */
  readonly open: (mode: "read" | "write") => Effect.Effect<StoreShape, StoreError, Scope.Scope>
  /** Every row of every table except what is remembered of removed blocks. */
  readonly dump: Effect.Effect<unknown>
}

export const all: PageQuery = { address: wallets[0]!, from: 0, to: 1_000_000, order: "ASC", after: null, limit: 1000 }

export const bodiesOf = (blocks: ReadonlyArray<BlockRows>) =>
  blocks.flatMap((block) => block.transactions.map((transaction) => transaction.body))

export const pageBodies = (store: StoreShape, query = all) =>
  Effect.map(
    store.snapshot((snapshot) => snapshot.page(query)),
    (rows) => rows.map((row) => row.body),
  )

/** Makes an empty database, which is gone when the scope ends. */
export type Make = Effect.Effect<TestDatabase, StoreError, Scope.Scope>

/** An empty database and a writer of it. */
export const opened = (make: Make) =>
  Effect.gen(function* () {
    const made = yield* make
    return { ...made, store: yield* made.open("write") }
  })
