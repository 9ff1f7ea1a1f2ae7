/**
 * Runs benchmarks by name: `pnpm bench codecs --rounds 3`; without a name, those that take a minute.
 *
 * - `pnpm bench measure [names]` measures the benchmarks whose tables are in documents, all or the named ones, and writes their results to
 *   `results/` and the tables into the documents. The working tree must be clean apart from these.
 * - `--against REV` also measures an older commit, in turns within each round: `codecs`, `browser`, `rpc`, `index` and `page`.
 * - `--smallest` runs each benchmark in a few seconds, with subjects that need no installation, to check that it runs and that its subjects
 *   return equal results. Times are not evaluated.
 *
 * The peers are installed outside the workspace on the first run; what is measured runs in its own processes.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FiguresCheck from "../check/figures.ts"
import { exitWith } from "./BenchOptions.ts"
import * as Checkout from "./Checkout.ts"
import * as Installation from "./Installation.ts"
import * as PeerInstall from "./PeerInstall.ts"
import { published } from "./Published.ts"

interface Benchmark {
  readonly file: string
  readonly isShort?: boolean
  readonly hasRounds?: boolean
  /** True if it can also measure an older commit. */
  readonly compares?: boolean
  /** True if it runs the packages in their published form. */
  readonly needsPackages?: boolean
  readonly hasSmallest?: boolean
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  codecs: { file: "codecs/run.ts", isShort: true, compares: true, hasSmallest: true },
  browser: { file: "codecs/browser.ts", compares: true },
  bundle: { file: "bundle/run.ts", isShort: true },
  programs: { file: "programs/run.ts", hasRounds: false },
  clients: { file: "clients/run.ts", needsPackages: true, hasSmallest: true },
  rpc: { file: "rpc/run.ts", compares: true, hasSmallest: true },
  index: { file: "indexing/run.ts", needsPackages: true, compares: true, hasSmallest: true },
  growth: { file: "growth/run.ts", hasRounds: false, hasSmallest: true },
  entries: { file: "growth/entries.ts", hasRounds: false, hasSmallest: true },
  databases: { file: "growth/databases.ts" },
  backup: { file: "growth/backup.ts", hasRounds: false, hasSmallest: true },
  page: { file: "serving/run.ts", needsPackages: true, compares: true, hasSmallest: true },
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

/** Removes an option with its value from a list of words. */
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

/** Builds and installs packages if a benchmark needs them; returns the options that name the folder. */
const install = (
  names: ReadonlyArray<string>,
  checkout: Checkout.Checkout,
  folder: string,
  option: string,
): ReadonlyArray<string> => {
  if (names.every((name) => benchmarks[name]!.needsPackages !== true)) return []
  Installation.install(checkout, folder)
  return [option, folder]
}

const smallest = (folder: string): void => {
  const names = Object.keys(benchmarks).filter(
    (name) => benchmarks[name]!.hasSmallest === true && (named.length === 0 || named.includes(name)),
  )
  const installed = install(names, Checkout.head, folder, "--installed")
  for (const name of names) {
    const startedAt = performance.now()
    run(benchmarks[name]!.file, ["--smallest", ...installed])
    console.log(`   ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
}

/** Exits if files other than the tables and results of earlier measurements differ from the commit. */
const requireCommit = (): void => {
  const args = ["--", ".", ":(exclude)*.md", ":(exclude)tooling/bench/results"]
  const changed = execFileSync("git", ["status", "--porcelain", "--untracked-files=no", ...args], {
    cwd: Checkout.head.root,
    encoding: "utf8",
  }).trim()
  if (changed !== "") exitWith(`Files differ from the commit that would be measured. Commit them first:\n${changed}`)
}

const chosen = (): ReadonlyArray<string> => {
  if (named.length > 0) return Object.keys(benchmarks).filter((name) => named.includes(name))
  const isUsual = measures
    ? (name: string) => Object.hasOwn(published, name)
    : (name: string) => benchmarks[name]!.isShort === true
  return Object.keys(benchmarks).filter(isUsual)
}

/** Runs the chosen benchmarks with packages installed in a folder. */
const runChosen = (folder: string, other: Checkout.Checkout | undefined): void => {
  if (measures) requireCommit()
  PeerInstall.install(import.meta.dirname)
  const names = chosen()
  const installed = install(names, Checkout.head, join(folder, "head"), "--installed")
  const compared =
    other === undefined
      ? []
      : [
          ...["--root", other.root, "--suffix", other.suffix],
          ...install(names, other, join(folder, "other"), "--root-installed"),
        ]
  for (const name of names) {
    const { compares = false, file, hasRounds = true, needsPackages = false } = benchmarks[name]!
    const isSaved = measures && Object.hasOwn(published, name)
    run(file, [
      ...(hasRounds ? options : withoutRounds),
      ...(needsPackages ? installed : []),
      ...(isSaved ? ["--saved-as", ["pnpm bench measure", name, ...options].join(" ")] : []),
      ...(compares ? compared : []),
    ])
  }
  if (measures) FiguresCheck.write()
}

/** Runs the chosen benchmarks for this commit and an older one. */
const runAgainst = (folder: string, revision: string): void => {
  const commit = Checkout.commitOf(revision)
  if (commit === undefined) return exitWith(`Invalid option "--against": expected a commit, received "${revision}".`)
  const { checkout, remove } = Checkout.unpack(commit)
  try {
    runChosen(folder, checkout)
  } finally {
    remove()
  }
}

const unknown = withoutRounds.filter((word, at) => !word.startsWith("--") && !withoutRounds[at - 1]?.startsWith("--"))
if (named.length === 0 && unknown.length > 0) {
  const expected = ["measure", ...Object.keys(benchmarks)].join(", ")
  exitWith(`Invalid argument "benchmark": expected one of ${expected}, received "${unknown.join(" ")}".`)
}
const folder = mkdtempSync(join(tmpdir(), "daybook-packages-"))
try {
  if (options.includes("--smallest")) smallest(folder)
  else if (given.includes("--against")) runAgainst(folder, against)
  else runChosen(folder, undefined)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
