/**
 * The clients, including their import, side by side: `pnpm bench clients --rounds 5`. Each is installed as users install it, and each round
 * measures it in its own process. Measured are the time of the import, the time of the first call after it (also for the main thread
 * alone), and the CPU time of a call on a warm client.
 */
import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Agreement from "../Agreement.ts"
import * as BenchOptions from "../BenchOptions.ts"
import { inTurns } from "../Checkout.ts"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"
import * as PeerInstall from "../PeerInstall.ts"
import * as Report from "../Report.ts"

const here = import.meta.dirname
const limitMillis = 60_000

/** The clients, grouped by what a call requests. */
const subjects = [
  { call: "page", name: "@daybook/rest" },
  { call: "page", name: "moralis" },
  { call: "block", name: "@daybook/rpc" },
  { call: "block", name: "viem" },
  { call: "block", name: "ethers" },
] as const

const columns = [
  "import ms",
  "import CPU ms",
  "first call ms",
  "first call CPU ms",
  "first call thread ms",
  "call CPU us",
] as const

const options = BenchOptions.parse({ rounds: 3 })
const { checkouts, isSmallest, rounds } = options
const isLocal = (name: string) => name.startsWith("@daybook/")
const measured = subjects.filter(({ name }) => isLocal(name) || !isSmallest)

/** Links the packages and the other clients into a folder. */
const install = (folder: string): void => {
  mkdirSync(join(folder, "node_modules"))
  for (const { name } of measured) {
    const target = isLocal(name)
      ? join(checkouts[0].folder, "node_modules/@daybook")
      : join(here, "../node_modules", name)
    const link = join(folder, "node_modules", isLocal(name) ? "@daybook" : name)
    if (!existsSync(link)) symlinkSync(target, link)
  }
  copyFileSync(join(here, "subject.mjs"), join(folder, "subject.mjs"))
}

const agree = Agreement.make()
const figures = Figures.make()

const measure = (call: string, name: string, folder: string, url: string): void => {
  const { NODE_COMPILE_CACHE: _cache, ...env } = process.env
  const args = ["subject.mjs", name, url, isSmallest ? "5" : "1000"]
  const text = execFileSync(process.execPath, args, { cwd: folder, env, encoding: "utf8", timeout: limitMillis })
  const values: Readonly<Record<string, number>> = JSON.parse(text)
  agree(`rows of a ${call}`, name, values["rows"])
  const title = isLocal(name) ? `**${name}**` : `${name} ${PeerInstall.versions[name]}`
  for (const column of columns) figures.add(title, `${call}: ${column}`, values[column]!)
}

const folder = mkdtempSync(join(tmpdir(), "daybook-clients-"))
try {
  install(folder)
  const server = await ChildProgram.start(join(here, "server.ts"))
  try {
    for (let round = 0; round < rounds; round++)
      for (const { call, name } of inTurns(measured, round))
        measure(call, name, folder, `http://127.0.0.1:${server.line}`)
  } finally {
    await server.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
Report.finish("clients", options, figures)
