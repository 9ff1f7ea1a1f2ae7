/**
 * Indexers side by side over a recorded chain: `pnpm bench index --rounds 3 --latency 0,50 --only "daybook;SQD"`. A server in its own
 * process replays the node's responses, each indexer also has its own process, and indexers take turns within a round. Ratios are to the
 * faster baseline of the same round. `--blocks 4000` records a longer chain. With `--database postgres://user@host/name`, whose schemas of
 * earlier runs are dropped, Daybook and Ponder are also measured on that server.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Agreement from "../Agreement.ts"
import * as BenchOptions from "../BenchOptions.ts"
import { inTurns } from "../Checkout.ts"
import * as Figures from "../Figures.ts"
import * as Installation from "../Installation.ts"
import * as PeerInstall from "../PeerInstall.ts"
import * as Report from "../Report.ts"
import * as DaybookIndexer from "./DaybookIndexer.ts"
import * as RecordedChain from "./RecordedChain.ts"
import { blocksPerSecond } from "./Subject.ts"
import type { MeasuredRun } from "./Subject.ts"
import { base } from "./Tables.ts"

const here = import.meta.dirname
const limitMillis = 300_000

const options = BenchOptions.parse({
  rounds: 3,
  options: { latency: "0,50", blocks: String(RecordedChain.defaultBlocks), only: "", database: "" },
})
const { checkouts, isSmallest, rounds, values } = options
const database = values.database === "" ? undefined : values.database
const latencies = isSmallest ? [0] : BenchOptions.numbers("latency", values.latency)
const blocks = isSmallest ? RecordedChain.smallestBlocks : BenchOptions.positiveInteger("blocks", values.blocks)

interface Subject {
  readonly title: string
  readonly isPeer?: boolean
  /** True to measure it only at the first latency: it is CPU-bound at each of them. */
  readonly isSlow?: boolean
  readonly measure: (node: RecordedChain.ReplayedNode, folder: string) => Promise<MeasuredRun>
}

/** A subject of `measure.ts`. */
const other = (name: string): Subject["measure"] => {
  const env = { ...process.env, BENCH_DATABASE: database }
  return async ({ head, url }) => {
    const args = ["--no-warnings", join(here, "measure.ts"), name, url, String(head)]
    const stdio = ["ignore", "pipe", "inherit"] as const
    const output = execFileSync(process.execPath, args, {
      encoding: "utf8",
      env,
      stdio: [...stdio],
      timeout: limitMillis,
    })
    return JSON.parse(output.trim().split("\n").at(-1)!) as MeasuredRun
  }
}

const daybook =
  (indexer: DaybookIndexer.Options): Subject["measure"] =>
  ({ head, url }, folder) =>
    DaybookIndexer.index(indexer, url, head, folder)

const subjectsOf = (): ReadonlyArray<Subject> => {
  const command = Installation.command(checkouts[0].folder)
  const [sqd, ponder] = [
    `SQD ${PeerInstall.versions["@subsquid/evm-processor"]}`,
    `Ponder ${PeerInstall.versions["ponder"]}`,
  ]
  const baseline = ["baseline, one call per request", "baseline, 10 blocks per request"]
  return [
    ...baseline.map((title) => ({ title, measure: other(title) })),
    ...checkouts.map(({ folder, suffix }) => ({
      title: `**daybook**${suffix}`,
      measure: daybook({ command: Installation.command(folder), checks: "standard" }),
    })),
    ...(isSmallest ? [] : [{ title: "daybook, `full`", isSlow: true, measure: daybook({ command, checks: "full" }) }]),
    { title: sqd, isPeer: true, measure: other("SQD") },
    { title: ponder, isPeer: true, isSlow: true, measure: other("Ponder") },
    ...(database === undefined
      ? []
      : [
          { title: "daybook, PostgreSQL", measure: daybook({ command, checks: "standard", database }) },
          { title: `${ponder}, PostgreSQL`, isPeer: true, isSlow: true, measure: other("Ponder, PostgreSQL") },
        ]),
  ]
}

const isNamed = ({ title }: Subject): boolean =>
  values.only === "" || values.only.split(";").some((name) => title.toLowerCase().includes(name.toLowerCase()))

const figures = Figures.make()
const agree = Agreement.make()

const addRun = (subject: string, latency: number, run: MeasuredRun): void => {
  const add = (measure: string, value: number) => figures.add(subject, `${latency} ms: ${measure}`, value)
  agree("the number of blocks", subject, run.blocks)
  if (run.transactions > 0) agree("the number of transactions", subject, run.transactions)
  add("blocks/s", blocksPerSecond(run))
  add("CPU s per 1,000 blocks", (run.cpuSeconds / run.blocks) * 1000)
  if (run.busiestSeconds !== undefined) {
    add("CPU s of the busiest thread", (run.busiestSeconds / run.blocks) * 1000)
  }
  add("peak MB", run.peakBytes / 1e6)
  if (run.transactions > 0 && run.bytes > 0) add("bytes per transaction", run.bytes / run.transactions)
  if (run.documentBytes !== undefined) add("bytes per byte of document", run.bytes / run.documentBytes)
}

/** Measures each subject once, including the faster baseline. */
const measureRound = async (
  subjects: ReadonlyArray<Subject>,
  latency: number,
  node: RecordedChain.ReplayedNode,
  folder: string,
): Promise<void> => {
  const baselines: Array<number> = []
  for (const { measure, title } of subjects) {
    const place = mkdtempSync(join(folder, "run-"))
    const run = await measure(node, place)
    rmSync(place, { recursive: true, force: true })
    addRun(title, latency, run)
    if (title.startsWith("baseline")) baselines.push(blocksPerSecond(run))
  }
  if (baselines.length > 0) figures.add(base, `${latency} ms: blocks/s`, Math.max(...baselines))
}

const folder = mkdtempSync(join(tmpdir(), "daybook-index-"))
try {
  const subjects = subjectsOf()
    .filter(({ isPeer }) => !(isSmallest && isPeer === true))
    .filter(isNamed)
  if (subjects.length === 0)
    BenchOptions.exitWith(`Invalid option "--only": expected names, received "${values.only}".`)
  if (subjects.some(({ isPeer }) => isPeer === true)) PeerInstall.install(join(here, "../indexers"))
  for (const [at, latency] of latencies.entries()) {
    const measured = subjects.filter(({ isSlow = false }) => at === 0 || !isSlow)
    const node = await RecordedChain.serve(latency, blocks)
    try {
      for (let round = 0; round < rounds; round++) await measureRound(inTurns(measured, round), latency, node, folder)
    } finally {
      await node.stop()
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
Report.finish("index", options, figures)
