/**
 * Runs benchmarks by name: `pnpm bench codecs --rounds 3`. Without a name those run that take a minute.
 *
 * `--json` prints one line of JSON for each benchmark. `--against <folder>` compares this checkout with another one: see
 * `compare/run.ts`. The peers are installed outside the workspace on the first run; what is measured runs in its own processes.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { exitWith } from "./BenchOptions.ts"
import * as PeerInstall from "./PeerInstall.ts"

interface Benchmark {
  readonly file: string
  readonly isShort?: boolean
  readonly hasRounds?: boolean
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  codecs: { file: "codecs/run.ts", isShort: true },
  bundle: { file: "bundle/run.ts", isShort: true },
  programs: { file: "programs/run.ts", hasRounds: false },
  clients: { file: "clients/run.ts" },
  rpc: { file: "rpc/run.ts" },
  index: { file: "indexing/run.ts" },
  growth: { file: "growth/run.ts", hasRounds: false },
  databases: { file: "growth/databases.ts" },
  backup: { file: "growth/backup.ts", hasRounds: false },
  page: { file: "serving/run.ts" },
  receipts: { file: "ledger/run.ts", hasRounds: false },
}

const start = (file: string, args: ReadonlyArray<string>): void => {
  const script = join(import.meta.dirname, file)
  const { status } = spawnSync(process.execPath, ["--no-warnings", script, ...args], { stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}

const words = process.argv.slice(2)
const named = words.filter((word) => Object.hasOwn(benchmarks, word))
const options = words.filter((word) => !named.includes(word))
const roundsAt = options.indexOf("--rounds")
const withoutRounds = options.filter((_, at) => roundsAt === -1 || at < roundsAt || at > roundsAt + 1)
const unknown = withoutRounds.filter((word) => !word.startsWith("--"))

if (words.some((word) => word.startsWith("--against"))) {
  start("compare/run.ts", words)
} else if (named.length === 0 && unknown.length > 0) {
  const expected = Object.keys(benchmarks).join(", ")
  exitWith(`Invalid argument "benchmark": expected one of ${expected}, received "${unknown.join(" ")}".`)
} else {
  PeerInstall.install(import.meta.dirname)
  for (const [name, { file, hasRounds = true, isShort = false }] of Object.entries(benchmarks)) {
    if (named.length === 0 ? isShort : named.includes(name)) start(file, hasRounds ? options : withoutRounds)
  }
}
