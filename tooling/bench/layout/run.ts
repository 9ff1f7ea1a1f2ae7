/**
 * What the parts of a stored transaction take, and what leaving out repeated members would save and cost:
 * `pnpm bench layout --transactions 60000 --blocks FILE`. The file holds whole blocks of public chains: see `dictionary/Samples.ts`.
 * Needs the `zstd` program.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { BlockRows } from "../../../packages/service/src/store/BlockRows.ts"
import * as BenchOptions from "../BenchOptions.ts"
import * as Samples from "../dictionary/Samples.ts"
import * as Figures from "../Figures.ts"
import * as GeneratedRows from "../growth/GeneratedRows.ts"
import * as LeasedStore from "../growth/LeasedStore.ts"
import * as RecordedRows from "../growth/RecordedRows.ts"
import * as Leaving from "./Leaving.ts"
import * as Parts from "./Parts.ts"

const blocksPerAppend = 50

/** Blocks of a growing chain. */
const generated = (templates: ReadonlyArray<BlockRows>, wanted: number): ReadonlyArray<BlockRows> => {
  const next = GeneratedRows.make(templates)
  const blocks: Array<BlockRows> = []
  for (let count = 0; count < wanted; count += blocks.at(-1)!.transactions.length) {
    blocks.push(next(blocks.at(-1), count))
  }
  return blocks
}

/** Blocks of several chains as one chain: each on the one before it. Their documents stay as they are. */
const chained = (blocks: ReadonlyArray<BlockRows>): ReadonlyArray<BlockRows> =>
  blocks.map((block, number) => ({ ...block, number, parentHash: blocks[number - 1]?.hash ?? block.parentHash }))

const fill = Effect.fnUntraced(function* (folder: string, blocks: ReadonlyArray<BlockRows>) {
  const { append, file } = yield* LeasedStore.open(folder)
  for (let at = 0; at < blocks.length; at += blocksPerAppend) {
    yield* append(blocks[at - 1] ?? null, blocks.slice(at, at + blocksPerAppend))
  }
  const database = new DatabaseSync(file)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
  return file
})

const measureParts = async (
  figures: Figures.Figures,
  subject: string,
  blocks: ReadonlyArray<BlockRows>,
  templates: ReadonlyArray<BlockRows>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-layout-"))
  const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  const measure = Effect.map(fill(folder, blocks), (file) =>
    Parts.measure(
      figures,
      `${subject}, ${transactions.toLocaleString("en")} transactions`,
      file,
      transactions,
      templates,
    ),
  )
  try {
    await Effect.runPromise(Effect.scoped(measure))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Subjects in columns. */
const partsTable = (figures: Figures.Figures): void => {
  const subjects = [...new Set(figures.all().map(({ subject }) => subject))]
  const measures = [...new Set(figures.all().map(({ measure }) => measure))]
  console.log(`| bytes of a transaction | ${subjects.join(" | ")} |`)
  console.log(`|---|${subjects.map(() => "---|").join("")}`)
  for (const measure of measures) {
    console.log(`| ${measure} | ${subjects.map((one) => Figures.cell(figures.median(one, measure), 1)).join(" | ")} |`)
  }
}

/** Subjects in rows. */
const leavingTable = (figures: Figures.Figures): void => {
  const subjects = [...new Set(figures.all().map(({ subject }) => subject))]
  const measures = [...new Set(figures.all().map(({ measure }) => measure))]
  console.log(`\n| stored text | ${measures.join(" | ")} |`)
  console.log(`|---|${measures.map(() => "---|").join("")}`)
  for (const one of subjects) {
    console.log(`| ${one} | ${measures.map((name) => Figures.cell(figures.median(one, name), 1)).join(" | ")} |`)
  }
}

const { json, rounds, values } = BenchOptions.parse({ rounds: 5, options: { transactions: "60000", blocks: "" } })
const templates = await RecordedRows.load()
const publicBlocks = Samples.publicBlocks(values.blocks)
const parts = Figures.make()
const wanted = BenchOptions.positiveInteger("transactions", values.transactions)
await measureParts(parts, "bench's chain", generated(templates, wanted), templates)
if (publicBlocks.length > 0) await measureParts(parts, "public chains", chained(publicBlocks), publicBlocks)
const leaving = Figures.make()
const samples = {
  recorded: publicBlocks.flatMap(({ transactions }) => transactions),
  scenario: templates.flatMap(({ transactions }) => transactions),
}
Leaving.measure(leaving, samples, rounds)
if (json) {
  console.log(Figures.toJson("layout", parts))
  console.log(Figures.toJson("layout", leaving))
} else {
  console.log(Figures.provenance("layout", rounds))
  partsTable(parts)
  leavingTable(leaving)
}
