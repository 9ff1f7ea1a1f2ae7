/**
 * RPC clients side by side: CPU of one `eth_getBlockByNumber` and calls per second, for a block of 150 transactions, whole or as
 * hashes, in single calls and in batches of 20. `pnpm bench rpc --rounds 3`. Ratios compare CPU with undici 7
 * and JSON.parse.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"
import { clients } from "./Clients.ts"
import type { Usage } from "./Usage.ts"

const here = import.meta.dirname
const names = Object.keys(clients)
const cases = (["hydrated", "hashes"] as const).flatMap((shape) =>
  (["single", "batch"] as const).map((mode) => ({ shape, mode, name: `${shape} ${mode}` })),
)
const withoutBatch = new Set(["ox"])

const measure = (client: string, shape: string, mode: string, url: string): Usage => {
  const args = ["--no-warnings", join(here, "measure.ts"), client, shape, mode, url]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Usage
}

const measureAll = (figures: Figures.Figures, rounds: number, url: string): void => {
  for (let round = 0; round < rounds; round++) {
    for (const { shape, mode, name } of cases) {
      for (const client of names) {
        if (mode === "batch" && withoutBatch.has(client)) continue
        const usage = measure(client, shape, mode, url)
        figures.add(client, `${name} CPU us`, usage.micros)
        figures.add(client, `${name} calls/s`, usage.perSecond)
      }
    }
  }
}

const table = (figures: Figures.Figures, rounds: number): void => {
  const titles = cases.map(
    ({ shape, mode }) =>
      `${shape === "hydrated" ? "150 transactions" : "150 hashes"}, ${mode === "single" ? "one by one" : "20 at a time"}`,
  )
  console.log(Figures.provenance("rpc", rounds))
  console.log(`| CPU per call (calls per second) | ${titles.join(" | ")} |\n|---|${titles.map(() => "---|").join("")}`)
  for (const client of names) {
    const cells = cases.map(({ name }) => {
      const cpu = `${name} CPU us`
      const micros = figures.median(client, cpu)
      if (micros === undefined) return ""
      const ratio = figures.ratio(client, cpu, figures.values(names[0]!, cpu))
      const perSecond = figures.median(client, `${name} calls/s`)
      return `${Figures.cell(ratio, 2)} = ${micros.toFixed(0)} us (${Figures.cell(perSecond, 0)}/s)`
    })
    console.log(`| ${client === "@daybook/rpc" ? `**${client}**` : client} | ${cells.join(" | ")} |`)
  }
}

const { json, rounds } = BenchOptions.parse({ rounds: 3 })
const figures = Figures.make()
const server = await ChildProgram.start(join(here, "server.ts"))
try {
  measureAll(figures, rounds, `http://127.0.0.1:${server.line}`)
} finally {
  await server.stop()
}
if (json) console.log(Figures.toJson("rpc", figures))
else table(figures, rounds)
