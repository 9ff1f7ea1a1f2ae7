/**
 * Measures one peer in its own process: `node measure.ts <subject> <url> <head>` prints one line of JSON, a `MeasuredRun`. A subject with
 * "PostgreSQL" in its name uses the database whose URL is in BENCH_DATABASE.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MeasuredRun, Subject } from "./Subject.ts"

/** Loads a subject by name, so that a process only holds the modules of one. */
const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  "baseline, one call per request": async () => (await import("./subjects/baseline.ts")).baseline(1, 16),
  "baseline, 10 blocks per request": async () => (await import("./subjects/baseline.ts")).baseline(10, 4),
  SQD: async () => (await import("./subjects/sqd.ts")).sqd,
  Ponder: async () => (await import("./subjects/ponder.ts")).ponder(),
  "Ponder, PostgreSQL": async () => (await import("./subjects/ponder.ts")).ponder(process.env["BENCH_DATABASE"]),
}

const [name = "", url = "", head = "0"] = process.argv.slice(2)
const subject = await subjects[name]!()
const folder = mkdtempSync(join(tmpdir(), "daybook-bench-"))
try {
  const before = process.cpuUsage()
  const run = await subject(url, Number(head), folder)
  const { system, user } = process.cpuUsage(before)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  const measured: MeasuredRun = { cpuSeconds: (user + system) / 1e6, peakBytes, ...run }
  console.log(JSON.stringify(measured))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// SQD continues with the head of the chain.
process.exit()
