/**
 * Indexers side by side over a recorded chain: `node index.ts [--rounds 3] [--latency 0,5,50]`. The answers come from a server in
 * a process of its own, each indexer has one too, rounds take turns, and what is printed is the median. Ratios are to the quicker
 * of the two floors in the same round: fetch and JSON.parse of the same answers.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { recorded } from "./indexChain.ts"
import type { Done } from "./indexSubjects.ts"

type Spent = Done & { readonly cpuSeconds: number; readonly peakBytes: number }

const here = import.meta.dirname
const option = (name: string, fallback: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback)
}
const rounds = Number(option("rounds", "3"))
const latencies = option("latency", "0,5,50").split(",").map(Number)
const names = option(
  "only",
  "floor, a call a request;floor, 10 blocks a request;daybook, links;daybook, standard;daybook, full;sqd;ponder",
).split(";")

if (names.some((name) => name === "sqd" || name === "ponder") && !existsSync(join(here, "indexers", "node_modules"))) {
  console.error("installing the peers (npm ci)")
  const options = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
  execFileSync("npm", options, { cwd: join(here, "indexers"), stdio: "inherit" })
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
const perSecond = ({ blocks, millis }: Done) => (blocks / millis) * 1000

const file = await recorded()
console.log(
  `\`node tooling/bench/index.ts\` on ${cpus()[0]?.model ?? "?"} (${cpus().length} cores), Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, median of ${rounds} rounds\n`,
)
for (const latency of latencies) {
  const server = spawn(process.execPath, ["--no-warnings", join(here, "indexServer.ts"), file, String(latency)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  try {
    const [line] = (await once(server.stdout, "data")) as [Buffer]
    const [port, head] = String(line).trim().split(" ")
    const found = new Map<string, Array<Spent & { readonly ratio: number }>>()
    for (let round = 0; round < rounds; round++) {
      const ofRound = new Map<string, Spent>()
      for (const name of names) {
        const args = ["--no-warnings", join(here, "indexSubjects.ts"), name, `http://127.0.0.1:${port}`, head ?? "0"]
        const out = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
        ofRound.set(name, JSON.parse(out.trim().split("\n").at(-1)!) as Spent)
      }
      const floors = [...ofRound].filter(([name]) => name.startsWith("floor")).map(([, spent]) => perSecond(spent))
      for (const [name, spent] of ofRound) {
        const ratio = perSecond(spent) / Math.max(...floors)
        found.set(name, [...(found.get(name) ?? []), { ...spent, ratio }])
      }
    }
    console.log(`${latency} ms latency\n`)
    console.log(
      "| | blocks per second | ratio | CPU s per 1,000 blocks | peak MB | bytes per transaction | of document |",
    )
    console.log("|---|---|---|---|---|---|---|")
    for (const [name, list] of found) {
      const of = (part: (spent: (typeof list)[number]) => number) => median(list.map(part))
      const bytes = of((spent) => (spent.transactions === 0 ? 0 : spent.bytes / spent.transactions))
      const document = of((spent) => (spent.documentBytes === undefined ? 0 : spent.bytes / spent.documentBytes))
      console.log(
        `| ${name} | ${of(perSecond).toFixed(0)} | ${of((spent) => spent.ratio).toFixed(2)} | ${of((spent) => (spent.cpuSeconds / spent.blocks) * 1000).toFixed(2)} | ${(of((spent) => spent.peakBytes) / 1e6).toFixed(0)} | ${bytes === 0 ? "" : bytes.toFixed(0)} | ${document === 0 ? "" : document.toFixed(2)} |`,
      )
    }
    console.log("")
  } finally {
    server.kill()
  }
}
