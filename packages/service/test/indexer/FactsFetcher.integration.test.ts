/** A database of a version without facts and ledgers is opened by this one: nothing is missing from it in the end. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as Blocks from "../../src/store/sqlite/Blocks.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import * as TestStore from "../store/TestStore.ts"
import { caughtUp, folder, start } from "./chain.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const chainId = 31337
const scenario = Scenario.layer({ blobs: false, blocks: 8 }).pipe(Layer.provideMerge(Anvil.layer()))

/** The rows of ledgers and facts in a file. */
const rowsOf = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return ["ledger", "ledger_block", "facts"].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    )
  } finally {
    database.close()
  }
}

/** Gives a file the tables of schema 6. */
const toSchema6 = (file: string) => {
  const connection = Connection.connectUnsafe({ file, readOnly: false })
  connection.scriptUnsafe("UPDATE block SET facts = NULL, checksum = NULL")
  Blocks.sealUnsafe(connection, chainId, 0, Number.MAX_SAFE_INTEGER)
  connection.close()
  const database = new DatabaseSync(file)
  database.exec(`DROP TABLE facts; DROP TABLE facts_count; ALTER TABLE block DROP COLUMN facts; DROP TABLE change;
    DROP TABLE copying; DROP TABLE ledger; DROP TABLE ledger_block; DROP TABLE opening; DROP TABLE opening_progress; DROP TABLE reconciled; DROP TABLE token; DROP TABLE token_progress;
    DROP TABLE proof; DELETE FROM projection WHERE kind = 'ledger';
    PRAGMA user_version = 6`)
  database.close()
}

layer(scenario, { excludeTestServices: true })("FactsFetcher", (it) => {
  it.effect(
    "during: fetches the facts of blocks of an earlier version, and their ledgers become those of a new index",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { lastBlock } = yield* Scenario.Scenario
        const path = yield* folder
        const file = join(path, "chain-test.sqlite")
        const indexed = Effect.scoped(
          Effect.gen(function* () {
            const store = yield* TestStore.inFolder(path)
            const indexer = yield* start(store, [url])
            yield* indexer.until(caughtUp(lastBlock))
            const missing = store.snapshot(({ blocksWithoutFacts }) => blocksWithoutFacts)
            while ((yield* missing) > 0) yield* Effect.sleep(20)
            yield* indexer.stop
          }),
        )
        yield* indexed
        const expected = rowsOf(file)
        toSchema6(file)

        const store = yield* TestStore.inFolder(path)
        const before = yield* store.snapshot(({ blocksWithoutFacts }) => blocksWithoutFacts)
        const ledger = WalletLedger.make(chainId)
        while (!(yield* store.fill(ledger, 10)).isDone) yield* Effect.yieldNow
        const marks = rowsOf(file)[0]!.map(({ body }) =>
          Role.isIncomplete(LedgerCodec.decodeBody("", body as Uint8Array).roles),
        )
        yield* indexed

        expect(before).toBe(lastBlock + 1)
        expect(new Set(marks)).toEqual(new Set([true]))
        expect(rowsOf(file)).toEqual(expected)
        expect(yield* Verify.run(store.database.chain(store.ref).audit)).toMatchObject({ issues: [], orphaned: [] })
      }),
  )
})
