/**
 * Trains the dictionary of stored documents: `pnpm dictionary [--write ID]`. Prints what a dictionary of half of the samples makes of
 * the other half; `--write` trains one on all and writes it to the service under an id. A dictionary that was released is never
 * written again: rows name it. Needs the `zstd` program.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { zstdCompressSync } from "node:zlib"
import type { TransactionRow } from "../../../packages/service/src/store/BlockRows.ts"
import * as Samples from "./Samples.ts"

const dictionaryBytes = 16_384
const target = join(import.meta.dirname, "../../../packages/service/dictionaries")

/** A row is stored as one text: its document and, where they are short, its internal transactions. */
const textOf = ({ body, internal }: TransactionRow): string => body + (internal ?? "")

const train = (rows: ReadonlyArray<TransactionRow>, id: number): Buffer => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-dictionary-"))
  try {
    const samples = join(folder, "samples")
    const file = join(folder, "dictionary")
    mkdirSync(samples)
    rows.forEach((row, index) => writeFileSync(join(samples, String(index).padStart(6, "0")), textOf(row)))
    const options = ["-q", `--maxdict=${dictionaryBytes}`, `--dictID=${id}`, "-o", file]
    execFileSync("zstd", ["--train", "-r", samples, ...options])
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const half = <A>(list: ReadonlyArray<A>, rest: 0 | 1): ReadonlyArray<A> => list.filter((_, index) => index % 2 === rest)

/** As many documents of the scenario as recorded ones, so that neither decides alone; all of them where nothing is recorded. */
const mixed = ({ recorded, scenario }: Samples.Samples): ReadonlyArray<TransactionRow> => {
  const step = recorded.length === 0 ? 1 : Math.max(1, Math.floor(scenario.length / recorded.length))
  return [...recorded, ...scenario.filter((_, index) => index % step === 0)]
}

const mean = (rows: ReadonlyArray<TransactionRow>, sizeOf: (text: string) => number) =>
  (rows.reduce((sum, row) => sum + sizeOf(textOf(row)), 0) / Math.max(1, rows.length)).toFixed(0)

const measure = ({ recorded, scenario }: Samples.Samples): void => {
  const dictionary = train(mixed({ recorded: half(recorded, 0), scenario: half(scenario, 0) }), 1)
  const small = (rows: ReadonlyArray<TransactionRow>) => rows.filter((row) => textOf(row).length <= 16_384)
  const other = { recorded: half(recorded, 1), scenario: half(scenario, 1).filter((_, index) => index % 10 === 0) }
  console.log("| samples | documents | text | zstd | zstd with the dictionary of the other half |")
  console.log("|---|---|---|---|---|")
  for (const [name, rows] of [
    ["public chains", other.recorded],
    ["public chains, up to 16 kB", small(other.recorded)],
    ["scenario", other.scenario],
  ] as const) {
    const sizes = [
      mean(rows, Buffer.byteLength),
      mean(rows, (text) => zstdCompressSync(text).length),
      mean(rows, (text) => zstdCompressSync(text, { dictionary }).length),
    ]
    console.log(`| ${name} | ${rows.length} | ${sizes.join(" | ")} |`)
  }
}

const write = (samples: Samples.Samples, id: number): void => {
  const file = join(target, `${id}.zdict`)
  mkdirSync(target, { recursive: true })
  writeFileSync(file, train(mixed(samples), id), { flag: "wx" })
  console.log(`wrote ${file}`)
}

const { values } = parseArgs({ options: { write: { type: "string" } } })
const samples = await Samples.load()
measure(samples)
if (values.write !== undefined) write(samples, Number(values.write))
