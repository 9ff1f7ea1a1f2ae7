/**
 * The same rows in SQLite and in PostgreSQL, in one run: `pnpm bench databases --database postgres://user@host/name --transactions 100000`.
 * The database must be empty but for schemas of earlier runs, which are dropped. Both are filled by appends of 1,000 transactions: once
 * with blocks that were prepared as the threads of a backfill prepare them, and once by the writer alone. Pages are read in this process
 * and requested from `daybook serve`, in turns.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as WalletLedger from "../../../packages/service/src/projection/WalletLedger.ts"
import * as Engine from "../../../packages/service/src/store/Engine.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as FilledStore from "./FilledStore.ts"
import * as GeneratedRows from "./GeneratedRows.ts"
import * as LeasedStore from "./LeasedStore.ts"
import * as MeasuredPages from "./MeasuredPages.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as RecordedRows from "./RecordedRows.ts"

const subjects = ["SQLite", "PostgreSQL"] as const

const bytesOf = (url: string, file: string) => {
  if (!url.startsWith("sqlite:")) return PostgresDatabase.bytes(url)
  FilledStore.writeBackLog(file)
  return Effect.succeed(statSync(file).size)
}

const { ledger } = WalletLedger.make(LeasedStore.chain.id)

/** Makes blocks that are compressed and have their ledgers, as an index thread hands them to the writer. */
const preparing = (url: string, nextBlock: GeneratedRows.NextBlock): GeneratedRows.NextBlock => {
  const prepare = Engine.preparer(url, {})
  return (parent, serial) => {
    const block = nextBlock(parent, serial)
    return prepare({ ...block, ledger: ledger(block) })
  }
}

const rateOf = ({ appendMillis, transactions }: FilledStore.Filled) => (transactions / appendMillis) * 1000

const measure = Effect.fnUntraced(function* (
  figures: Figures.Figures,
  options: { readonly transactions: number; readonly rounds: number; readonly database: string },
  folder: string,
) {
  yield* PostgresDatabase.clear(options.database)
  const templates = yield* Effect.promise(() => RecordedRows.load())
  // The node is never called.
  const sqlite = ServiceProcess.configure(folder, "http://127.0.0.1:9")
  const changed = ServiceProcess.change(sqlite, "postgres", { database: options.database })
  const key = yield* Effect.promise(() => ServiceProcess.run(changed, ["keys", "add", "bench"]))
  const configurations = { SQLite: sqlite, PostgreSQL: { ...changed, key } }
  const urls = { SQLite: `sqlite:${join(folder, "data")}`, PostgreSQL: options.database }
  const anyWallet = (turn: number) => GeneratedRows.walletOf(Math.imul(turn + 1, 7919) % options.transactions)
  // Warms the process up.
  const first = yield* LeasedStore.openDatabase(`sqlite:${join(folder, "first")}`)
  yield* FilledStore.fill(first, GeneratedRows.make(templates), (transactions) => transactions >= 5_000)
  const readers = []
  for (const [subject, url] of [
    ["SQLite", `sqlite:${join(folder, "prepared")}`],
    ["PostgreSQL", options.database],
  ] as const) {
    const filled = yield* Effect.scoped(
      Effect.flatMap(LeasedStore.openDatabase(url), (store) =>
        FilledStore.fill(
          store,
          preparing(url, GeneratedRows.make(templates)),
          (transactions) => transactions >= options.transactions,
        ),
      ),
    )
    figures.add(subject, "appended prepared/s", rateOf(filled))
  }
  yield* PostgresDatabase.statement(options.database, "DROP SCHEMA daybook_bench CASCADE")
  for (const subject of subjects) {
    const store = yield* LeasedStore.openDatabase(urls[subject])
    const nextBlock = GeneratedRows.make(templates)
    const filled = yield* FilledStore.fill(store, nextBlock, (transactions) => transactions >= options.transactions)
    figures.add(subject, "appended/s", rateOf(filled))
    const bytes = yield* bytesOf(urls[subject], join(folder, "data", "chain-bench.sqlite"))
    figures.add(subject, "bytes per transaction", bytes / filled.transactions)
    readers.push([subject, store.reader] as const)
  }
  yield* PostgresDatabase.statement(options.database, "ANALYZE")
  for (let round = 0; round < options.rounds; round++) {
    for (const [subject, reader] of readers) {
      const millis = yield* MeasuredPages.read(reader, anyWallet)
      figures.add(subject, "read p50 ms", Figures.quantile(millis, 0.5))
      figures.add(subject, "read p99 ms", Figures.quantile(millis, 0.99))
      const served = yield* Effect.promise(() => MeasuredPages.served(configurations[subject], anyWallet))
      figures.add(subject, "served p50 ms", served.p50)
      figures.add(subject, "served p99 ms", served.p99)
    }
  }
})

const table = (figures: Figures.Figures, rounds: number): void => {
  const value = (subject: string, measure: string, digits: number) =>
    Figures.cell(figures.median(subject, measure), digits)
  const pages = (subject: string, name: string) =>
    `${value(subject, `${name} p50 ms`, 2)} / ${value(subject, `${name} p99 ms`, 2)} ms`
  console.log(Figures.provenance("databases", rounds))
  console.log(
    "| | appended, prepared by threads | by the writer alone | bytes each | page of 25, read, p50 / p99 | served, p50 / p99 |",
  )
  console.log("|---|---|---|---|---|---|")
  for (const subject of subjects) {
    const rates = `${value(subject, "appended prepared/s", 0)}/s | ${value(subject, "appended/s", 0)}/s`
    const sizes = `${rates} | ${value(subject, "bytes per transaction", 0)}`
    console.log(`| ${subject} | ${sizes} | ${pages(subject, "read")} | ${pages(subject, "served")} |`)
  }
  const ratio = figures.ratio("PostgreSQL", "served p50 ms", figures.values("SQLite", "served p50 ms"))
  console.log(`\nserved p50 of PostgreSQL: ${Figures.cell(ratio, 2)} times that of SQLite`)
}

const { json, rounds, values } = BenchOptions.parse({ rounds: 3, options: { transactions: "100000", database: "" } })
if (values.database === "")
  BenchOptions.exitWith('Invalid option "--database": expected a PostgreSQL URL, received nothing.')
const transactions = BenchOptions.positiveInteger("transactions", values.transactions)
const folder = mkdtempSync(join(tmpdir(), "daybook-databases-"))
const figures = Figures.make()
try {
  const options = { transactions, rounds, database: values.database }
  await Effect.runPromise(Effect.scoped(measure(figures, options, folder)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (json) console.log(Figures.toJson("databases", figures))
else table(figures, rounds)
