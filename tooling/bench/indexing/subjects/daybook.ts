/** Daybook's indexer: block, receipts by hash and flat traces, verified, decoded and stored in SQLite or PostgreSQL with an index by wallet. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Fiber, References, Result } from "effect"
import * as Config from "../../../../packages/service/src/config/Config.ts"
import * as BlockSource from "../../../../packages/service/src/indexer/job/BlockSource.ts"
import * as ChainIndexer from "../../../../packages/service/src/indexer/ChainIndexer.ts"
import * as ChainJob from "../../../../packages/service/src/indexer/job/ChainJob.ts"
import * as ChainRunner from "../../../../packages/service/src/indexer/ChainRunner.ts"
import * as NodeShares from "../../../../packages/service/src/indexer/backfill/NodeShares.ts"
import * as Thread from "../../../../packages/service/src/indexer/backfill/Thread.ts"
import * as ThreadPool from "../../../../packages/service/src/indexer/backfill/ThreadPool.ts"
import type { OnEvent } from "../../../../packages/service/src/indexer/StatusReporter.ts"
import * as Projections from "../../../../packages/service/src/projection/Projections.ts"
import * as Engine from "../../../../packages/service/src/store/Engine.ts"
import * as PostgresDatabase from "../../growth/PostgresDatabase.ts"
import { databaseBytes } from "../Subject.ts"
import type { Subject } from "../Subject.ts"

type Run = (job: ChainJob.ChainJob, onEvent: OnEvent) => Effect.Effect<unknown, unknown>

/** An indexer that keeps no ledgers of wallets. */
const withoutLedger: Run = (job, onEvent) =>
  Effect.gen(function* () {
    const { chain, chainId, config, owner, threads = 0 } = job
    const start = yield* Thread.starter(job, NodeShares.divide(config.rpc, threads).each)
    const pool = threads === 0 ? undefined : yield* ThreadPool.make({ threads, start })
    const { assembling, node } = yield* BlockSource.make(job)
    const options = {
      ...assembling,
      ...{ chain, chainId, owner, onEvent },
      rules: ChainJob.hashRules(job),
      ...(pool === undefined ? {} : { rangeSource: pool.source }),
    }
    const projections = Projections.make(assembling.decoder, chainId).filter(({ kind }) => kind !== "ledger")
    const database = yield* Engine.fromUrl(job.database, job.baseFolder, job)
    return yield* Effect.provideService(ChainIndexer.run(node, { ...options, projections }), Engine.Engine, database)
  }).pipe(Effect.scoped)

/** Runs an indexer until `head` is stored; its time in milliseconds. */
const indexTo = async (head: number, job: ChainJob.ChainJob, run: Run): Promise<number> => {
  const startedAt = performance.now()
  let millis = 0
  const index = Effect.gen(function* () {
    const fiber: Fiber.Fiber<unknown, unknown> = yield* Effect.forkChild(
      run(job, (event) => {
        if (event._tag === "Synced" && event.head === head) millis = performance.now() - startedAt
        return Effect.void
      }),
    )
    while (millis === 0) yield* Effect.sleep("5 millis")
    yield* Fiber.interrupt(fiber)
  })
  await Effect.runPromise(Effect.provideService(index, References.MinimumLogLevel, "Error"))
  return millis
}

/** Transactions and bytes of documents in a store whose log has been written back. */
const storedIn = (file: string) => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const row = database
    .prepare(`SELECT count(*) AS transactions, sum(size + coalesce(internal_size, 0)) AS documentBytes FROM document`)
    .get() as { readonly transactions: number; readonly documentBytes: number }
  database.close()
  return row
}

/** Indexes without ledgers of wallets, with a number of threads that fetch blocks. */
export const daybookWithoutLedger =
  (threads = 0): Subject =>
  (...options) =>
    daybook("standard", threads, withoutLedger)(...options)

const jobOf = (url: string, folder: string, checks: "links" | "standard" | "full", database: string) => {
  const config = Config.decode({
    ...{ listen: { host: "127.0.0.1", port: 0 }, database },
    chains: { bench: { id: 31337, rpc: [url], checks } },
  })
  const [job] = Result.getOrThrow(ChainJob.fromConfig(Result.getOrThrow(config), folder, "bench"))
  return job!
}

const storedRows = "SELECT count(*), sum(size + coalesce(internal_size, 0))::int8 FROM daybook_bench.document"

/** Indexes into the PostgreSQL database of a URL. */
export const daybookInPostgres =
  (database: string): Subject =>
  async (url, head, folder) => {
    await Effect.runPromise(PostgresDatabase.clear(database))
    const millis = await indexTo(head, { ...jobOf(url, folder, "standard", database), threads: 0 }, ChainRunner.run)
    const bytes = await Effect.runPromise(PostgresDatabase.bytes(database))
    const [row] = await Effect.runPromise(PostgresDatabase.statement(database, storedRows))
    const [transactions, documentBytes] = row!
    return { blocks: head + 1, millis, bytes, transactions, documentBytes }
  }

/** Indexes with one level of verification, and with a number of threads that fetch blocks. */
export const daybook =
  (checks: "links" | "standard" | "full", threads = 0, run: Run = ChainRunner.run): Subject =>
  async (url, head, folder) => {
    const millis = await indexTo(head, { ...jobOf(url, folder, checks, "sqlite:data"), threads }, run)
    const file = join(folder, "data", "chain-bench.sqlite")
    const stored = storedIn(file)
    return { blocks: head + 1, millis, bytes: databaseBytes(file), ...stored }
  }
