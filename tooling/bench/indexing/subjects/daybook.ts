/** Daybook's indexer: block, receipts by hash and flat traces, verified, decoded and stored in SQLite with an index by wallet. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Fiber, References, Result } from "effect"
import * as Config from "../../../../packages/service/src/config/Config.ts"
import * as ChainJob from "../../../../packages/service/src/indexer/ChainJob.ts"
import * as ChainRunner from "../../../../packages/service/src/indexer/ChainRunner.ts"
import type { IndexerEvent } from "../../../../packages/service/src/indexer/IndexerEvent.ts"
import { databaseBytes } from "../Subject.ts"
import type { Subject } from "../Subject.ts"

/** Runs the indexer until `head` is stored; its time in milliseconds. */
const indexTo = async (head: number, job: Parameters<typeof ChainRunner.run>[0]): Promise<number> => {
  const startedAt = performance.now()
  let millis = 0
  const index = Effect.gen(function* () {
    const fiber: Fiber.Fiber<never, unknown> = yield* Effect.forkChild(
      ChainRunner.run(job, (event: IndexerEvent) => {
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

/** Indexes with one level of verification, and with a number of threads that fetch blocks. */
export const daybook =
  (checks: "links" | "standard" | "full", threads = 0): Subject =>
  async (url, head, folder) => {
    const config = Result.getOrThrow(
      Config.decode({
        listen: { host: "127.0.0.1", port: 0 },
        database: "sqlite:data",
        chains: { bench: { id: 31337, rpc: [url], checks } },
      }),
    )
    const [job] = Result.getOrThrow(ChainJob.fromConfig(config, folder, "bench"))
    const millis = await indexTo(head, { ...job!, threads })
    const file = join(folder, "data", "chain-bench.sqlite")
    const stored = storedIn(file)
    return { blocks: head + 1, millis, bytes: databaseBytes(file), ...stored }
  }
