/**
 * How a store behaves as it grows: `pnpm bench growth --transactions 10000,100000,1000000`. Pages are read and serialised in this process,
 * and requested from `daybook serve` over a socket, one after the other. With `--database postgres://user@host/name` the store is in
 * PostgreSQL, and schemas of earlier runs are dropped; otherwise it is a SQLite file. `--ranges 1000000000` keeps the histories and ledgers
 * of SQLite in one range.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { BlockRows } from "../../../packages/service/src/block/BlockRows.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as ProcessUse from "../ProcessUse.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as FilledStore from "./FilledStore.ts"
import * as GeneratedRows from "./GeneratedRows.ts"
import * as LeasedStore from "./LeasedStore.ts"
import * as MeasuredPages from "./MeasuredPages.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import * as Report from "../Report.ts"
import * as RecordedRows from "./RecordedRows.ts"

const unwoundBlocks = 12
const unwinds = 5

/** Milliseconds to unwind some blocks, which are appended again each time. */
const unwindMillis = Effect.fnUntraced(function* (
  store: LeasedStore.LeasedStore,
  nextBlock: GeneratedRows.NextBlock,
  filled: FilledStore.Filled,
) {
  const millis: Array<number> = []
  let { head } = filled
  for (let turn = 0; turn < unwinds; turn++) {
    const target = head.number - unwoundBlocks
    const [to] = yield* store.reader.headers(target, target)
    millis.push(yield* FilledStore.timed(store.unwind(head, to!)))
    let serial = filled.transactions
    const blocks: Array<BlockRows> = []
    for (let index = 0; index < unwoundBlocks; index++) {
      // A stored header is sufficient as a parent: only its number and hash are read.
      const block = nextBlock((blocks.at(-1) ?? to) as BlockRows, serial)
      serial += block.transactions.length
      blocks.push(block)
    }
    yield* store.append(to!, blocks)
    head = blocks.at(-1)!
  }
  return millis
})

/** A measured store. */
interface Subject {
  readonly store: LeasedStore.LeasedStore
  readonly configuration: ServiceProcess.Configuration
  /** Flushes written data to the form in which it is read in the long run. */
  readonly settle: Effect.Effect<unknown, unknown>
  readonly bytes: Effect.Effect<number, unknown>
}

/** Where the store is: in a folder, or in a database if its text is not empty. */
interface Place {
  readonly folder: string
  readonly database: string
  /** Number of pages that are read in each way. */
  readonly pages: number
  /** Number of entries after which a range of blocks ends. */
  readonly rangeEntries: number
}

const reads = ["any wallet", "busiest wallet", "any wallet, served"]

const open = Effect.fnUntraced(function* ({ database, folder, rangeEntries }: Place) {
  // The node is never called.
  const sqlite = ServiceProcess.configure(folder, "http://127.0.0.1:9")
  if (database === "") {
    const store = yield* LeasedStore.open(folder, { rangeEntries })
    // A small store would only be in the log, which is slower to read.
    const settle = Effect.sync(() => FilledStore.writeBackLog(store.file))
    const bytes = Effect.sync(() => statSync(store.file).size)
    return { store, configuration: sqlite, settle, bytes } satisfies Subject
  }
  yield* PostgresDatabase.clear(database)
  const changed = ServiceProcess.change(sqlite, "postgres", { database })
  const key = yield* Effect.promise(() => ServiceProcess.run(changed, ["keys", "add", "bench"]))
  const settle = PostgresDatabase.statement(database, "ANALYZE")
  const store = yield* LeasedStore.openDatabase(database)
  return {
    store,
    settle,
    configuration: { ...changed, key },
    bytes: PostgresDatabase.bytes(database),
  } satisfies Subject
})

const writtenBytes = () => ProcessUse.writtenBytes(process.pid) ?? 0

