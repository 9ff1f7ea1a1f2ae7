/**
 * Measures RPC clients side by side: CPU of one `eth_getBlockByNumber` and calls per second, for a block of 150 transactions,
 * whole or as hashes, one by one and twenty at a time. `node tooling/bench/rpcRun.ts [rounds]`. Ratios are of CPU, to undici and JSON.parse.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpus } from "node:os"
import { join } from "node:path"
import { clients } from "./rpcClients.ts"

interface Spent {
  readonly micros: number
  readonly perSecond: number
}

const here = import.meta.dirname
const rounds = Number(process.argv[2] ?? 3)
const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
const cannot = new Set(["ox many"])

const server = spawn(process.execPath, [join(here, "rpcServer.ts")], { stdio: ["ignore", "pipe", "inherit"] })
try {
  const [port] = (await once(server.stdout, "data")) as [Buffer]
  const url = `http://127.0.0.1:${String(port).trim()}`
  const found = new Map<string, Array<Spent>>()
  const cases = (["hydrated", "hashes"] as const).flatMap((shape) =>
    (["one", "many"] as const).map((way) => [shape, way] as const),
  )
  for (let round = 0; round < rounds; round++) {
    for (const [shape, way] of cases) {
      for (const name of Object.keys(clients)) {
        if (cannot.has(`${name} ${way}`)) continue
        const out = execFileSync(
          process.execPath,
          ["--no-warnings", join(here, "rpcMeasure.ts"), name, shape, way, url],
          { encoding: "utf8" },
        )
        const key = `${name} ${shape} ${way}`
        found.set(key, [...(found.get(key) ?? []), JSON.parse(out) as Spent])
      }
    }
  }
  const of = (name: string, shape: string, way: string, part: keyof Spent) =>
    median((found.get(`${name} ${shape} ${way}`) ?? []).map((spent) => spent[part]))
  const first = Object.keys(clients)[0] ?? ""
  const titles = cases.map(
    ([shape, way]) =>
      `${shape === "hydrated" ? "150 transactions" : "150 hashes"}, ${way === "one" ? "one by one" : "20 at a time"}`,
  )
  console.log(`| CPU per call (calls per second) | ${titles.join(" | ")} |\n|---|${titles.map(() => "---|").join("")}`)
  for (const name of Object.keys(clients)) {
    const cells = cases.map(([shape, way]) => {
      const micros = of(name, shape, way, "micros")
      if (micros === 0) return ""
      const ratio = (micros / of(first, shape, way, "micros")).toFixed(2)
      return `${ratio} = ${micros.toFixed(0)} us (${of(name, shape, way, "perSecond").toFixed(0)}/s)`
    })
    console.log(`| ${name} | ${cells.join(" | ")} |`)
  }
  console.log(
    `\nMedian of ${rounds} rounds; Node ${process.version}; ${cpus()[0]?.model ?? "unknown CPU"} x${cpus().length}`,
  )
} finally {
  server.kill()
}
