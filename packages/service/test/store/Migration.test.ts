/** Files that earlier versions wrote are opened, brought forward, and lose nothing. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Verify from "../../src/maintain/Verify.ts"
import * as SqliteAudit from "../../src/store/SqliteAudit.ts"
import * as Statements from "../../src/store/SqliteStatements.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { chainOn, refOf, wallets } from "./model.ts"
import { pageBodies } from "./TestDatabase.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const chainId = 31337

/** Writes a file as version 1 did: its tables, and a chain of three blocks with one transaction each. */
const writeVersion1 = (file: string) => {
  const blocks = chainOn(null, 3)
  const database = new DatabaseSync(file)
  database.exec("PRAGMA page_size=16384; PRAGMA journal_mode=WAL")
  database.exec(Statements.schema.steps[0]!)
  database.exec(`PRAGMA application_id=${Statements.schema.applicationId}; PRAGMA user_version=1`)
  const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex")
  const head = blocks.at(-1)!
  database
    .prepare("INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL)")
    .run(chainId, blocks[0]!.number, head.number, bytes(head.hash), head.timestamp, blocks[1]!.number)
  for (const { decoderRevision, hash, number, parentHash, timestamp, transactions } of blocks) {
    database
      .prepare("INSERT INTO block VALUES (?, ?, ?, ?, ?)")
      .run(chainId, number, bytes(hash), bytes(parentHash), timestamp)
    for (const { addresses, body, hash, index, internal } of transactions) {
      database
        .prepare('INSERT INTO "transaction" VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
        .run(chainId, number, index, decoderRevision, bytes(hash), Buffer.concat(addresses.map(bytes)), body, internal)
      for (const address of addresses) {
        database.prepare("INSERT INTO appearance VALUES (?, ?, ?, ?)").run(chainId, bytes(address), number, index)
      }
    }
  }
  database.close()
  return blocks
}

const versionOf = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  const { user_version } = database.prepare("PRAGMA user_version").get() as { readonly user_version: number }
  database.close()
  return user_version
}

describe("a file of version 1", () => {
  it.effect("is brought forward by a writer, keeps every row, and goes on", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain.sqlite")
      const blocks = writeVersion1(file)
      const store = yield* SqliteStore.make({ file, chainId, watch: null })
      const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
      const next = chainOn(blocks.at(-1)!, 2)
      yield* store.append(refOf(blocks.at(-1)!), next)

      expect(versionOf(file)).toBe(Statements.schema.steps.length)
      expect(checkpoint).toEqual({
        first: blocks[0]!.number,
        head: refOf(blocks.at(-1)!),
        headTimestamp: blocks.at(-1)!.timestamp,
        finalized: blocks[1]!.number,
      })
      expect(yield* pageBodies(store)).toEqual(
        [...blocks, ...next].flatMap(({ transactions }) => transactions.map(({ body }) => body)),
      )
      yield* store.unwind(refOf(next.at(-1)!), refOf(blocks[0]!))
      expect(yield* pageBodies(store)).toEqual(blocks[0]!.transactions.map(({ body }) => body))
    }),
  )

  it.effect("is not read before a writer has brought it forward, and says so", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain.sqlite")
      writeVersion1(file)
      const reader = yield* SqliteStore.make({ file, chainId, readOnly: true })
      const error = yield* Effect.flip(reader.snapshot((snapshot) => snapshot.checkpoint))

      expect(error).toMatchObject({ _tag: "StoreError", isRetryable: true })
      expect(error.message).toContain("has schema 1, older than 2")
      yield* Effect.scoped(SqliteStore.make({ file, chainId }))
      expect((yield* reader.snapshot((snapshot) => snapshot.checkpoint))?.first).toBe(10)
    }),
  )

  it.effect("keeps the transactions that it did not count out of the count", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain.sqlite")
      const blocks = writeVersion1(file)
      yield* Effect.scoped(SqliteStore.make({ file, chainId }))
      const audit = yield* SqliteAudit.make(file, chainId, false)
      const { blocks: stored } = yield* audit.part(0, 99)

      expect(stored.map(({ count }) => count)).toEqual([null, null, null])
      expect((yield* Verify.run(audit)).blocks).toBe(blocks.length)
      expect(wallets.length).toBeGreaterThan(0)
    }),
  )
})
