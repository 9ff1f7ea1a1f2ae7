/**
 * Trains the dictionary of stored documents: `pnpm dictionary [--blocks FILE] [--write ID]`. Prints how well a dictionary from half of the
 * samples compresses the other half; `--write` trains one on all samples and writes it to the service under an id. A released dictionary is
 * never overwritten, because rows name it. Needs the `zstd` program.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { zstdCompressSync } from "node:zlib"
import type { TransactionRow } from "../../../packages/service/src/block/BlockRows.ts"
import * as Samples from "./Samples.ts"
import { half, mixed, train } from "./Training.ts"

const target = join(import.meta.dirname, "../../../packages/service/dictionaries")

/** A row is stored as one text: its document and, if they are short, its internal transactions. */
const textOf = ({ body, internal }: TransactionRow): string => body + (internal ?? "")

const mean = (rows: ReadonlyArray<TransactionRow>, sizeOf: (text: string) => number) =>
  (rows.reduce((sum, row) => sum + sizeOf(textOf(row)), 0) / Math.max(1, rows.length)).toFixed(0)

const measure = ({ recorded, scenario }: Samples.Samples): void => {
  const dictionary = train(mixed(half(recorded, 0), half(scenario, 0)).map(textOf), 1)
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

const write = ({ recorded, scenario }: Samples.Samples, id: number): void => {
  const file = join(target, `${id}.zdict`)
  mkdirSync(target, { recursive: true })
  writeFileSync(file, train(mixed(recorded, scenario).map(textOf), id), { flag: "wx" })
  console.log(`wrote ${file}`)
}

const { values } = parseArgs({ options: { blocks: { type: "string", default: "" }, write: { type: "string" } } })
const samples = await Samples.load(values.blocks)
measure(samples)
if (values.write !== undefined) write(samples, Number(values.write))
