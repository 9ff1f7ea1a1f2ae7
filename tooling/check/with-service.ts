/**
 * Runs root scripts against a running service: `node tooling/check/with-service.ts tarballs examples`. Arguments after `--` are passed
 * to each script: `pnpm with-service runtimes -- --only readme`. A chain with the scenario's traffic, the service on SQLite in a
 * temporary folder and a fresh key are started through the commands that an operator types. The scripts find them in DAYBOOK_BASE_URL,
 * DAYBOOK_RPC_URL, DAYBOOK_NODE_URL, DAYBOOK_API_KEY and DAYBOOK_ADDRESS. Everything is stopped and removed afterwards, also after
 * Ctrl-C.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { freePort } from "../harness/src/FreePort.ts"
import { Anvil, Scenario } from "../chain/src/index.ts"
import * as Operation from "../../packages/service/src/config/Operation.ts"
import { root, run } from "./Workspace.ts"

const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
)
const given = process.argv.slice(2)
const end = given.includes("--") ? given.indexOf("--") : given.length
const [scripts, passed] = [given.slice(0, end), given.slice(end + 1)]
const unknown = scripts.filter((name) => !Object.hasOwn(manifest.scripts, name))
if (scripts.length === 0 || unknown.length > 0)
  throw new Error(`Unknown root script: ${unknown.join(", ") || "none given"}. Name scripts of package.json.`)

const daybook = join(root, "packages/service/src/main.ts")

/** Starts `daybook serve` and stops it with SIGTERM; `output` is its output so far. */
const serve = (config: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [daybook, "serve", "--config", config], {
        stdio: ["ignore", "pipe", "pipe"],
      })
      let output = ""
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
      return { child, ended, output: () => output }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.kill("SIGTERM")
        const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
        return ended.finally(() => clearTimeout(late))
      }),
  )

/** Waits until the service has indexed the chain to its head. */
const untilReady = async (baseUrl: string, ended: Promise<unknown>, signal: AbortSignal): Promise<void> => {
  let over = false
  void ended.then(() => (over = true))
  for (let answer = "none"; !signal.aborted && !over; await new Promise((resolve) => setTimeout(resolve, 200))) {
    answer = await fetch(`${baseUrl}/ready?chain=eth`, { signal })
      .then((response) => (response.ok ? "ready" : response.text()))
      .catch((error: unknown) => String(error))
    if (answer === "ready") return
  }
  throw new Error(over ? "the service ended" : "the service was not ready in time")
}

const inherit = (script: string, env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn("sh", ["-c", `${script} "$@"`, "script", ...passed], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: "inherit",
    })
    child.on("close", (code) => resolve(code ?? 1))
  })

const program = Effect.gen(function* () {
  const node = yield* Anvil.Anvil
  const world = yield* Scenario.Scenario
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-service-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )
  const port = yield* Effect.promise(freePort)
  const config = join(folder, "daybook.json")
  // Wallets are compared at the head of the chain, where only the first block is final.
  const chains = { eth: { rpc: [node.url], fromBlock: 0, rewinds: true } }
  const listen = { host: "127.0.0.1", port }
  writeFileSync(config, JSON.stringify({ listen, database: "sqlite:data", chains, webhooks: { key: "k".repeat(32) } }))

  const operations = [...Operation.reading, Operation.webhooks, "proveWallet"].flatMap((name) => ["--operation", name])
  const add = [daybook, "keys", "add", "check", ...operations, "--config", config]
  const key = yield* Effect.promise(() => run(process.execPath, add))
  if (key.code !== 0) return yield* Effect.die(new Error(`daybook keys add exits ${key.code}\n${key.output}`))
  const service = yield* serve(config)
  const baseUrl = `http://127.0.0.1:${port}`
  yield* Effect.tryPromise((signal) =>
    untilReady(baseUrl, service.ended, AbortSignal.any([signal, AbortSignal.timeout(60_000)])),
  ).pipe(Effect.tapError(() => Effect.sync(() => console.error(service.output()))))

  const env = {
    DAYBOOK_BASE_URL: baseUrl,
    DAYBOOK_RPC_URL: `${baseUrl}/rpc`,
    DAYBOOK_NODE_URL: node.url,
    DAYBOOK_API_KEY: key.standardOutput.trim(),
    DAYBOOK_ADDRESS: world.accounts.alice,
  }
  const failed: Array<string> = []
  for (const name of scripts) {
    const code = yield* Effect.promise(() => inherit(manifest.scripts[name] ?? "exit 127", env))
    if (code !== 0) failed.push(name)
  }
  return failed
})

const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())

/** The last transaction of the wallet has an internal transaction, which a guide shows. */
const chain = Scenario.layer({ seed: 6, blocks: 40, blobs: false }).pipe(
  Layer.provideMerge(Anvil.layer({ chainId: 1 })),
)
const failed = await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(chain)), { signal: stop.signal })
if (failed.length > 0) console.error(`with-service: ${failed.join(" and ")} failed`)
process.exitCode = failed.length === 0 ? 0 : 1
