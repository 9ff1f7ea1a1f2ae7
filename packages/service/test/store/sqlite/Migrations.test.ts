/** Files of earlier versions are migrated without loss. */
import { chmodSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, vi } from "vitest"
import * as Verify from "../../../src/maintenance/Verify.ts"
import * as Status from "../../../src/server/monitoring/Status.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as ChainSchema from "../../../src/store/sqlite/ChainSchema.ts"
import * as TestStore from "../TestStore.ts"
import { blockOn, chainOn, refOf, wallets } from "../model.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import { upperCase } from "../projections.ts"
import { all, pageBodies } from "../TestDatabase.ts"
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

/** Writes a file as a version did: its tables, and a chain of three blocks. */
const write = (file: string, version: 1 | 2 | 3 = 1) => {
  const blocks = threeBlocks()
  const database = new DatabaseSync(file)
  database.exec("PRAGMA page_size=16384; PRAGMA journal_mode=WAL")
  database.exec(ChainSchema.schema.steps[0]!)
  database.exec(`PRAGMA application_id=${ChainSchema.schema.applicationId}; PRAGMA user_version=1`)
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
  if (version >= 2) {
    database.exec(ChainSchema.schema.steps[1]!)
    database.exec("PRAGMA user_version=2")
    const counted = database.prepare("UPDATE block SET transactions = ? WHERE number = ?")
    for (const { number, transactions } of blocks) counted.run(transactions.length, number)
  }
  if (version === 3) database.exec(`${ChainSchema.schema.steps[2]!}; PRAGMA user_version=3`)
  database.close()
  return blocks
}

const versions = [1, 2, 3] as const

/** Replaces the status in a file, as an older version wrote it. */
const writeStatus = (file: string, status: string) => {
  const database = new DatabaseSync(file)
  database.prepare("UPDATE checkpoint SET status = ?").run(status)
  database.close()
}

const versionOf = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  const { user_version } = database.prepare("PRAGMA user_version").get() as { readonly user_version: number }
  database.close()
  return user_version
}

