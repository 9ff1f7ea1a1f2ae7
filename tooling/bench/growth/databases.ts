/**
 * The same rows in SQLite and in PostgreSQL, in one run: `pnpm bench databases --database postgres://user@host/name --transactions 100000`,
 * with `--citus postgres://...` also on the nodes of Citus behind a coordinator. The databases must be empty except for schemas of earlier
 * runs, which are dropped. Both are filled by appends of 1,000 transactions: once with blocks prepared as the threads of a backfill prepare
 * them, and once by the writer alone. Pages are read in this process and requested from `daybook serve`, in turns.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as WalletLedger from "../../../packages/service/src/projection/WalletLedger.ts"
import * as Engine from "../../../packages/service/src/store/Engine.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as Report from "../Report.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as FilledStore from "./FilledStore.ts"
import * as GeneratedRows from "./GeneratedRows.ts"
import * as LeasedStore from "./LeasedStore.ts"
import * as MeasuredPages from "./MeasuredPages.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as RecordedRows from "./RecordedRows.ts"

const pages = 4000
/** What is filled and read; ratios are to the first. */
type Subject = "SQLite" | "PostgreSQL" | "Citus"

const bytesOf = (subject: Subject, url: string, file: string) => {
  if (subject === "Citus") return PostgresDatabase.bytesOfNodes(url)
  if (!url.startsWith("sqlite:")) return PostgresDatabase.bytes(url)
  FilledStore.writeBackLog(file)
  return Effect.succeed(statSync(file).size)
}

const { ledger } = WalletLedger.make(LeasedStore.chain.id)

/** Makes blocks that are compressed and have their ledgers, as an index thread passes them to the writer. */
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
  options: { readonly transactions: number; readonly rounds: number },
  servers: ReadonlyMap<Subject, string>,
  folder: string,
) {
  for (const url of servers.values()) yield* PostgresDatabase.clear(url)
  const templates = yield* Effect.promise(() => RecordedRows.load())
  // The node is never called.
  const sqlite = ServiceProcess.configure(folder, "http://127.0.0.1:9")
  const configurations = new Map<Subject, ServiceProcess.Configuration>([["SQLite", sqlite]])
  for (const [subject, database] of servers) {
    const changed = ServiceProcess.change(sqlite, subject.toLowerCase(), { database })
    const key = yield* Effect.promise(() => ServiceProcess.run(changed, ["keys", "add", "bench"]))
    configurations.set(subject, { ...changed, key })
  }
  const urls = new Map<Subject, string>([["SQLite", `sqlite:${join(folder, "data")}`], ...servers])
  const anyWallet = (turn: number) => GeneratedRows.walletOf(Math.imul(turn + 1, 7919) % options.transactions)
  // Warms the process up.
  const first = yield* LeasedStore.openDatabase(`sqlite:${join(folder, "first")}`)
  yield* FilledStore.fill(first, GeneratedRows.make(templates), (transactions) => transactions >= 5_000)
  const readers = []
  const prepared = new Map<Subject, string>([["SQLite", `sqlite:${join(folder, "prepared")}`], ...servers])
  for (const [subject, url] of prepared) {
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
  for (const url of servers.values()) yield* PostgresDatabase.statement(url, "DROP SCHEMA daybook_bench CASCADE")
  for (const [subject, url] of urls) {
    const store = yield* LeasedStore.openDatabase(url)
    const nextBlock = GeneratedRows.make(templates)
    const filled = yield* FilledStore.fill(store, nextBlock, (transactions) => transactions >= options.transactions)
    figures.add(subject, "appended/s", rateOf(filled))
    const bytes = yield* bytesOf(subject, url, join(folder, "data", "chain-bench.sqlite"))
    figures.add(subject, "bytes per transaction", bytes / filled.transactions)
    readers.push([subject, store.reader] as const)
  }
  for (const url of servers.values()) yield* PostgresDatabase.statement(url, "ANALYZE")
  for (let round = 0; round < options.rounds; round++) {
    for (const [subject, reader] of readers) {
      const millis = yield* MeasuredPages.read(reader, anyWallet, pages)
      figures.add(subject, "read p50 ms", Figures.quantile(millis, 0.5))
      figures.add(subject, "read p99 ms", Figures.quantile(millis, 0.99))
      const served = yield* Effect.promise(() => MeasuredPages.served(configurations.get(subject)!, anyWallet, pages))
      figures.add(subject, "served p50 ms", served.p50)
      figures.add(subject, "served p99 ms", served.p99)
    }
  }
})

const table =
  (subjects: ReadonlyArray<Subject>): Figures.Table =>
  (figures) => {
    const value = (subject: string, measure: string, digits: number) =>
      Figures.cell(figures.median(subject, measure), digits)
    const quantiles = (subject: string, name: string) =>
      ["p50", "p99"].map((part) => value(subject, `${name} ${part} ms`, 2)).join(" / ")
    const base: Subject = "SQLite"
    return Figures.table(
      [
        "",
        "appended/s, prepared by threads",
        "by the writer alone",
        "bytes",
        "read p50 / p99 ms",
        "served p50 / p99 ms",
        "ratio of served p50",
      ],
      subjects.map((subject) => [
        subject,
        value(subject, "appended prepared/s", 0),
        value(subject, "appended/s", 0),
        value(subject, "bytes per transaction", 0),
        quantiles(subject, "read"),
        quantiles(subject, "served"),
        Figures.spread(figures.ratios(subject, "served p50 ms", base), 2),
      ]),
    )
  }

const options = BenchOptions.parse({ rounds: 3, options: { transactions: "100000", database: "", citus: "" } })
const { rounds, values } = options
if (values.database === "")
  BenchOptions.exitWith('Invalid option "--database": expected a PostgreSQL URL, received nothing.')
const transactions = BenchOptions.positiveInteger("transactions", values.transactions)
const servers = new Map<Subject, string>([
  ["PostgreSQL", values.database],
  ...(values.citus === "" ? [] : [["Citus", values.citus] as const]),
])
const folder = mkdtempSync(join(tmpdir(), "daybook-databases-"))
const figures = Figures.make()
try {
  await Effect.runPromise(Effect.scoped(measure(figures, { transactions, rounds }, servers, folder)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
Report.finish("databases", options, figures, table(["SQLite", ...servers.keys()]))
