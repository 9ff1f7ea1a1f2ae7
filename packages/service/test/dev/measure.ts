/**
 * Measures `daybook dev` on anvil, and on the nodes whose URLs are given. Measured are the times from the command to its URL, and to
 * the first decoded transaction of its API, with the processor time that the command has taken until then. A first start has no
 * compiled code of an earlier one. `pnpm --filter @daybook/service dev:times [URL...]`; a node of a URL needs accounts that it signs
 * for.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil } from "@daybook/chain"
import * as Rpc from "@daybook/harness/Rpc"
import { Effect } from "effect"

const root = join(import.meta.dirname, "../..")
const built = join(root, "dist/bin.js")
const programs = [["sources", join(root, "src/bin.ts")], ...(existsSync(built) ? [["build", built]] : [])] as const

/** Starts of each program: the first one fills the cache of compiled code. */
const starts = ["first start", "second start", "third start"] as const

const word = (text: string): string => text.replace("0x", "").padStart(64, "0")

/** A transaction whose call the built-in signatures decode: a transfer of tokens. */
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

/** Seconds of processor time of a process, where the system states them. */
const processorSeconds = (pid: number): string => {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return "unknown"
  const [user = 0, system = 0] = readFileSync(path, "utf8").split(") ")[1]!.split(" ").slice(11, 13).map(Number)
  return `${((user + system) / ticksPerSecond).toFixed(2)} s`
}

const measure = async (program: string, url: string, cache: string): Promise<string> => {
  const { from, hash } = await send(url)
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program, "dev", "--rpc", url, "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, XDG_CACHE_HOME: cache },
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(2)} s`
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
    const processor = processorSeconds(child.pid!)
    return `URL printed after ${listening}, first decoded transaction after ${elapsed()}, processor time ${processor}`
  } finally {
    child.kill("SIGTERM")
    // The code that was compiled is written at the end.
    await ended
  }
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-times-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const run = Effect.gen(function* () {
  const node = yield* Anvil.make({ autoMine: true })
  const nodes = [["anvil", node.url] as const, ...process.argv.slice(2).map((url) => [url, url] as const)]
  for (const [name, url] of nodes) {
    for (const [kind, program] of programs) {
      const cache = yield* temporary
      for (const start of starts) {
        const line = yield* Effect.promise(() => measure(program, url, cache))
        yield* Effect.sync(() => process.stdout.write(`${name}, ${kind}, ${start}: ${line}\n`))
      }
    }
  }
})

await Effect.runPromise(Effect.scoped(run))