describe("a file of version 1", () => {
  it.effect("a writer migrates it, keeps every row, and can append and unwind", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = write(file)
      const store = yield* TestStore.inFolder(dirname(file), ref, { watch: null })
      const checkpoint = yield* store.snapshot((snapshot) => snapshot.checkpoint)
      const next = chainOn(blocks.at(-1)!, 2)
      yield* store.append(refOf(blocks.at(-1)!), next)

      expect(versionOf(file)).toBe(ChainSchema.schema.steps.length)
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

  it.effect("migrate: is left to its writer, since it takes time", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      write(file, 2)
      yield* (yield* databaseOf(file)).migrate([ref, { name: "none", id: 1 }])

      expect(versionOf(file)).toBe(2)
    }),
  )

  it.effect("migrate: brings a file of version 3 to the present one, so that readers accept it", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      write(file, 3)
      const database = yield* databaseOf(file)
      yield* database.migrate([ref])

      expect(versionOf(file)).toBe(ChainSchema.schema.steps.length)
      expect((yield* database.chain(ref).reader.snapshot((snapshot) => snapshot.checkpoint))?.first).toBe(10)
    }),
  )

  it.effect("a reader refuses it with a retryable error until a writer has migrated it", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      write(file)
      const reader = (yield* databaseOf(file)).chain(ref).reader
      const error = yield* Effect.flip(reader.snapshot((snapshot) => snapshot.checkpoint))

      expect(error).toMatchObject({ _tag: "StoreError", isRetryable: true })
      expect(error.message).toContain("has schema 1, this version needs 13. The indexer migrates it when it starts.")
      yield* Effect.scoped(TestStore.inFolder(dirname(file), ref))
      expect((yield* reader.snapshot((snapshot) => snapshot.checkpoint))?.first).toBe(10)
    }),
  )

  it.effect("a migration is logged before and after, and the file belongs to its owner alone afterwards", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      write(file)
      chmodSync(file, 0o644)
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))

      const open = Effect.scoped(TestStore.inFolder(dirname(file), ref)).pipe(Effect.provide(Logger.layer([logger])))
      yield* open
      const first = lines.splice(0)
      yield* open

      expect(first).toEqual(["Migrating chain-test.sqlite from schema 1 to 13", "Migrated in 0.0 s"])
      expect(lines).toEqual([])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }),
  )

  it.effect("a status reports a migration that runs or is about to begin as waiting", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      write(file)
      const database = yield* databaseOf(file)
      const chain = { ...ref, reader: database.chain(ref).reader, writeIssue: database.status.writeIssue(ref) }
      const pending = yield* Status.read(chain)
      const starting = yield* Status.read(chain, { isIndexing: true })
      const writer = new DatabaseSync(file)
      writer.exec("BEGIN IMMEDIATE")
      const running = yield* Status.read(chain)
      writer.close()

      expect([pending.state, starting.state]).toEqual(["not_started", "waiting"])
      expect([running.state, running.message]).toEqual([
        "waiting",
        "The database is being migrated: chain-test.sqlite from schema 1 to 13. Its chain is served again afterwards.",
      ])
    }),
  )

  it.effect("blocks without a stored count are verified without it", () =>
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
  it.effect("every row keeps its contents under its row id, in the order of the chain", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = write(file, 2)
      const store = yield* TestStore.inFolder(dirname(file), ref)
      const next = chainOn(blocks.at(-1)!, 2)
      yield* store.append(refOf(blocks.at(-1)!), next)

      const { audit } = (yield* databaseOf(file)).chain(ref)
      const { blocks: stored } = yield* audit.range(0, Number.MAX_SAFE_INTEGER)
      const audited = stored.map(({ number, count, transactions }) => ({
        number,
        count,
        transactions: transactions.map(({ index, hash, body, internal, addresses, missingAppearances }) => ({
          row: { index, hash, body, internal, addresses },
          missingAppearances,
        })),
      }))
      expect(audited).toEqual(
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

vi.setConfig({ testTimeout: 30_000 })

describe("a file of any older version", () => {
  for (const version of versions) {
    it.effect(`version ${version}: keeps every row and the checkpoints of its projections, and goes on`, () =>
      Effect.gen(function* () {
        const file = join(yield* temporaryFolder, "chain-test.sqlite")
        const blocks = write(file, version)
        const store = yield* TestStore.inFolder(dirname(file), ref)
        const next = chainOn(blocks.at(-1)!, 2)
        const projections = store.snapshot((snapshot) =>
          Effect.all([snapshot.projection("wallet_transactions"), snapshot.projection("decoded_documents")]),
        )

        expect(yield* projections).toEqual([
          { revision: 1, next: next[0]!.number },
          { revision: 1, next: next[0]!.number },
        ])
        yield* store.append(refOf(blocks.at(-1)!), next)
        expect(yield* pageBodies(store)).toEqual(
          [...blocks, ...next].flatMap(({ transactions }) =>
            transactions.filter(({ addresses }) => addresses.includes(wallets[0]!)).map(({ body }) => body),
          ),
        )
        const { issues, orphaned } = yield* Verify.run(store.database.chain(ref).audit)
        // The documents of this test are not wallet transactions.
        expect(issues.filter(({ what }) => !what.includes("document"))).toEqual([])
        expect(orphaned).toEqual([])
      }),
    )

    it.effect(`version ${version}: a status gets the current state words and its age, and keeps its other fields`, () =>
      Effect.gen(function* () {
        const words = [
          ["waiting", "waiting"],
          ["backfill", "backfill"],
          ["following", "synced"],
          ["synced", "synced"],
          ["refused", "misconfigured"],
          ["misconfigured", "misconfigured"],
          ["stopped", "stopped"],
        ] as const
        yield* TestClock.setTime(10_000)
        for (const [before, after] of words) {
          const file = join(yield* temporaryFolder, "chain-test.sqlite")
          write(file, version)
          const rest = { traces: "trace_block", nodeHead: 12, message: "As it was.", unchecked: "receipts" }
          writeStatus(file, JSON.stringify({ state: before, ...rest, updatedAtMillis: 4_000 }))

          const store = yield* TestStore.inFolder(dirname(file), ref)

          expect(yield* store.readStatus).toEqual({ state: after, ...rest, ageMillis: 6_000 })
        }
      }),
    )
  }

  it.effect("version 6: blocks have no facts, are otherwise unchanged, and those appended later have them", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = chainOn(null, 4)
      const opened = TestStore.inFolder(dirname(file), ref)
      yield* Effect.scoped(Effect.flatMap(opened, (store) => store.append(null, blocks.slice(0, 3))))
      const database = new DatabaseSync(file)
      database.exec("DROP TABLE facts; DROP TABLE facts_count; ALTER TABLE block DROP COLUMN facts")
      database.exec(
        "DROP TABLE change; DROP TABLE copying; DROP TABLE ledger; DROP TABLE ledger_block; DROP TABLE opening; DROP TABLE opening_progress; DROP TABLE reconciled; DROP TABLE token; DROP TABLE token_progress; DROP TABLE proof; PRAGMA user_version = 6",
      )
      database.close()

      const store = yield* opened
      yield* store.append(refOf(blocks[2]!), [{ ...blocks[3]!, facts: "{}" }])

      const facts = store.snapshot((snapshot) =>
        Effect.all([snapshot.blockFacts(12), snapshot.blockFacts(13), snapshot.blocksWithoutFacts]),
      )
      expect(yield* facts).toEqual([null, "{}", 3])
      expect(yield* pageBodies(store)).toHaveLength(4)
      const { blocks: audited } = yield* store.database.chain(ref).audit.range(10, 13)
      expect(audited.map(({ hasDamagedFacts, isDamaged }) => hasDamagedFacts || isDamaged)).not.toContain(true)
    }),
  )

  it.effect("version 10: pages state the proofs that it wrote, and none that is damaged", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = chainOn(null, 4)
      const wallets = ["a", "b"].map((digit) => `0x${digit.repeat(40)}`)
      const opened = TestStore.inFolder(dirname(file), ref)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* opened
          yield* store.append(null, blocks)
          const proofs = yield* store.database.chain(ref).proofs
          for (const wallet of wallets) {
            const known = { wallet, first: 10, block: refOf(blocks[3]!), provedBlock: 12 }
            expect(yield* proofs.writeProof({ ...known, holdings: [], unchecked: [] })).toBe(true)
          }
        }),
      )
      const database = new DatabaseSync(file)
      database.exec(`UPDATE proof SET checksum = checksum + 1 WHERE hex(wallet) = '${"B".repeat(40)}'`)
      database.exec("DROP TABLE reconciled; DROP TABLE token; DROP TABLE token_progress; PRAGMA user_version = 10")
      database.close()

      const store = yield* opened
      const stated = wallets.map((wallet) => store.snapshot((snapshot) => snapshot.reconciledTo(wallet)))
      expect(yield* Effect.all(stated)).toEqual([12, null])
    }),
  )

  it.effect("version 3: documents of several revisions are all decoded again", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const blocks = write(file, 3)
      const database = new DatabaseSync(file)
      database.exec('UPDATE "transaction" SET decoder_revision = 2 WHERE block = 11')
      database.close()
      const store = yield* TestStore.inFolder(dirname(file), ref)
      const documents = { ...upperCase(2), id: "decoded_documents" }

      expect(yield* store.snapshot((snapshot) => snapshot.projection("decoded_documents"))).toBeNull()
      while (!(yield* store.fill(documents, 1)).isDone) yield* Effect.yieldNow
      const { rows } = yield* store.snapshot((snapshot) => snapshot.page(WalletTransactions.projection, all))
      expect(rows.map(({ revision }) => revision)).toEqual(rows.map(() => 2))
      expect(rows[0]!.body).toBe(blocks[0]!.transactions[0]!.body.toUpperCase())
    }),
  )
})
