/**
 * Indexers side by side over a recorded chain: `pnpm bench index --rounds 3 --latency 0,5,50 --only "daybook, standard;sqd"`. A
 * server in a process of its own replays the node's responses, each indexer has a process too, and indexers take turns within a
 * round. Ratios are to the faster baseline of the same round. `--blocks 4000` records a longer chain, of which the start of threads
 * takes a smaller part. With `--database postgres://user@host/name`, whose schemas of earlier runs are dropped, Daybook and Ponder are
 * measured on that server too.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as Figures from "../Figures.ts"
import * as PeerInstall from "../PeerInstall.ts"
import { needsDatabase, subjects } from "./measure.ts"
import * as RecordedChain from "./RecordedChain.ts"
import { blocksPerSecond } from "./Subject.ts"
import type { MeasuredRun } from "./Subject.ts"

const here = import.meta.dirname

const measure = (subject: string, node: RecordedChain.ReplayedNode): MeasuredRun => {
  const args = ["--no-warnings", join(here, "measure.ts"), subject, node.url, String(node.head)]
  const env = { ...process.env, BENCH_DATABASE: values.database }
  const output = execFileSync(process.execPath, args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "inherit"] })
  return JSON.parse(output.trim().split("\n").at(-1)!) as MeasuredRun
}

const addRun = (figures: Figures.Figures, subject: string, latency: number, run: MeasuredRun): void => {
  const add = (measure: string, value: number) => figures.add(subject, `${latency} ms: ${measure}`, value)
  add("blocks/s", blocksPerSecond(run))
  add("CPU s per 1,000 blocks", (run.cpuSeconds / run.blocks) * 1000)
  add("peak MB", run.peakBytes / 1e6)
  if (run.transactions > 0 && run.bytes > 0) add("bytes per transaction", run.bytes / run.transactions)
  if (run.documentBytes !== undefined) add("bytes per byte of document", run.bytes / run.documentBytes)
}

const measureAll = async (
  figures: Figures.Figures,
  latency: number,
  names: ReadonlyArray<string>,
  { blocks, rounds }: { readonly blocks: number; readonly rounds: number },
): Promise<void> => {
  const node = await RecordedChain.serve(latency, blocks)
  try {
    for (let round = 0; round < rounds; round++) {
      const runs = names.map((name) => ({ name, run: measure(name, node) }))
      for (const { name, run } of runs) addRun(figures, name, latency, run)
      const baselines = runs.filter(({ name }) => name.startsWith("baseline")).map(({ run }) => blocksPerSecond(run))
      if (baselines.length > 0) figures.add("baseline", `${latency} ms: blocks/s`, Math.max(...baselines))
    }
  } finally {
    await node.stop()
  }
}

const table = (figures: Figures.Figures, latency: number, names: ReadonlyArray<string>): void => {
  const columns = ["CPU s per 1,000 blocks", "peak MB", "bytes per transaction", "bytes per byte of document"]
  const digits = [2, 0, 0, 2]
  console.log(`${latency} ms latency\n`)
  console.log(`| | blocks/s | ratio | ${columns.join(" | ")} |\n|---|---|---|---|---|---|---|`)
  for (const name of names) {
    const rate = `${latency} ms: blocks/s`
    const ratio = figures.ratio(name, rate, figures.values("baseline", rate))
    const cells = columns.map((column, at) =>
      Figures.cell(figures.median(name, `${latency} ms: ${column}`), digits[at]!),
    )
    console.log(
      `| ${name} | ${Figures.cell(figures.median(name, rate), 0)} | ${Figures.cell(ratio, 2)} | ${cells.join(" | ")} |`,
    )
  }
  console.log("")
}

const { json, rounds, values } = BenchOptions.parse({
  rounds: 3,
  options: {
    latency: "0,5,50,400",
    blocks: String(RecordedChain.defaultBlocks),
    only: "",
    database: "",
  },
})
const latencies = BenchOptions.numbers("latency", values.latency)
const blocks = BenchOptions.positiveInteger("blocks", values.blocks)
const all = Object.keys(subjects).filter((name) => values.database !== "" || !needsDatabase(name))
const names = values.only === "" ? all : values.only.split(";")
const unknown = names.find((name) => !Object.hasOwn(subjects, name))
if (unknown !== undefined) {
  BenchOptions.exitWith(
    `Invalid option "--only": expected subjects separated by ";" (${Object.keys(subjects).join("; ")}), received "${unknown}".`,
  )
}
if (values.database === "" && names.some(needsDatabase)) {
  BenchOptions.exitWith('Invalid option "--database": expected a PostgreSQL URL, received nothing.')
}
if (names.some((name) => /^(sqd|ponder)/.test(name))) PeerInstall.install(join(here, "../indexers"))

const figures = Figures.make()
for (const latency of latencies) await measureAll(figures, latency, names, { blocks, rounds })
if (json) console.log(Figures.toJson("index", figures))
else {
  console.log(Figures.provenance("index", rounds))
  for (const latency of latencies) table(figures, latency, names)
}
