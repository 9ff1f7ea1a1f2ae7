/**
 * Measures RPC clients side by side: CPU of one `eth_getBlockByNumber` and calls per second, for a block of 150 transactions,
 * whole or as hashes, one by one and twenty at a time. `pnpm bench rpc --rounds 3`. Ratios are of CPU, to undici 7, which the client uses, and JSON.parse.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { median, provenance, rounds as roundsOf } from "../Rounds.ts"
import { clients } from "./clients.ts"

interface Spent {
  readonly micros: number
  readonly perSecond: number
}

const here = import.meta.dirname
const rounds = roundsOf(3)
const cannot = new Set(["ox many"])

const server = spawn(process.execPath, [join(here, "server.ts")], { stdio: ["ignore", "pipe", "inherit"] })
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
        const out = execFileSync(process.execPath, ["--no-warnings", join(here, "measure.ts"), name, shape, way, url], {
          encoding: "utf8",
        })
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
  console.log(provenance("rpc", rounds))
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
} finally {
  server.kill()
}
