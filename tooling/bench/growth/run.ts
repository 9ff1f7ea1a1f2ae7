/**
 * How a store behaves as it grows: `pnpm bench growth --transactions 10000,100000,1000000`. Pages are read and written to
 * text in this process, and requested from `daybook serve` over a socket, one after the other. With
 * `--database postgres://user@host/name` the store is one of PostgreSQL, where schemas of earlier runs are dropped; else a file of SQLite.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { BlockRows } from "../../../packages/service/src/block/BlockRows.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as FilledStore from "./FilledStore.ts"
import * as GeneratedRows from "./GeneratedRows.ts"
import * as LeasedStore from "./LeasedStore.ts"
import * as MeasuredPages from "./MeasuredPages.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
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
      // A stored header is enough of a parent: its number and hash are read.
      const block = nextBlock((blocks.at(-1) ?? to) as BlockRows, serial)
      serial += block.transactions.length
      blocks.push(block)
    }
    yield* store.append(to!, blocks)
    head = blocks.at(-1)!
  }
  return millis
})

/** A store that is measured. */
interface Subject {
  readonly store: LeasedStore.LeasedStore
  readonly configuration: ServiceProcess.Configuration
  /** Brings what was written where it is read in the long run. */
  readonly settle: Effect.Effect<unknown, unknown>
  readonly bytes: Effect.Effect<number, unknown>
}

/** Where the store lies: in a folder, or in a database that is not empty text. */
interface Place {
  readonly folder: string
  readonly database: string
}

const open = Effect.fnUntraced(function* ({ database, folder }: Place) {
  // The node is never called.
  const sqlite = ServiceProcess.configure(folder, "http://127.0.0.1:9")
  if (database === "") {
    const store = yield* LeasedStore.open(folder)
    // A small store would lie in the log alone, which is slower to read.
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
    ...{ store, settle, configuration: { ...changed, key } },
    bytes: PostgresDatabase.bytes(database),
  } satisfies Subject
})

/** Measures a store of one size; the subject of the figures is its number of transactions. */
const measure = Effect.fnUntraced(function* (
  figures: Figures.Figures,
  nextBlock: GeneratedRows.NextBlock,
  wanted: number,
  place: Place,
) {
  const { bytes, configuration, settle, store } = yield* open(place)
  const filled = yield* FilledStore.fill(store, nextBlock, (transactions) => transactions >= wanted)
  yield* settle
  const { transactions } = filled
  const anyWallet = (turn: number) => GeneratedRows.walletOf(Math.imul(turn + 1, 7919) % transactions)
  const any = yield* MeasuredPages.read(store.reader, anyWallet)
  const busy = yield* MeasuredPages.read(store.reader, () => GeneratedRows.busyWallet)
  const served = yield* Effect.promise(() => MeasuredPages.served(configuration, anyWallet))
  const unwound = yield* unwindMillis(store, nextBlock, filled)
  yield* settle

  const add = (name: string, value: number) => figures.add(transactions.toLocaleString("en"), name, value)
  add("appended/s", (transactions / filled.appendMillis) * 1000)
  add("any wallet p50 ms", Figures.quantile(any, 0.5))
  add("any wallet p99 ms", Figures.quantile(any, 0.99))
  add("busiest wallet p50 ms", Figures.quantile(busy, 0.5))
  add("busiest wallet p99 ms", Figures.quantile(busy, 0.99))
  add("any wallet, served p50 ms", served.p50)
  add("any wallet, served p99 ms", served.p99)
  add("unwind ms", Figures.quantile(unwound, 0.5))
  add("bytes per transaction", (yield* bytes) / transactions)
  add("document bytes", filled.documentBytes / transactions)
})

const measureIn = async (
  figures: Figures.Figures,
  nextBlock: GeneratedRows.NextBlock,
  size: number,
  database: string,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-growth-"))
  try {
    await Effect.runPromise(Effect.scoped(measure(figures, nextBlock, size, { folder, database })))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const table = (figures: Figures.Figures): void => {
  const subjects = [...new Set(figures.all().map(({ subject }) => subject))]
  const value = (subject: string, measure: string) => figures.median(subject, measure) ?? 0
  const quantiles = (subject: string, measure: string) =>
    `${value(subject, `${measure} p50 ms`).toFixed(3)} / ${value(subject, `${measure} p99 ms`).toFixed(3)} ms`
  console.log(Figures.provenance("growth"))
  console.log(
    "| transactions | appended | page of 25, any wallet, p50 / p99 | the busiest wallet | any wallet, served | unwind of 12 blocks | bytes each | document | ratio |",
  )
  console.log("|---|---|---|---|---|---|---|---|---|")
  for (const subject of subjects) {
    const reads = ["any wallet", "busiest wallet", "any wallet, served"].map((name) => quantiles(subject, name))
    const bytes = value(subject, "bytes per transaction")
    const document = value(subject, "document bytes")
    const sizes = `${bytes.toFixed(0)} | ${document.toFixed(0)} | ${(bytes / document).toFixed(2)}`
    const appended = Math.round(value(subject, "appended/s")).toLocaleString("en")
    console.log(
      `| ${subject} | ${appended}/s | ${reads.join(" | ")} | ${value(subject, "unwind ms").toFixed(1)} ms | ${sizes} |`,
    )
  }
  if (subjects.length < 2) return
  const growth = (measure: string) => (value(subjects.at(-1)!, measure) / value(subjects[0]!, measure)).toFixed(2)
  console.log(
    `\nfrom ${subjects[0]} to ${subjects.at(-1)}: page p50 grows ${growth("any wallet p50 ms")} times, of the busiest wallet ${growth("busiest wallet p50 ms")} times, served ${growth("any wallet, served p50 ms")} times`,
  )
}

const { json, values } = BenchOptions.parse({
  rounds: 1,
  options: { transactions: "10000,100000,1000000", database: "" },
})
const sizes = BenchOptions.numbers("transactions", values.transactions)
const nextBlock = GeneratedRows.make(await RecordedRows.load())
// The first store warms the process up; its figures are dropped.
await measureIn(Figures.make(), nextBlock, 5_000, values.database)
const figures = Figures.make()
for (const size of sizes) await measureIn(figures, nextBlock, size, values.database)
if (json) console.log(Figures.toJson("growth", figures))
else table(figures)
