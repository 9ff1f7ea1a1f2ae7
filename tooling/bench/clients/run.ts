/**
 * The clients from their import on, side by side: `pnpm bench clients --rounds 5`. Each is installed as its users do, and each round measures it in
 * a process of its own: the time of its import, the time of the first call after that, and the CPU time of a call of a warm client.
 */
import { execFileSync } from "node:child_process"
import type { ExecFileSyncOptions } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BenchOptions from "../BenchOptions.ts"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"

const here = import.meta.dirname
const root = join(here, "../../..")
const packages = ["schema", "transport", "rest", "rpc"]

/** The clients, by what a call of them requests. */
const subjects = [
  ["page of 100 transactions", ["@daybook/rest", "moralis"]],
  ["block of 150 transactions", ["@daybook/rpc", "viem", "ethers"]],
] as const

const columns = ["import ms", "import CPU ms", "first call ms", "first call CPU ms", "call CPU us"] as const

const versions: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(here, "../package.json"), "utf8"),
).dependencies

/** Builds, packs and installs the packages beside the others. */
const install = (folder: string): void => {
  const quiet: ExecFileSyncOptions = { cwd: root, stdio: ["ignore", "ignore", "inherit"] }
  const bin = (name: string) => join(root, "node_modules/.bin", name)
  execFileSync(bin("turbo"), ["run", "build", ...packages.map((name) => `--filter=@daybook/${name}`)], quiet)
  const tarballs = packages.map((name) => join(folder, `${name}.tgz`))
  for (const [at, name] of packages.entries())
    execFileSync("pnpm", ["pack", "--out", tarballs[at]!], { ...quiet, cwd: join(root, "packages", name) })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "clients", private: true, type: "module" }))
  const others = ["moralis", "viem", "ethers"].map((name) => `${name}@${versions[name]}`)
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs, ...others, "effect@4.1.0"]
  execFileSync("npm", args, { ...quiet, cwd: folder })
  copyFileSync(join(here, "subject.mjs"), join(folder, "subject.mjs"))
}

const measureAll = (figures: Figures.Figures, rounds: number, folder: string, url: string): void => {
  const { NODE_COMPILE_CACHE: _cache, ...env } = process.env
  for (let round = 0; round < rounds; round++) {
    for (const name of subjects.flatMap(([, names]) => names)) {
      const text = execFileSync(process.execPath, ["subject.mjs", name, url], { cwd: folder, env, encoding: "utf8" })
      const measured: Readonly<Record<string, number>> = JSON.parse(text)
      if (!(measured["rows"]! > 0)) throw new Error(`${name} gave nothing.`)
      for (const column of columns) figures.add(name, column, measured[column]!)
    }
  }
}

const table = (figures: Figures.Figures, rounds: number): void => {
  console.log(Figures.provenance("clients", rounds))
  console.log(
    "| client | a call | import | CPU of it | first call | CPU of it | CPU of a call, warm |\n|---|---|---|---|---|---|---|",
  )
  for (const [call, names] of subjects) {
    for (const name of names) {
      const [imported, importCpu, first, firstCpu, warm] = columns.map((column) => figures.median(name, column) ?? 0)
      const millis = [imported, importCpu, first, firstCpu].map((value) => `${Figures.cell(value, 0)} ms`)
      const title = name.startsWith("@") ? `**${name}**` : `${name} ${versions[name]}`
      console.log(`| ${title} | ${call} | ${millis.join(" | ")} | ${Figures.cell(warm, 0)} us |`)
    }
  }
}

const { json, rounds } = BenchOptions.parse({ rounds: 5 })
const figures = Figures.make()
const folder = mkdtempSync(join(tmpdir(), "daybook-clients-"))
try {
  install(folder)
  const server = await ChildProgram.start(join(here, "server.ts"))
  try {
    measureAll(figures, rounds, folder, `http://127.0.0.1:${server.line}`)
  } finally {
    await server.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (json) console.log(Figures.toJson("clients", figures))
else table(figures, rounds)
