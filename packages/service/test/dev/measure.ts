/**
 * Measures `daybook dev` on anvil, and on the nodes whose URLs are given: from the command to its URL, and to the first decoded
 * transaction of its API. `pnpm --filter @daybook/service dev:times [URL...]`; a node of a URL needs accounts that it signs for.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Anvil } from "@daybook/chain"
import * as Rpc from "@daybook/harness/Rpc"
import { Effect } from "effect"

const root = join(import.meta.dirname, "../..")
const built = join(root, "dist/main.js")
const programs = [["sources", join(root, "src/main.ts")], ...(existsSync(built) ? [["build", built]] : [])] as const

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

const measure = async (program: string, url: string): Promise<string> => {
  const { from, hash } = await send(url)
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program, "dev", "--rpc", url, "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  })
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
    return `URL printed after ${listening}, first decoded transaction after ${elapsed()}`
  } finally {
    child.kill("SIGTERM")
  }
}

const run = Effect.gen(function* () {
  const node = yield* Anvil.make({ autoMine: true })
  const nodes = [["anvil", node.url] as const, ...process.argv.slice(2).map((url) => [url, url] as const)]
  for (const [name, url] of nodes) {
    for (const [kind, program] of programs) {
      const line = yield* Effect.promise(() => measure(program, url))
      yield* Effect.sync(() => process.stdout.write(`${name}, ${kind}: ${line}\n`))
    }
  }
})

await Effect.runPromise(Effect.scoped(run))
