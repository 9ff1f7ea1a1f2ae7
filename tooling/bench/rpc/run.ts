/**
 * RPC clients side by side: CPU time of one `eth_getBlockByNumber` and calls per second, for a block of 150 transactions, whole or as
 * hashes, in single calls and in batches of 20. `pnpm bench rpc --rounds 3` takes three minutes. Ratios compare CPU time with the first
 * client.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as Agreement from "../Agreement.ts"
import * as BenchOptions from "../BenchOptions.ts"
import { head, inTurns } from "../Checkout.ts"
import * as ChildProgram from "../ChildProgram.ts"
import * as Figures from "../Figures.ts"
import { versions } from "../PeerInstall.ts"
import * as Report from "../Report.ts"
import type { Measured } from "./measure.ts"

interface Subject {
  readonly title: string
  readonly client: string
  readonly root: string
  readonly isPeer?: boolean
  readonly hasBatches?: boolean
}

/** Time limit for a client that hangs: none takes a tenth of this. */
const limitMillis = 60_000

const here = import.meta.dirname
const { root } = head
const options = BenchOptions.parse({ rounds: 3 })
const { checkouts, isSmallest, rounds } = options

const peer = (name: string, client = name): Subject => ({
  title: client.replace(name, `${name} ${versions[name]}`),
  client,
  root,
  isPeer: true,
})

const subjects: ReadonlyArray<Subject> = [
  peer("undici", "undici and JSON.parse"),
  { title: "fetch and JSON.parse", client: "fetch and JSON.parse", root },
  ...checkouts.map(({ root, suffix }) => ({ title: `**@daybook/rpc**${suffix}`, client: "@daybook/rpc", root })),
  { title: "@daybook/rpc over the global fetch", client: "@daybook/rpc over the global fetch", root },
  peer("viem"),
  peer("ethers"),
  { ...peer("ox"), hasBatches: false },
]

const cases = [
  ["hydrated", "single"],
  ["hydrated", "batch"],
  ["hashes", "single"],
  ["hashes", "batch"],
] as const

const agree = Agreement.make()
const figures = Figures.make()

const measure = ({ client, hasBatches = true, root, title }: Subject, url: string): void => {
  for (const [shape, mode] of cases) {
    if (mode === "batch" && !hasBatches) continue
    if (isSmallest && (shape === "hydrated") !== (mode === "single")) continue
    const args = ["--no-warnings", join(here, "measure.ts"), client, shape, mode, url, root, isSmallest ? "5" : "800"]
    const output = execFileSync(process.execPath, args, { encoding: "utf8", timeout: limitMillis })
    const { micros, perSecond, transactions }: Measured = JSON.parse(output)
    agree(`transactions of ${shape} ${mode}`, title, transactions)
    figures.add(title, `${shape} ${mode} CPU us`, micros)
    figures.add(title, `${shape} ${mode} calls/s`, perSecond)
  }
}

const measured = subjects.filter(({ isPeer }) => !(isSmallest && isPeer === true))
const server = await ChildProgram.start(join(here, "server.ts"))
try {
  for (let round = 0; round < rounds; round++)
    for (const subject of inTurns(measured, round)) measure(subject, `http://127.0.0.1:${server.line}`)
} finally {
  await server.stop()
}
Report.finish("rpc", options, figures)
