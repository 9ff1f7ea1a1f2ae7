/**
 * A backup of a large store that is written meanwhile: `pnpm bench backup --gigabytes 10`. A writer appends at a steady rate in one
 * process, and `daybook backup` runs in another; then the backup runs again for what was appended since. The copy is verified and compared
 * with the store. Needs twice the size of the store on the disk of `--folder`.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { open } from "node:fs/promises"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import * as Report from "../Report.ts"
import * as ServiceProcess from "../serving/ServiceProcess.ts"
import * as FilledStore from "./FilledStore.ts"
import * as GeneratedRows from "./GeneratedRows.ts"
import * as LeasedStore from "./LeasedStore.ts"
import * as RecordedRows from "./RecordedRows.ts"

const sampleMillis = 20
const readMillis = 50
const pageBytes = 16_384
const quietMillis = 20_000
const checkedTransactions = 1_000
const gigabyte = 1e9
const megabyte = 1e6
const units = ["B", "KiB", "MiB", "GiB", "TiB"]
const quantiles = [
  ["p50", 0.5],
  ["p99", 0.99],
  ["max", 1],
] as const

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const fill = (folder: string, gigabytes: number, options: Options): Promise<number> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const nextBlock = GeneratedRows.make(yield* Effect.promise(() => RecordedRows.load(options.blocks)))
        const store = yield* LeasedStore.open(folder, { documents: options.documents })
        let [checkedAt, isFull] = [0, false]
        const { transactions } = yield* FilledStore.fill(store, nextBlock, (count) => {
          if (count - checkedAt < checkedTransactions) return isFull
          checkedAt = count
          return (isFull = sizeOf(store.file) >= gigabytes * gigabyte)
        })
        return transactions
      }),
    ),
  )

interface Options {
  /** Number of blocks of the recorded chain whose rows are appended. */
  readonly blocks: number
  /** Duration for which appends are measured without a backup, in milliseconds. */
  readonly quietMillis: number
  /** Number of transactions appended per second. */
  readonly rate: number
  readonly documents: "plain" | "zstd"
}

/** Measurements during an operation. */
interface Measured {
  readonly seconds: number
  readonly appends: ReadonlyArray<number>
  /** Milliseconds per read of one page at random positions of the store, one after the other. */
  readonly reads: ReadonlyArray<number>
  readonly logBytes: number
}

/** Reads pages at random positions of a file until stopped; returns the milliseconds of each. */
const startReads = async (file: string) => {
  const handle = await open(file)
  const { size } = await handle.stat()
  const page = Buffer.alloc(pageBytes)
  const reads: Array<number> = []
  let isStopping = false
  const run = async () => {
    while (!isStopping) {
      const startedAt = performance.now()
      await handle.read(page, 0, pageBytes, Math.floor((Math.random() * size) / pageBytes) * pageBytes)
      reads.push(performance.now() - startedAt)
      await sleep(readMillis)
    }
    await handle.close()
  }
  const ended = run()
  return async () => {
    isStopping = true
    await ended
    return reads
  }
}

