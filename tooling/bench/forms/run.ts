/**
 * Forms of a backfill side by side over a recorded chain: ranges that are fetched in the thread that stores, in worker threads, and in
 * processes of their own, which send their rows over a pipe. `pnpm bench forms --rounds 3 --latency 0 --blocks 1000`.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"
import type { FormRun } from "./measure.ts"

const forms: Readonly<Record<string, readonly [form: "thread" | "process", count: number]>> = {
  "no thread": ["thread", 0],
  "1 thread": ["thread", 1],
  "2 threads": ["thread", 2],
  "1 process": ["process", 1],
  "2 processes": ["process", 2],
}

const measures: ReadonlyArray<readonly [measure: string, digits: number, of: (run: FormRun) => number]> = [
  ["blocks/s", 0, ({ blocksPerSecond }) => blocksPerSecond],
  ["CPU s per 1,000 blocks", 2, ({ cpuSeconds }) => cpuSeconds],
  ["of the writer", 2, ({ writerSeconds }) => writerSeconds],
  ["peak MB", 0, ({ peakBytes }) => peakBytes / 1e6],
  ["restored blocks/s", 0, ({ restoredPerSecond }) => restoredPerSecond],
  ["CPU s to restore 1,000", 2, ({ restoreSeconds }) => restoreSeconds],
]

const { json, rounds, values } = BenchOptions.parse({
  rounds: 3,
  options: { latency: "0", blocks: String(RecordedChain.defaultBlocks) },
})
const blocks = BenchOptions.positiveInteger("blocks", values.blocks)
const figures = Figures.make()
const [latency = 0] = BenchOptions.numbers("latency", values.latency)
const node = await RecordedChain.serve(latency, blocks)
try {
  for (let round = 0; round < rounds; round++) {
    for (const [name, [form, count]] of Object.entries(forms)) {
      const args = [form, String(count), node.url, String(node.head), String(Math.floor(node.head * 0.3))]
      const output = execFileSync(
        process.execPath,
        ["--no-warnings", join(import.meta.dirname, "measure.ts"), ...args],
        {
          encoding: "utf8",
          timeout: 300_000,
          stdio: ["ignore", "pipe", "inherit"],
        },
      )
      const run = JSON.parse(output.trim().split("\n").at(-1)!) as FormRun
      for (const [measure, , of] of measures) figures.add(name, measure, of(run))
    }
  }
} finally {
  await node.stop()
}
if (json) console.log(Figures.toJson("forms", figures))
else {
  console.log(Figures.provenance("forms", rounds))
  console.log(`| | ${measures.map(([measure]) => measure).join(" | ")} |\n|---|${measures.map(() => "--:|").join("")}`)
  for (const name of Object.keys(forms)) {
    const cells = measures.map(([measure, digits]) => Figures.cell(figures.median(name, measure), digits))
    console.log(`| ${name} | ${cells.join(" | ")} |`)
  }
}
