/**
 * Side-by-side benchmarks with peers: `pnpm bench`, or by name as in `pnpm bench codecs --rounds 3`. Without a name those run
 * that take a minute; the others take several.
 *
 * The peers are installed here, outside the workspace, on the first run. What is measured runs in processes of its own.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const here = import.meta.dirname

interface Benchmark {
  readonly file: string
  readonly isShort?: boolean
  readonly hasRounds?: boolean
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  codecs: { file: "codecs/run.ts", isShort: true },
  bundle: { file: "bundle/run.ts", isShort: true },
  rpc: { file: "rpc/run.ts" },
  index: { file: "index.ts" },
  growth: { file: "growth.ts", hasRounds: false },
  page: { file: "page.ts" },
}

const words = process.argv.slice(2)
const wanted = words.filter((word) => Object.hasOwn(benchmarks, word))
const options = words.filter((word) => !wanted.includes(word))
const roundsAt = options.indexOf("--rounds")
const others = options.filter((_, at) => roundsAt === -1 || at < roundsAt || at > roundsAt + 1)
if (wanted.length === 0 && others.length > 0) {
  console.error(`there is no benchmark ${others.join(" ")}; there are ${Object.keys(benchmarks).join(", ")}`)
  process.exit(1)
}

if (!existsSync(join(here, "node_modules"))) {
  console.log("installing the peers (npm ci)")
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, stdio: "inherit" })
}

for (const [name, { file, hasRounds = true, isShort = false }] of Object.entries(benchmarks)) {
  if (wanted.length === 0 ? !isShort : !wanted.includes(name)) continue
  const args = ["--no-warnings", join(here, file), ...(hasRounds ? options : others)]
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}
