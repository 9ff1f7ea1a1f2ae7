/**
 * SQD's processor, storing the raw rows of everything it fetches in SQLite as JSON, with one transaction per batch: no verification beyond
 * its own, nothing decoded, no index by wallet.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { StatementSync } from "node:sqlite"
import { databaseBytes } from "../Subject.ts"
import type { Subject } from "../Subject.ts"

const selected = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, true]))

/** Everything that Daybook's documents contain. */
const fields = {
  block: selected("timestamp gasUsed gasLimit miner baseFeePerGas stateRoot receiptsRoot transactionsRoot logsBloom"),
  transaction: selected(
    "from to hash gas gasPrice input nonce value v r s type gasUsed cumulativeGasUsed effectiveGasPrice contractAddress status",
  ),
  log: selected("address topics data transactionHash"),
  trace: selected(
    "type error callFrom callTo callValue callGas callInput callType callResultGasUsed callResultOutput createFrom createValue createInit createResultAddress suicideAddress suicideRefundAddress suicideBalance",
  ),
}

/** Links between SQD's items, through which each text would contain all others. */
const links = new Set(["block", "transaction", "logs", "traces", "transactions", "stateDiffs"])

const toText = (item: object): string =>
  JSON.stringify(item, (key, value) => (links.has(key) ? undefined : typeof value === "bigint" ? `${value}` : value))

interface Block {
  readonly header: { readonly height: number; readonly hash: string }
  readonly transactions: ReadonlyArray<{ readonly transactionIndex: number }>
  readonly logs: ReadonlyArray<{ readonly logIndex: number }>
  readonly traces: ReadonlyArray<object>
}

interface Tables {
  readonly database: DatabaseSync
  readonly put: (block: Block) => void
}

const createTables = (file: string): Tables => {
  const database = new DatabaseSync(file)
  database.exec(
    `PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
     CREATE TABLE block (number INTEGER PRIMARY KEY, hash TEXT, body TEXT);
     CREATE TABLE tx (block INTEGER, i INTEGER, body TEXT, PRIMARY KEY (block, i));
     CREATE TABLE log (block INTEGER, i INTEGER, body TEXT, PRIMARY KEY (block, i));
     CREATE TABLE trace (block INTEGER, i INTEGER, body TEXT, PRIMARY KEY (block, i));`,
  )
  const insert = (table: string): StatementSync => database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`)
  const rows = { block: insert("block"), tx: insert("tx"), log: insert("log"), trace: insert("trace") }
  const put = ({ header, logs, traces, transactions }: Block) => {
    const { hash, height } = header
    rows.block.run(height, hash, toText(header))
    for (const transaction of transactions) rows.tx.run(height, transaction.transactionIndex, toText(transaction))
    for (const log of logs) rows.log.run(height, log.logIndex, toText(log))
    for (const [index, trace] of traces.entries()) rows.trace.run(height, index, toText(trace))
  }
  return { database, put }
}

/** The processor with its own limits lifted. */
const createProcessor = (url: string, head: number) => {
  const require = createRequire(join(import.meta.dirname, "../../indexers/package.json"))
  const { EvmBatchProcessor } = require("@subsquid/evm-processor")
  return new EvmBatchProcessor()
    .setRpcEndpoint({ url, capacity: 100, maxBatchCallSize: 100 })
    .setRpcDataIngestionSettings({ headPollInterval: 100 })
    .setFinalityConfirmation(0)
    .preferTraceApi()
    .setBlockRange({ from: 0, to: head })
    .setFields(fields)
    .includeAllBlocks()
    .addTransaction({ logs: true, traces: true })
}

export const sqd: Subject = (url, head, folder) =>
  new Promise((resolve) => {
    // Only errors, of every namespace: its log shares standard error with the benchmark.
    process.env["SQD_ERROR"] = "*"
    const file = join(folder, "sqd.sqlite")
    const { database, put } = createTables(file)
    const processor = createProcessor(url, head)
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
        resolve({ blocks: head + 1, millis, bytes: databaseBytes(file), transactions })
      },
    }
    processor.run(store, async ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => {
      for (const block of blocks) {
        put(block)
        transactions += block.transactions.length
      }
    })
  })
