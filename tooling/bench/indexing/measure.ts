/**
 * Measures one indexer in a process of its own: `node measure.ts <subject> <url> <head>` prints one line of JSON, a `MeasuredRun`. Those with
 * "PostgreSQL" in their name use the database whose URL is in BENCH_DATABASE.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MeasuredRun, Subject } from "./Subject.ts"

const database = (): string => process.env["BENCH_DATABASE"] ?? ""

/** Loads a subject by name, so that a process holds the modules of one only. */
export const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  "baseline, one call per request": async () => (await import("./subjects/baseline.ts")).baseline(1, 16),
  "baseline, 10 blocks per request": async () => (await import("./subjects/baseline.ts")).baseline(10, 4),
  "daybook, links": async () => (await import("./subjects/daybook.ts")).daybook("links"),
  "daybook, standard": async () => (await import("./subjects/daybook.ts")).daybook("standard"),
  "daybook, standard, no ledgers": async () => (await import("./subjects/daybook.ts")).daybookWithoutLedger(),
  "daybook, standard, 1 thread": async () => (await import("./subjects/daybook.ts")).daybook("standard", 1),
  "daybook, standard, 1 thread, no ledgers": async () =>
    (await import("./subjects/daybook.ts")).daybookWithoutLedger(1),
  "daybook, standard, 2 threads": async () => (await import("./subjects/daybook.ts")).daybook("standard", 2),
  "daybook, full": async () => (await import("./subjects/daybook.ts")).daybook("full"),
  sqd: async () => (await import("./subjects/sqd.ts")).sqd,
  ponder: async () => (await import("./subjects/ponder.ts")).ponder(),
  "daybook, standard, PostgreSQL": async () => (await import("./subjects/daybook.ts")).daybookInPostgres(database()),
  "ponder, PostgreSQL": async () => (await import("./subjects/ponder.ts")).ponder(database()),
}

/** Whether a subject needs a PostgreSQL database. */
export const needsDatabase = (name: string): boolean => name.includes("PostgreSQL")

if (process.argv[1] === import.meta.filename) {
  const [name = "", url = "", head = "0"] = process.argv.slice(2)
  const subject = await subjects[name]!()
  const folder = mkdtempSync(join(tmpdir(), "daybook-bench-"))
  const before = process.cpuUsage()
  const run = await subject(url, Number(head), folder)
  const { system, user } = process.cpuUsage(before)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  rmSync(folder, { recursive: true, force: true })
  const measured: MeasuredRun = { cpuSeconds: (user + system) / 1e6, peakBytes, ...run }
  console.log(JSON.stringify(measured))
  process.exit(0)
}
