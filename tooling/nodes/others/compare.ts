/**
 * Indexes nodes of several implementations with the commands of the service's README: `node tooling/nodes/others/compare.ts [name]`.
 * Each node is started with one account, receives a few transactions, is examined by `daybook doctor`, indexed by `daybook serve`, compared
 * by `daybook verify --against-node`, and its wallet page is read. The nodes are installed here, outside the workspace, on the first run.
 */
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as PeerInstall from "../../bench/PeerInstall.ts"
import * as OtherNode from "./OtherNode.ts"
import * as Traffic from "./Traffic.ts"

const main = join(import.meta.dirname, "../../../packages/service/src/main.ts")
const syncedPolls = 120
const pollMillis = 500

interface Ended {
  readonly code: number
  readonly out: string
}

/** Runs a command of daybook in a folder. */
const daybook = (cwd: string, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        execFile(process.execPath, ["--no-warnings", main, ...args], { cwd }, (error, out) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), out })
        })
      }),
  )

/** Runs `daybook serve` until the scope ends; returns its URL. */
const serve = (cwd: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<{ readonly stop: () => boolean; readonly url: string }>((resolve) => {
            const child = spawn(process.execPath, ["--no-warnings", main, "serve"], {
              cwd,
              stdio: ["ignore", "ignore", "pipe"],
            })
            let text = ""
            child.stderr.on("data", (chunk: Buffer) => {
              text += String(chunk)
              const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1]
              if (port !== undefined) resolve({ stop: () => child.kill("SIGTERM"), url: `http://127.0.0.1:${port}` })
            })
          }),
      ),
      ({ stop }) => Effect.sync(stop),
    ),
    ({ url }) => url,
  )

/** Waits until `daybook status` reports the chain as synced; returns its line. */
const synced = Effect.fnUntraced(function* (cwd: string) {
  let last: Ended = { code: 1, out: "" }
  for (let poll = 0; poll < syncedPolls; poll++) {
    last = yield* daybook(cwd, "status")
    if (last.code === 0) return last.out.trim()
    yield* Effect.sleep(pollMillis)
  }
  return yield* Effect.fail(new Error(`Not synced: ${last.out.trim()}`))
})

interface Page {
  readonly result: ReadonlyArray<{ readonly internal_transactions?: ReadonlyArray<unknown> | null }>
}

const readPage = Effect.fnUntraced(function* (url: string, apiKey: string, chain: string) {
  const path = `/api/v2.2/${Traffic.sender}/verbose?chain=${chain}&include=internal_transactions`
  const answer = yield* Effect.promise(() => fetch(`${url}${path}`, { headers: { "x-api-key": apiKey } }))
  const { result } = (yield* Effect.promise(() => answer.json())) as Page
  const internal = result.reduce((sum, row) => sum + (row.internal_transactions ?? []).length, 0)
  return { rows: result.length, internal }
})

const findingOf = (doctor: string, name: string): string => {
  const line = doctor.split("\n").find((one) => one.startsWith(`  ${name} `)) ?? ""
  return line.slice(26).split(/[.:,;] |\.$/)[0] ?? ""
}

const configOf = (url: string, chainId: number) => ({
  listen: { host: "127.0.0.1", port: 0 },
  database: "sqlite:data",
  chains: { test: { id: chainId, rpc: [url] } },
})

/** One row of the table. */
const compare = Effect.fnUntraced(function* (node: OtherNode.OtherNode | "anvil") {
  const { chainId, isFunded, mine, url, waiting } = yield* OtherNode.start(node)
  const sent = isFunded ? yield* Traffic.send(url, chainId, waiting, mine) : 0
  const cwd = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-compare-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  )
  writeFileSync(join(cwd, "daybook.json"), JSON.stringify(configOf(url, chainId)))
  const apiKey = (yield* daybook(cwd, "keys", "add", "me")).out.trim()
  const doctor = yield* daybook(cwd, "doctor", url)
  const service = yield* serve(cwd)
  const status = yield* synced(cwd)
  const page = yield* readPage(service, apiKey, "test")
  const verified = yield* daybook(cwd, "verify", "--against-node")
  const summary =
    verified.out
      .trim()
      .split("\n")
      .find((line) => line.includes("compared")) ?? verified.out.trim()
  return {
    client: findingOf(doctor.out, "client"),
    receipts: findingOf(doctor.out, "receipts"),
    traces: findingOf(doctor.out, "traces"),
    finality: findingOf(doctor.out, "finalized tag"),
    corrections: findingOf(doctor.out, "corrections"),
    notChecked: /Not checked: ([^.]*)\./.exec(status)?.[1] ?? "",
    page: `${page.rows} of ${sent} rows, ${page.internal} internal`,
    verified: `${summary.replace("test: compared ", "")} (exit ${verified.code})`,
  }
}, Effect.scoped)

const nameOf = (node: OtherNode.OtherNode | "anvil"): string => (node === "anvil" ? node : node.name)

PeerInstall.install(import.meta.dirname)
const wanted = process.argv.slice(2)
const chosen = OtherNode.all.filter((node) => wanted.length === 0 || wanted.includes(nameOf(node)))
const columns = ["client", "receipts", "traces", "finality", "corrections", "notChecked", "page", "verified"] as const
console.log(`| node | ${columns.join(" | ")} |\n|${"---|".repeat(columns.length + 1)}`)
let failed = 0
for (const node of chosen) {
  const row = await Effect.runPromise(Effect.result(compare(node)))
  if (row._tag === "Success") {
    console.log(`| ${nameOf(node)} | ${columns.map((column) => row.success[column]).join(" | ")} |`)
    if (!row.success.verified.endsWith("(exit 0)")) failed += 1
  } else {
    failed += 1
    console.log(`| ${nameOf(node)} | failed: ${String(row.failure)} |`)
  }
}
process.exit(failed === 0 ? 0 : 1)
