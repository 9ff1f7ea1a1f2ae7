/**
 * The indexers that are measured, each over a recorded chain until its head is stored. Every one takes the same three answers of
 * each block from the node: the block with its transactions, its receipts, its flat traces.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { Effect, Fiber, References, Result } from "effect"
import * as Config from "../../packages/service/src/config/Config.ts"
import * as ChainJob from "../../packages/service/src/indexer/ChainJob.ts"
import * as ChainRunner from "../../packages/service/src/indexer/ChainRunner.ts"
import type { IndexerEvent } from "../../packages/service/src/indexer/StatusTracker.ts"

/** What an indexer did. */
export interface Done {
  readonly blocks: number
  readonly millis: number
  /** Size of what it stored, 0 when it stored nothing. */
  readonly bytes: number
  readonly transactions: number
  /** Size of the documents in it: the texts that are served. */
  readonly documentBytes?: number
  /** Decoded events, where that is what was indexed. */
  readonly events?: number
  /** What it used, where it ran as a program of its own. */
  readonly cpuSeconds?: number
  readonly peakBytes?: number
}

type Subject = (url: string, head: number, folder: string) => Promise<Done>

const methods = ["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"] as const

const callsOf = (number: number): ReadonlyArray<object> => {
  const id = `0x${number.toString(16)}`
  return methods.map((method, index) => ({
    jsonrpc: "2.0",
    id: number * 3 + index,
    method,
    params: method === "eth_getBlockByNumber" ? [id, true] : [id],
  }))
}

const ask = async (url: string, body: unknown): Promise<unknown> => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  return JSON.parse(await response.text())
}

/** Fetch and JSON.parse of the same answers, and nothing else: `blocks` to a request, `lanes` requests at a time. */
const floor =
  (blocksOfRequest: number, lanes: number): Subject =>
  async (url, head) => {
    let next = 0
    let transactions = 0
    const startedAt = performance.now()
    const count = (block: any) => (transactions += block.result.transactions.length)
    const lane = async () => {
      while (next <= head) {
        const first = next
        next += blocksOfRequest
        const numbers = Array.from({ length: Math.min(blocksOfRequest, head + 1 - first) }, (_, index) => first + index)
        const calls = numbers.flatMap(callsOf)
        if (blocksOfRequest > 1) {
          const answers = (await ask(url, calls)) as ReadonlyArray<any>
          for (let at = 0; at < answers.length; at += 3) count(answers[at])
        } else count((await Promise.all(calls.map((call) => ask(url, call))))[0])
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return { blocks: head + 1, millis: performance.now() - startedAt, bytes: 0, transactions }
  }

const sizeOf = (file: string): number =>
  ["", "-wal"].reduce((sum, end) => sum + (statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0), 0)

const daybook =
  (checks: "links" | "standard" | "full"): Subject =>
  async (url, head, folder) => {
    const config = Result.getOrThrow(
      Config.decode({
        listen: { host: "127.0.0.1", port: 0 },
        database: "sqlite:data",
        chains: { bench: { id: 31337, rpc: [url], checks } },
      }),
    )
    const [job] = Result.getOrThrow(ChainJob.fromConfig(config, folder, "bench"))
    let startedAt = performance.now()
    let millis = 0
    const index = Effect.gen(function* () {
      const fiber: Fiber.Fiber<never, unknown> = yield* Effect.forkChild(
        ChainRunner.run(job!, (event: IndexerEvent) => {
          if (event._tag === "Synced" && event.head === head) millis = performance.now() - startedAt
          return Effect.void
        }),
      )
      while (millis === 0) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(fiber)
    })
    startedAt = performance.now()
    await Effect.runPromise(Effect.provideService(index, References.MinimumLogLevel, "Error"))
    const file = join(folder, "data", "chain-bench.sqlite")
    const database = new DatabaseSync(file)
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    const row = database
      .prepare(
        `SELECT count(*) AS transactions, sum(octet_length(body) + coalesce(octet_length(internal), 0)) AS documentBytes FROM "transaction"`,
      )
      .get() as { readonly transactions: number; readonly documentBytes: number }
    database.close()
    return { blocks: head + 1, millis, bytes: sizeOf(file), ...row }
  }

/**
 * SQD's processor with the raw rows of everything it fetches put into SQLite as JSON, one transaction for each of its batches:
 * no checks beyond its own, nothing decoded, no index by wallet.
 */
const sqd: Subject = (url, head, folder) =>
  new Promise((resolve) => {
    process.env["SQD_LOG_LEVEL"] = "ERROR"
    const require = createRequire(join(import.meta.dirname, "indexers", "package.json"))
    const { EvmBatchProcessor } = require("@subsquid/evm-processor")
    const file = join(folder, "sqd.sqlite")
    const database = new DatabaseSync(file)
    database.exec(
      `PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
       CREATE TABLE block (number INTEGER PRIMARY KEY, hash TEXT, body TEXT);
       CREATE TABLE tx (block INTEGER, i INTEGER, body TEXT, PRIMARY KEY (block, i));
       CREATE TABLE log (block INTEGER, i INTEGER, body TEXT, PRIMARY KEY (block, i));
       CREATE TABLE trace (block INTEGER, i INTEGER, body TEXT, PRIMARY KEY (block, i));`,
    )
    const put = (table: string, columns: number) =>
      database.prepare(`INSERT INTO ${table} VALUES (${Array.from({ length: columns }, () => "?").join()})`)
    const rows = { block: put("block", 3), tx: put("tx", 3), log: put("log", 3), trace: put("trace", 3) }
    const text = (value: object) =>
      JSON.stringify(value, (key, inner) =>
        key === "block" ||
        key === "transaction" ||
        key === "logs" ||
        key === "traces" ||
        key === "transactions" ||
        key === "stateDiffs"
          ? undefined
          : typeof inner === "bigint"
            ? inner.toString()
            : inner,
      )
    const all = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, true]))
    const processor = new EvmBatchProcessor()
      .setRpcEndpoint({ url, capacity: 100, maxBatchCallSize: 100 })
      .setRpcDataIngestionSettings({ headPollInterval: 100 })
      .setFinalityConfirmation(0)
      .preferTraceApi()
      .setBlockRange({ from: 0, to: head })
      .setFields({
        block: all([
          "timestamp",
          "gasUsed",
          "gasLimit",
          "miner",
          "baseFeePerGas",
          "stateRoot",
          "receiptsRoot",
          "transactionsRoot",
          "logsBloom",
        ]),
        transaction: all([
          "from",
          "to",
          "hash",
          "gas",
          "gasPrice",
          "input",
          "nonce",
          "value",
          "v",
          "r",
          "s",
          "type",
          "gasUsed",
          "cumulativeGasUsed",
          "effectiveGasPrice",
          "contractAddress",
          "status",
        ]),
        log: all(["address", "topics", "data", "transactionHash"]),
        trace: all([
          "type",
          "error",
          "callFrom",
          "callTo",
          "callValue",
          "callGas",
          "callInput",
          "callType",
          "callResultGasUsed",
          "callResultOutput",
          "createFrom",
          "createValue",
          "createInit",
          "createResultAddress",
          "suicideAddress",
          "suicideRefundAddress",
          "suicideBalance",
        ]),
      })
      .includeAllBlocks()
      .addTransaction({ logs: true, traces: true })
    let transactions = 0
    const startedAt = performance.now()
    const store = {
      connect: async () => ({ height: -1, hash: "0x" }),
      transact: async (
        info: { readonly nextHead: { readonly height: number } },
        write: (into: object) => Promise<void>,
      ) => {
        database.exec("BEGIN IMMEDIATE")
        await write({})
        database.exec("COMMIT")
        if (info.nextHead.height < head) return
        const millis = performance.now() - startedAt
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
        resolve({ blocks: head + 1, millis, bytes: sizeOf(file), transactions })
      },
    }
    processor.run(store, async (context: { readonly blocks: ReadonlyArray<any> }) => {
      for (const block of context.blocks) {
        const { height, hash } = block.header
        rows.block.run(height, hash, text(block.header))
        for (const transaction of block.transactions) {
          transactions++
          rows.tx.run(height, transaction.transactionIndex, text(transaction))
        }
        for (const log of block.logs) rows.log.run(height, log.logIndex, text(log))
        for (const [index, trace] of block.traces.entries()) rows.trace.run(height, index, text(trace))
      }
    })
  })

