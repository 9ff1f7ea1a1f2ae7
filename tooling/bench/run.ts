/**
 * Runs benchmarks by name: `pnpm bench codecs --rounds 3`; without a name those that take a minute.
 *
 * - `pnpm bench measure [names]` measures the benchmarks whose tables stand in documents, all or those named, writes their results to
 *   `results/` and the tables into the documents. The working tree has to be that of a commit.
 * - `--against REV` measures an older commit beside this one, in turns within each round: `codecs`, `rpc`, `index` and `page`.
 * - `--smallest` runs each benchmark in a few seconds, with subjects that need no installation, to see that it runs and that its subjects
 *   give equal results. No time is judged.
 *
 * The peers are installed outside the workspace on the first run; what is measured runs in its own processes.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import * as FiguresCheck from "../check/figures.ts"
import { exitWith } from "./BenchOptions.ts"
import * as Checkout from "./Checkout.ts"
import * as PeerInstall from "./PeerInstall.ts"
import { published } from "./Published.ts"

interface Benchmark {
  readonly file: string
  readonly isShort?: boolean
  readonly hasRounds?: boolean
  /** It measures an older commit, too. */
  readonly compares?: boolean
  readonly hasSmallest?: boolean
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  codecs: { file: "codecs/run.ts", isShort: true, compares: true, hasSmallest: true },
  bundle: { file: "bundle/run.ts", isShort: true },
  programs: { file: "programs/run.ts", hasRounds: false },
  clients: { file: "clients/run.ts", hasSmallest: true },
  rpc: { file: "rpc/run.ts", compares: true, hasSmallest: true },
  index: { file: "indexing/run.ts", compares: true, hasSmallest: true },
  growth: { file: "growth/run.ts", hasRounds: false, hasSmallest: true },
  databases: { file: "growth/databases.ts" },
  backup: { file: "growth/backup.ts", hasRounds: false, hasSmallest: true },
  page: { file: "serving/run.ts", compares: true, hasSmallest: true },
  receipts: { file: "ledger/run.ts", hasRounds: false },
}

const run = (file: string, args: ReadonlyArray<string>): boolean => {
  const script = join(import.meta.dirname, file)
  const { status } = spawnSync(process.execPath, ["--no-warnings", script, ...args], { stdio: "inherit" })
  if (status === 0) return true
  console.error(`${file} ended with code ${status}.`)
  process.exitCode = 1
  return false
}

/** Takes an option with its value out of a list of words. */
const take = (
  words: ReadonlyArray<string>,
  option: string,
): { readonly value: string; readonly rest: Array<string> } => {
  const at = words.indexOf(option)
  if (at === -1) return { value: "", rest: [...words] }
  return { value: words[at + 1] ?? "", rest: words.filter((_, index) => index !== at && index !== at + 1) }
}

const given = process.argv.slice(2)
const { rest: words, value: against } = take(given, "--against")
const named = words.filter((word) => Object.hasOwn(benchmarks, word))
const measures = words.includes("measure")
const options = words.filter((word) => !named.includes(word) && word !== "measure")
const withoutRounds = take(options, "--rounds").rest

const smallest = (): void => {
  for (const [name, { file, hasSmallest = false }] of Object.entries(benchmarks)) {
    if (!hasSmallest || (named.length > 0 && !named.includes(name))) continue
    const startedAt = performance.now()
    run(file, ["--smallest"])
    console.log(`   ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
}

/** Exits where files differ from the commit, other than the tables and results of earlier measurements. */
const requireCommit = (): void => {
  const args = [
    "status",
    "--porcelain",
    "--untracked-files=no",
    "--",
    ".",
    ":(exclude)*.md",
    ":(exclude)tooling/bench/results",
  ]
  const changed = execFileSync("git", args, { cwd: Checkout.head.root, encoding: "utf8" }).trim()
  if (changed !== "") exitWith(`Files differ from the commit that would be measured. Commit them first:\n${changed}`)
}

const chosen = (): ReadonlyArray<string> => {
  if (named.length > 0) return Object.keys(benchmarks).filter((name) => named.includes(name))
  return Object.keys(benchmarks).filter((name) =>
    measures ? Object.hasOwn(published, name) : benchmarks[name]!.isShort,
  )
}

const runChosen = (other: Checkout.Checkout | undefined): void => {
  if (measures) requireCommit()
  PeerInstall.install(import.meta.dirname)
  for (const name of chosen()) {
    const { compares = false, file, hasRounds = true } = benchmarks[name]!
    const isPublished = measures && Object.hasOwn(published, name)
    run(file, [
      ...(hasRounds ? options : withoutRounds),
      ...(isPublished ? ["--saved-as", ["pnpm bench measure", name, ...options].join(" ")] : []),
      ...(compares && other !== undefined ? ["--root", other.root, "--suffix", other.suffix] : []),
    ])
  }
  if (measures) FiguresCheck.write()
}

const unknown = withoutRounds.filter((word) => !word.startsWith("--"))
if (options.includes("--smallest")) {
  smallest()
} else if (named.length === 0 && unknown.length > 0) {
  const expected = ["measure", ...Object.keys(benchmarks)].join(", ")
  exitWith(`Invalid argument "benchmark": expected one of ${expected}, received "${unknown.join(" ")}".`)
} else if (against === "") {
  runChosen(undefined)
} else {
  const { checkout, remove } = Checkout.unpack(against)
  try {
    runChosen(checkout)
  } finally {
    remove()
  }
}
