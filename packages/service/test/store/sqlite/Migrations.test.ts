/** Files that earlier versions wrote are opened, brought forward, and lose nothing. */
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Verify from "../../../src/maintenance/Verify.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as Statements from "../../../src/store/sqlite/Statements.ts"
import * as TestStore from "../TestStore.ts"
import { blockOn, chainOn, refOf, wallets } from "../model.ts"
import { pageBodies } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const chainId = 31337
const ref = { name: "test", id: chainId }
const databaseOf = (file: string) => Engine.fromUrl(`sqlite:${dirname(file)}`, "/")

/** Three blocks, the second with more than one transaction. */
const threeBlocks = () => {
  const first = blockOn(null)
  const second = blockOn(first, { transactions: [[wallets[1]!], [wallets[0]!, wallets[1]!], [wallets[0]!]] })
  return [first, second, blockOn(second)]
}

/** Writes a file as version 1 did, or as 2: its tables, and a chain of three blocks. */
const write = (file: string, version: 1 | 2 = 1) => {
  const blocks = threeBlocks()
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
  if (version === 2) {
    database.exec(Statements.schema.steps[1]!)
    database.exec("PRAGMA user_version=2")
    const counted = database.prepare("UPDATE block SET transactions = ? WHERE number = ?")
    for (const { number, transactions } of blocks) counted.run(transactions.length, number)
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
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = write(file)
      const store = yield* TestStore.inFolder(dirname(file), ref, { watch: null })
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
        [...blocks, ...next].flatMap(({ transactions }) =>
          transactions.filter(({ addresses }) => addresses.includes(wallets[0]!)).map(({ body }) => body),
        ),
      )
      yield* store.unwind(refOf(next.at(-1)!), refOf(blocks[0]!))
      expect(yield* pageBodies(store)).toEqual(blocks[0]!.transactions.map(({ body }) => body))
    }),
  )

  it.effect("is not read before a writer has brought it forward, and says so", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      write(file)
      const reader = (yield* databaseOf(file)).chain(ref).reader
      const error = yield* Effect.flip(reader.snapshot((snapshot) => snapshot.checkpoint))

      expect(error).toMatchObject({ _tag: "StoreError", isRetryable: true })
      expect(error.message).toContain("has schema 1, older than 4")
      yield* Effect.scoped(TestStore.inFolder(dirname(file), ref))
      expect((yield* reader.snapshot((snapshot) => snapshot.checkpoint))?.first).toBe(10)
    }),
  )

  it.effect("keeps the transactions that it did not count out of the count", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = write(file)
      yield* Effect.scoped(TestStore.inFolder(dirname(file), ref))
      const { audit } = (yield* databaseOf(file)).chain(ref)
      const { blocks: stored } = yield* audit.range(0, 99)

      expect(stored.map(({ count }) => count)).toEqual([null, null, null])
      expect((yield* Verify.run(audit)).blocks).toBe(blocks.length)
    }),
  )
})

describe("a file of version 2", () => {
  it.effect("keeps every row under its new key, in the order of the chain, and goes on", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = write(file, 2)
      const store = yield* TestStore.inFolder(dirname(file), ref)
      const next = chainOn(blocks.at(-1)!, 2)
      yield* store.append(refOf(blocks.at(-1)!), next)

      const { audit } = (yield* databaseOf(file)).chain(ref)
      const { blocks: stored } = yield* audit.range(0, Number.MAX_SAFE_INTEGER)
      const told = stored.map(({ number, count, transactions }) => ({
        number,
        count,
        transactions: transactions.map(({ index, hash, body, internal, addresses, missingAppearances }) => ({
          row: { index, hash, body, internal, addresses },
          missingAppearances,
        })),
      }))
      expect(told).toEqual(
        [...blocks, ...next].map(({ number, transactions }) => ({
          number,
          count: transactions.length,
          transactions: transactions.map((row) => ({ row, missingAppearances: [] })),
        })),
      )
      expect((yield* audit.orphanedAppearances(null, 99)).orphaned).toEqual([])
      const checkpoint = yield* store.snapshot((snapshot) => snapshot.projection("decoded_documents"))
      expect(checkpoint).toEqual({ revision: 1, next: blocks.at(-1)!.number + 1 })
    }),
  )
})
