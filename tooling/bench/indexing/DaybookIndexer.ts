/**
 * Daybook as users run it: the installed command in its own process, with everything that it does by default. Blocks, receipts by hash and
 * flat traces are verified, decoded and stored with ledgers in SQLite or PostgreSQL. The clock runs from the log line that it listens to
 * the line that it is synced, because the peers' times do not include loading their modules.
 */
import { createInterface } from "node:readline"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as PostgresDatabase from "../growth/PostgresDatabase.ts"
import * as ProcessUse from "../ProcessUse.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import { databaseBytes } from "./Subject.ts"
import type { MeasuredRun } from "./Subject.ts"

export interface Options {
  /** File of the command. */
  readonly command: string
  readonly checks: "links" | "standard" | "full"
  /** URL of a PostgreSQL database; SQLite if absent. */
  readonly database?: string | undefined
}

const limitMillis = 300_000

const used = (pid: number) => ({
  at: performance.now(),
  cpu: ProcessUse.cpuMicros(pid) ?? 0,
  threads: ProcessUse.threadMicros(pid),
})

/** CPU time of the thread that used most of it in between. More threads do not make an indexer faster than that thread. */
const busiestMicros = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number =>
  Math.max(0, ...[...after].map(([thread, micros]) => micros - (before.get(thread) ?? 0)))

/** Number of transactions and size of documents in a store whose log was checkpointed. */
const storedIn = (file: string) => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const row = database
    .prepare("SELECT count(*) AS transactions, sum(size + coalesce(internal_size, 0)) AS documentBytes FROM document")
    .get() as { readonly transactions: number; readonly documentBytes: number }
  database.close()
  return { ...row, bytes: databaseBytes(file) }
}

const postgresRows = "SELECT count(*), sum(size + coalesce(internal_size, 0))::int8 FROM daybook_bench.document"

const storedInPostgres = async (url: string) => {
  const bytes = await Effect.runPromise(PostgresDatabase.bytes(url))
  const [row] = await Effect.runPromise(PostgresDatabase.statement(url, postgresRows))
  const [transactions, documentBytes] = row!
  return { transactions, documentBytes, bytes }
}

/** Waits for the log line that the chain is indexed up to a block. */
const untilSynced = async (errors: NodeJS.ReadableStream, head: number): Promise<void> => {
  const lines: Array<string> = []
  for await (const line of createInterface({ input: errors })) {
    if (line.includes("Synced") && new RegExp(`\\b${head}\\b`).test(line)) return
    lines.push(line)
  }
  throw new Error(`The service ended before it was synced: ${lines.slice(-5).join("\n")}`)
}

/** Indexes blocks 0 to `head` of the node at `url`, in an empty folder. */
export const index = async (
  { checks, command, database }: Options,
  url: string,
  head: number,
  folder: string,
): Promise<MeasuredRun> => {
  if (database !== undefined) await Effect.runPromise(PostgresDatabase.clear(database))
  const configuration = ServiceProcess.configure(folder, url, command, { checks }, database)
  const service = await ServiceProcess.start(configuration, "all")
  const before = used(service.pid)
  const timer = setTimeout(() => void service.stop(), limitMillis)
  try {
    await untilSynced(service.errors, head)
    const after = used(service.pid)
    const peakBytes = ProcessUse.peakBytes(service.pid) ?? 0
    await service.stop()
    const stored =
      database === undefined ? storedIn(join(folder, "data", "chain-bench.sqlite")) : await storedInPostgres(database)
    return {
      ...stored,
      blocks: head + 1,
      millis: after.at - before.at,
      cpuSeconds: (after.cpu - before.cpu) / 1e6,
      busiestSeconds: busiestMicros(before.threads, after.threads) / 1e6,
      peakBytes,
    }
  } finally {
    clearTimeout(timer)
    await service.stop()
  }
}