const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

/**
 * Ponder, from the logs of the scenario's events, with block, transaction and receipt of each, into its embedded PostgreSQL
 * (raw rows and one row for each decoded event); no traces. It is told of one server by 25 URLs, since it limits itself by URL.
 */
const ponder: Subject = async (url, head, folder) => {
  const project = join(import.meta.dirname, "indexers", "ponder")
  const usage = join(folder, "usage.json")
  const data = join(folder, "pglite")
  const program = join(project, "../node_modules/ponder/dist/esm/bin/ponder.js")
  const child = spawn(
    process.execPath,
    [
      "--no-warnings",
      "--import",
      join(project, "usage.mjs"),
      program,
      "start",
      "--schema",
      "bench",
      "--port",
      "0",
      "--log-format",
      "json",
    ],
    {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        BENCH_URL: url,
        BENCH_HEAD: String(head),
        BENCH_FOLDER: data,
        BENCH_USAGE: usage,
        PONDER_TELEMETRY_DISABLED: "true",
      },
    },
  )
  const ended = once(child, "exit")
  let millis = 0
  let events = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { readonly msg: string; readonly duration?: number; readonly event_count?: number }
    if (/^Indexed block/.test(told.msg)) events += told.event_count ?? 0
    if (told.msg !== "Completed indexing across all chains") continue
    millis = told.duration ?? 0
    break
  }
  child.stdout.resume()
  child.kill("SIGTERM")
  await ended
  if (millis === 0) throw new Error("ponder ended before it had indexed the chain")
  const spent = JSON.parse(readFileSync(usage, "utf8")) as { readonly cpuSeconds: number; readonly peakBytes: number }
  return { blocks: head + 1, millis, bytes: folderBytes(data), transactions: 0, events, ...spent }
}

/** By name. */
export const subjects: Readonly<Record<string, Subject>> = {
  "floor, a call a request": floor(1, 16),
  "floor, 10 blocks a request": floor(10, 4),
  "daybook, links": daybook("links"),
  "daybook, standard": daybook("standard"),
  "daybook, full": daybook("full"),
  sqd,
  ponder,
}

if (process.argv[1] === import.meta.filename) {
  const [name = "", url = "", head = "0"] = process.argv.slice(2)
  const folder = mkdtempSync(join(tmpdir(), "daybook-bench-"))
  const before = process.cpuUsage()
  const done = await subjects[name]!(url, Number(head), folder)
  const { system, user } = process.cpuUsage(before)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  rmSync(folder, { recursive: true, force: true })
  console.log(JSON.stringify({ cpuSeconds: (user + system) / 1e6, peakBytes, ...done }))
  process.exit(0)
}