/** A writer in its own process, whose appends are measured. */
const startWriter = (folder: string, transactions: number, { blocks, documents, rate }: Options) => {
  const script = join(import.meta.dirname, "appender.ts")
  const child = spawn(
    process.execPath,
    ["--no-warnings", script, folder, `${transactions}`, `${rate}`, documents, `${blocks}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  let appends: Array<number> = []
  createInterface({ input: child.stdout }).on("line", (line) => appends.push(Number(line)))
  const file = join(folder, "data", "chain-bench.sqlite")
  const log = `${file}-wal`
  const measure = async (work: () => Promise<unknown>): Promise<Measured> => {
    const stopReads = await startReads(file)
    const startedAt = performance.now()
    let logBytes = 0
    appends = []
    const timer = setInterval(() => (logBytes = Math.max(logBytes, sizeOf(log))), sampleMillis)
    await work()
    clearInterval(timer)
    return { seconds: (performance.now() - startedAt) / 1000, appends, logBytes, reads: await stopReads() }
  }
  const untilAppending = async () => {
    while (appends.length === 0) await sleep(sampleMillis)
  }
  return { child, measure, untilAppending }
}

const stop = async (child: ChildProcess) => {
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

/** Runs a command of the service; resolves with its output. */
const daybook = async (configuration: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(process.execPath, ["--no-warnings", ServiceProcess.sources, ...args, "--config", configuration], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let out = ""
  child.stdout.on("data", (data: Buffer) => (out += data))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`daybook ${args.join(" ")} ended with code ${code}: ${out}`)
  return out.trim()
}

const sums = [
  "SELECT count(*) AS count, total(checksum) AS sum FROM block",
  "SELECT count(*) AS count, total(checksum) AS sum FROM document",
  "SELECT count(*) AS count, total(id % 1000003) AS sum FROM history",
  "SELECT count(*) AS count, total(id % 1000003) AS sum FROM history_copy",
]

const contentsOf = (file: string): string => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return JSON.stringify(sums.map((sql) => database.prepare(sql).get()))
  } finally {
    database.close()
  }
}

const add = (
  figures: Figures.Figures,
  subject: string,
  { appends, logBytes, reads, seconds }: Measured,
  copied: string,
) => {
  figures.add(subject, "seconds", seconds)
  figures.add(subject, "log MB", logBytes / megabyte)
  for (const [name, part] of quantiles) {
    figures.add(subject, `append ${name} ms`, Figures.quantile(appends, part))
    figures.add(subject, `read ${name} ms`, Figures.quantile(reads, part))
  }
  figures.add(subject, "appends", appends.length)
  const [, number = "0", unit = "B"] = /copied \(([\d.]+) ([KMGT]?i?B)\)/.exec(copied) ?? []
  figures.add(subject, "copied MB", (Number(number) * 1024 ** units.indexOf(unit)) / megabyte)
}

const table: Figures.Table = (figures) => {
  const value = (subject: string, measure: string, digits = 0) => Figures.cell(figures.median(subject, measure), digits)
  const spread = (subject: string, name: string, digits: number) =>
    quantiles.map(([part]) => value(subject, `${name} ${part} ms`, digits)).join(" / ")
  return Figures.table(
    ["", "s", "copied MB", "log MB", "append p50 / p99 / max ms", "appends", "read of a page p50 / p99 / max ms"],
    figures
      .subjects()
      .map((subject) => [
        subject,
        ...["seconds", "copied MB", "log MB"].map((measure) => value(subject, measure)),
        spread(subject, "append", 0),
        value(subject, "appends"),
        spread(subject, "read", 1),
      ]),
  )
}

/** Whether the copy is sound and equals the store. */
const check = async (configuration: string, file: string, copy: string): Promise<void> => {
  const restored = `${configuration}.restored.json`
  const settings = JSON.parse(readFileSync(configuration, "utf8"))
  writeFileSync(restored, JSON.stringify({ ...settings, database: `sqlite:${copy}` }))
  console.error(await daybook(restored, "verify"))
  if (contentsOf(file) !== contentsOf(join(copy, "chain-bench.sqlite")))
    throw new Error("The copy differs from the store.")
  console.error("the copy equals the store")
}

const measure = async (
  figures: Figures.Figures,
  folder: string,
  gigabytes: number,
  options: Options,
): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const configuration = ServiceProcess.configure(folder, "http://127.0.0.1:9").file
  const transactions = await fill(folder, gigabytes, options)
  const file = join(folder, "data", "chain-bench.sqlite")
  const size = sizeOf(file)
  const copy = join(folder, "copy")
  // Data that filling left to be written to disk must not count in the measurement.
  spawnSync("sync")
  console.error(`filled: ${transactions} transactions, ${(size / gigabyte).toFixed(2)} GB`)
  const { child, measure: during, untilAppending } = startWriter(folder, transactions, options)
  try {
    await untilAppending()
    const backUp = async () => void printed.push(await daybook(configuration, "backup", copy))
    const printed: Array<string> = []
    const quiet = await during(() => sleep(options.quietMillis))
    const first = await during(backUp)
    await during(() => sleep(options.quietMillis))
    const second = await during(backUp)
    await stop(child)
    await backUp()
    add(figures, "no backup", quiet, "")
    add(figures, "first backup", first, printed[0] ?? "")
    add(figures, "second backup", second, printed[1] ?? "")
    await check(configuration, file, copy)
  } finally {
    if (child.exitCode === null) await stop(child)
  }
}

const options = BenchOptions.parse({
  rounds: 1,
  options: { gigabytes: "1", rate: "1000", folder: tmpdir(), documents: "zstd" },
})
const { isSmallest, values } = options
const folder = mkdtempSync(join(values.folder, "daybook-backup-"))
const figures = Figures.make()
try {
  const rate = BenchOptions.positiveInteger("rate", values.rate)
  await measure(figures, folder, isSmallest ? 0 : Number(values.gigabytes), {
    blocks: isSmallest ? RecordedChain.smallestBlocks : RecordedChain.defaultBlocks,
    quietMillis: isSmallest ? 300 : quietMillis,
    rate,
    documents: values.documents === "plain" ? "plain" : "zstd",
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
Report.finish("backup", options, figures, table)
