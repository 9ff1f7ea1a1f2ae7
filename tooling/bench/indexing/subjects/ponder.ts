/**
 * Ponder, from the logs of the scenario's events, with block, transaction and receipt of each, into its embedded PostgreSQL or one of
 * the benchmark (raw rows and one row for each decoded event); no traces. It has 25 URLs of one server because it limits requests per URL.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import * as PostgresDatabase from "../../growth/PostgresDatabase.ts"
import type { Subject } from "../Subject.ts"

const indexers = join(import.meta.dirname, "../../indexers")
const project = join(indexers, "ponder")
const binary = join(indexers, "node_modules/ponder/dist/esm/bin/ponder.js")

const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

const start = (environment: Readonly<Record<string, string | undefined>>) => {
  const options = ["--schema", "bench", "--port", "0", "--log-format", "json"]
  const args = ["--no-warnings", "--import", join(project, "usage.mjs"), binary, "start", ...options]
  return spawn(process.execPath, args, {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment, PONDER_TELEMETRY_DISABLED: "true" },
  })
}

interface LogLine {
  /** 50 and above are errors. */
  readonly level: number
  readonly msg: string
  readonly error?: { readonly message?: string }
  readonly duration?: number
  readonly event_count?: number
}

const errorLevel = 50

/** Reads Ponder's log until everything is indexed. If it ends early, the error contains the errors that it wrote to this log. */
const readLog = async (output: Readable): Promise<{ readonly millis: number; readonly events: number }> => {
  let events = 0
  const errors: Array<string> = []
  for await (const line of createInterface({ input: output })) {
    if (!line.startsWith("{")) {
      errors.push(line)
      continue
    }
    const { duration = 0, error, event_count = 0, level, msg } = JSON.parse(line) as LogLine
    if (/^Indexed block/.test(msg)) events += event_count
    if (msg === "Completed indexing across all chains") return { millis: duration, events }
    if (level >= errorLevel) errors.push(`${msg}: ${error?.message ?? "no reason given"}`)
  }
  throw new Error(
    `Ponder ended before it had indexed the chain. ${errors.slice(-5).join("\n") || "It wrote no error."}`,
  )
}

/** Ponder with its embedded database, or with the PostgreSQL database of a URL. */
export const ponder =
  (database?: string): Subject =>
  async (url, head, folder) => {
    const usage = join(folder, "usage.json")
    const data = join(folder, "pglite")
    if (database !== undefined) await Effect.runPromise(PostgresDatabase.clear(database))
    const child = start({
      BENCH_URL: url,
      BENCH_HEAD: String(head),
      BENCH_FOLDER: data,
      BENCH_USAGE: usage,
      BENCH_DATABASE: database,
    })
    const ended = once(child, "exit")
    const indexed = await readLog(child.stdout)
    child.stdout.resume()
    child.kill("SIGTERM")
    await ended
    const spent = JSON.parse(readFileSync(usage, "utf8")) as { readonly cpuSeconds: number; readonly peakBytes: number }
    const bytes = database === undefined ? folderBytes(data) : await Effect.runPromise(PostgresDatabase.bytes(database))
    return { blocks: head + 1, bytes, transactions: 0, ...indexed, ...spent }
  }