/** Measures a store of one size; the subject of the figures is its number of transactions. */
const measure = Effect.fnUntraced(function* (
  figures: Figures.Figures,
  nextBlock: GeneratedRows.NextBlock,
  wanted: number,
  place: Place,
) {
  const { bytes, configuration, settle, store } = yield* open(place)
  const writtenBefore = writtenBytes()
  const filled = yield* FilledStore.fill(store, nextBlock, (transactions) => transactions >= wanted)
  yield* settle
  const [stored, written] = [yield* bytes, writtenBytes() - writtenBefore]
  const { transactions } = filled
  const anyWallet = (turn: number) => GeneratedRows.walletOf(Math.imul(turn + 1, 7919) % transactions)
  const any = yield* MeasuredPages.read(store.reader, anyWallet, place.pages)
  const busy = yield* MeasuredPages.read(store.reader, () => GeneratedRows.busyWallet, place.pages)
  const served = yield* Effect.promise(() => MeasuredPages.served(configuration, anyWallet, place.pages))
  const unwound = yield* unwindMillis(store, nextBlock, filled)
  yield* settle

  const add = (name: string, value: number) => figures.add(transactions.toLocaleString("en"), name, value)
  add("appended/s", (transactions / filled.appendMillis) * 1000)
  add("append CPU us", (filled.appendCpuMillis / transactions) * 1000)
  add("any wallet p50 ms", Figures.quantile(any, 0.5))
  add("any wallet p99 ms", Figures.quantile(any, 0.99))
  add("busiest wallet p50 ms", Figures.quantile(busy, 0.5))
  add("busiest wallet p99 ms", Figures.quantile(busy, 0.99))
  add("any wallet, served p50 ms", served.p50)
  add("any wallet, served p99 ms", served.p99)
  add("unwind ms", Figures.quantile(unwound, 0.5))
  add("bytes per transaction", stored / transactions)
  if (place.database === "") add("written per byte", written / stored)
  add("document bytes", filled.documentBytes / transactions)
})

const measureIn = async (
  figures: Figures.Figures,
  nextBlock: GeneratedRows.NextBlock,
  size: number,
  settings: Omit<Place, "folder">,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-growth-"))
  try {
    await Effect.runPromise(Effect.scoped(measure(figures, nextBlock, size, { folder, ...settings })))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const table: Figures.Table = (figures) => {
  const subjects = figures.subjects()
  const value = (subject: string, measure: string) => figures.median(subject, measure) ?? 0
  const quantiles = (subject: string, measure: string) =>
    ["p50", "p99"].map((part) => value(subject, `${measure} ${part} ms`).toFixed(3)).join(" / ")
  return Figures.table(
    [
      "transactions",
      "appended/s",
      "CPU us of an append, each",
      ...reads.map((name) => `${name}, p50 / p99 ms`),
      "unwind ms",
      "bytes",
      "written for each byte",
      "ratio to the document",
    ],
    subjects.map((subject) => {
      const bytes = value(subject, "bytes per transaction")
      return [
        subject,
        Math.round(value(subject, "appended/s")).toLocaleString("en"),
        value(subject, "append CPU us").toFixed(0),
        ...reads.map((name) => quantiles(subject, name)),
        value(subject, "unwind ms").toFixed(1),
        bytes.toFixed(0),
        Figures.cell(figures.median(subject, "written per byte"), 1),
        (bytes / value(subject, "document bytes")).toFixed(2),
      ]
    }),
  )
}

const options = BenchOptions.parse({
  rounds: 1,
  options: { transactions: "10000,100000,1000000", database: "", ranges: "65536" },
})
const { isSmallest, values } = options
const sizes = isSmallest ? [500] : BenchOptions.numbers("transactions", values.transactions)
const rows = await RecordedRows.load(isSmallest ? RecordedChain.smallestBlocks : RecordedChain.defaultBlocks)
const nextBlock = GeneratedRows.make(rows)
const pages = isSmallest ? 40 : 4000
const settings = { database: values.database, pages, rangeEntries: Number(values.ranges) }
// The first store warms up the process; its figures are discarded.
if (!isSmallest) await measureIn(Figures.make(), nextBlock, 5_000, settings)
const figures = Figures.make()
for (const size of sizes) await measureIn(figures, nextBlock, size, settings)
Report.finish("growth", options, figures, table)
