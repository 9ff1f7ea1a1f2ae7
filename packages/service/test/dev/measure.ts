/** Measures `daybook dev`: the times from the command to its URL and to its first decoded transaction. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Anvil } from "@daybook/chain"
import * as Rpc from "@daybook/harness/Rpc"
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const root = join(import.meta.dirname, "../..")
const built = join(root, "dist/bin.js")
const programs = [["sources", join(root, "src/bin.ts")], ...(existsSync(built) ? [["build", built]] : [])] as const

/** Starts of each program; the first one fills the compile cache. */
const starts = ["first start", "second start", "third start"] as const

const word = (text: string): string => text.replace("0x", "").padStart(64, "0")

/** Sends a token transfer, which the built-in signatures decode. */
const send = async (url: string): Promise<{ readonly from: string; readonly hash: string }> => {
  const call = <A>(method: string, params: ReadonlyArray<unknown>) =>
    Effect.runPromise(Rpc.call<A>(url, method, params))
  const [from, to] = await call<ReadonlyArray<string>>("eth_accounts", [])
  const data = `0xa9059cbb${word(to!)}${word("5")}`
  return { from: from!, hash: await call<string>("eth_sendTransaction", [{ from, to, data, gas: "0x186a0" }]) }
}

interface Row {
  readonly hash: string
  readonly decoded_call: object | null
}

const ticksPerSecond = 100

/** CPU time of a process in seconds, if the system reports it. */
const processorSeconds = (pid: number): string => {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return "unknown"
  const [user = 0, system = 0] = readFileSync(path, "utf8").split(") ")[1]!.split(" ").slice(11, 13).map(Number)
  return ((user + system) / ticksPerSecond).toFixed(2)
}

const measure = async (program: string, url: string, cache: string): Promise<Campaign.Cells> => {
  const { from, hash } = await send(url)
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program, "dev", "--rpc", url, "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, XDG_CACHE_HOME: cache },
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const elapsed = () => ((performance.now() - startedAt) / 1000).toFixed(2)
  try {
    const page = await new Promise<URL>((resolve, reject) => {
      let text = ""
      child.on("exit", () => reject(new Error("daybook dev has ended")))
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        if (text.includes("\n")) resolve(new URL(text.trim()))
      })
    })
    const listening = elapsed()
    const chain = page.searchParams.get("chain")
    const request = `${page.origin}/api/v2.2/${from}/verbose?chain=${chain}`
    for (;;) {
      const response = await fetch(request)
      const { result = [] } = (await response.json()) as { readonly result?: ReadonlyArray<Row> }
      if (result.some((row) => row.hash === hash && row.decoded_call !== null)) break
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return [listening, elapsed(), processorSeconds(child.pid!)]
  } finally {
    child.kill("SIGTERM")
    // Compiled code is written to the cache at exit.
    await ended
  }
}

Campaign.main({
  name: "dev:times",
  about:
    "Measures the start of daybook dev with anvil, and with the nodes of --nodes, and its CPU time until the first decoded transaction. The first start has an empty compile cache.",
  options: { nodes: ["", "URLs of nodes that hold accounts, separated by commas"] },
  plan: Effect.fnUntraced(function* ({ nodes }) {
    const { url: anvil } = yield* Anvil.make({ autoMine: true })
    const urls = nodes === "" ? [] : nodes.split(",")
    const cases: Array<Campaign.Case> = []
    for (const url of [anvil, ...urls]) {
      for (const [kind, program] of programs) {
        const cache = yield* temporaryFolder
        for (const start of starts) {
          const name = `${url === anvil ? "anvil" : url}, ${kind}, ${start}`
          cases.push({ name, run: () => Effect.promise(() => measure(program, url, cache)) })
        }
      }
    }
    return { columns: ["start", "URL printed, s", "first decoded transaction, s", "CPU time, s"], cases }
  }),
})
