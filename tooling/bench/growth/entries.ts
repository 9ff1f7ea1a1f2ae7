/**
 * How the tables of histories and ledgers grow in several layouts: `pnpm bench entries --entries 1000000,10000000`. Rows are generated, so
 * that only the tables are measured. `--layouts` takes parts of layout names, separated by `;`. The process itself checkpoints the log, for
 * which the service uses a thread.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as ProcessUse from "../ProcessUse.ts"
import * as Report from "../Report.ts"
import * as EntryLayouts from "./EntryLayouts.ts"
import * as FilledStore from "./FilledStore.ts"
import * as MadeEntries from "./MadeEntries.ts"

/** Number of transactions per append, as in the benchmark `growth`. */
const usualAppend = 1000
const pageSize = 25

interface Variation extends EntryLayouts.Variation {
  /** Number of transactions per append. Default: 1,000. */
  readonly perAppend?: number
}

const layouts: Readonly<Record<string, Variation>> = {
  "as stored": {},
  "sorted appends": { isSorted: true },
  "one copy": { hasOneCopy: true, isSorted: true },
  "cache of 256 MB": { cacheKib: 256_000, isSorted: true },
  "pages of 4 KiB": { pageBytes: 4096, isSorted: true },
  "appends of 3,000": { perAppend: 3_000, isSorted: true },
  "appends of 10,000": { perAppend: 10_000, isSorted: true },
  "pages of 4 KiB, appends of 10,000, cache of 256 MB": {
    pageBytes: 4096,
    perAppend: 10_000,
    cacheKib: 256_000,
    isSorted: true,
  },
  "ranges of 64k": { rangeEntries: 65_536, isSorted: true },
  "ranges of 256k": { rangeEntries: 262_144, isSorted: true },
  "ranges of 1M": { rangeEntries: 1_048_576, isSorted: true },
  "ranges of 64k, 8 merged": { rangeEntries: 65_536, isSorted: true, mergedRanges: 8 },
  "ranges of 32k, 8 merged, one copy": { rangeEntries: 32_768, isSorted: true, mergedRanges: 8, hasOneCopy: true },
}

const cpuMicros = () => {
  const { system, user } = process.cpuUsage()
  return system + user
}

const writtenBytes = () => ProcessUse.writtenBytes(process.pid) ?? 0

/** Time of each call in microseconds, without the first tenth. */
const timesOf = (read: (turn: number) => unknown, turns: number): ReadonlyArray<number> => {
  const times = Array.from({ length: turns }, (_, turn) => {
    const before = process.hrtime.bigint()
    read(turn)
    return Number(process.hrtime.bigint() - before) / 1000
  })
  return times.slice(turns / 10)
}

/** Entries appended since the previous measurement of a layout. */
interface Interval {
  readonly entries: number
  readonly cpu: number
  readonly millis: number
  readonly written: number
}

const none: Interval = { entries: 0, cpu: 0, millis: 0, written: 0 }

const appendTo = (layout: EntryLayouts.Layout, batch: MadeEntries.Batch, interval: Interval): Interval => {
  const [cpu, written, startedAt] = [cpuMicros(), writtenBytes(), performance.now()]
  layout.append(batch)
  return {
    entries: interval.entries + batch.histories.length + batch.ledgers.length,
    cpu: interval.cpu + cpuMicros() - cpu,
    millis: interval.millis + performance.now() - startedAt,
    written: interval.written + writtenBytes() - written,
  }
}

const measurePages = (layout: EntryLayouts.Layout, entries: number, pages: number) => {
  const busy = (turn: number) => MadeEntries.busyWallet(turn)
  const quiet = (turn: number) => MadeEntries.quietWallet(turn, entries)
  const ofHistory = (wallet: (turn: number) => number) => (turn: number) =>
    layout.history(MadeEntries.keyOf(wallet(turn)), pageSize)
  const ofLedger = (wallet: (turn: number) => number) => (turn: number) =>
    layout.ledger(MadeEntries.addressOf(wallet(turn)), pageSize)
  const parts = { "history, busy": ofHistory(busy), "history, quiet": ofHistory(quiet) } as const
  const all = { ...parts, "ledger, busy": ofLedger(busy), "ledger, quiet": ofLedger(quiet) }
  return Object.entries(all).map(([name, read]) => [name, Figures.quantile(timesOf(read, pages), 0.5)] as const)
}

/** Size of a file's contents. */
interface Filled {
  transactions: number
}

const entriesOf = ({ transactions }: Filled): number => transactions * MadeEntries.perTransaction

/** Appends until the file has a size; returns what was appended from `measuredFrom` entries on. */
const fill = (layout: EntryLayouts.Layout, state: Filled, perAppend: number, size: number, measuredFrom: number) => {
  let interval = none
  while (entriesOf(state) < size) {
    const isMeasured = entriesOf(state) >= measuredFrom
    const next = appendTo(layout, MadeEntries.make(state.transactions, perAppend), interval)
    if (isMeasured) interval = next
    state.transactions += perAppend
  }
  return interval
}

/** Number of entries from which a size is measured: the last quarter since the previous size, or all of the first size. */
const measuredFrom = (sizes: ReadonlyArray<number>, at: number): number =>
  at === 0 ? 0 : sizes[at]! - (sizes[at]! - sizes[at - 1]!) / 4

const measure = (
  figures: Figures.Figures,
  [name, variation]: readonly [string, Variation],
  sizes: ReadonlyArray<number>,
  pages: number,
): void => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-entries-"))
  const file = join(folder, "entries.sqlite")
  const { perAppend = usualAppend, ...layoutOptions } = variation
  const layout = EntryLayouts.open(file, layoutOptions)
  try {
    const state: Filled = { transactions: 0 }
    for (const [at, size] of sizes.entries()) {
      const { cpu, entries, millis, written } = fill(layout, state, perAppend, size, measuredFrom(sizes, at))
      FilledStore.writeBackLog(file)
      const add = (measure: string, value: number) => figures.add(`${name}, ${size / 1e6} million`, measure, value)
      add("CPU us an entry", cpu / entries)
      add("entries/s", (entries / millis) * 1000)
      add("bytes an entry", statSync(file).size / entriesOf(state))
      add("bytes written an entry", written / entries)
      add("ranges", layout.ranges())
      for (const [page, micros] of measurePages(layout, size, pages)) add(`${page} us`, micros)
    }
  } finally {
    layout.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const columns = [
  ["CPU us an entry", 1],
  ["entries/s", 0],
  ["bytes an entry", 1],
  ["bytes written an entry", 0],
  ["ranges", 0],
  ["history, busy us", 0],
  ["history, quiet us", 0],
  ["ledger, busy us", 0],
  ["ledger, quiet us", 0],
] as const

const table: Figures.Table = (figures) =>
  Figures.table(
    ["layout, entries", ...columns.map(([measure]) => measure)],
    figures
      .subjects()
      .map((subject) => [
        subject,
        ...columns.map(([measure, digits]) => Figures.cell(figures.median(subject, measure), digits)),
      ]),
  )

const options = BenchOptions.parse({ rounds: 1, options: { entries: "1000000,10000000", layouts: "" } })
const sizes = options.isSmallest ? [10_000] : BenchOptions.numbers("entries", options.values.entries)
const wanted = options.values.layouts.split(";").filter((name) => name !== "")
const chosen = Object.entries(layouts).filter(
  ([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)
const figures = Figures.make()
for (const layout of chosen) measure(figures, layout, sizes, options.isSmallest ? 20 : 2000)
Report.finish("entries", options, figures, table)
