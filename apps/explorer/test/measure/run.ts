/**
 * Measures the explorer in Chromium: size of the first load, time to the first page in a new profile, and how long
 * interactions take with a history of 100,000 rows. `pnpm --filter @daybook/explorer measure [load|rows] [number of
 * rows]`: first visits, interactions, or both. Prints a table and fails if a limit is exceeded.
 */
import type { Browser } from "playwright-core"
import * as ChromiumBrowser from "../Browser.ts"
import * as Build from "../Build.ts"
import * as FirstVisit from "../FirstVisit.ts"
import * as World from "../World.ts"
import * as Interactions from "./Interactions.ts"
import * as LongHistory from "./LongHistory.ts"

interface Row {
  readonly what: string
  readonly value: number
  readonly bound: number
  readonly unit: "KiB" | "ms"
}

const coldRuns = 5
const middle = 2

/** State that the measurements share: a chain with a long history, and a browser. */
interface Measured {
  readonly world: World.World
  readonly browser: Browser
  /** Account that sent and received that many transactions. */
  readonly sender: string
  readonly recipient: string
}

const measureLoad = async ({ browser, sender, world }: Measured): Promise<ReadonlyArray<Row>> => {
  const scripts = Build.firstScripts().reduce((sum, path) => sum + Build.sizeOf(path), 0) / 1024
  const measurements: Array<Row> = [{ what: "scripts of the page, gzip -9", value: scripts, bound: 180, unit: "KiB" }]
  const { swap } = world.scenario.transactions
  const later = [
    { name: "sentence of a transaction", path: `/tx/${swap}`, selector: ".headline" },
    { name: "trace of a transaction", path: `/tx/${swap}`, selector: ".frame" },
  ]
  for (const target of [...FirstVisit.targets(swap, sender), ...later]) {
    const visits: Array<FirstVisit.FirstVisit> = []
    for (let count = 0; count < coldRuns; count++) visits.push(await FirstVisit.make(browser, world.url, target))
    const visit = visits.toSorted((a, b) => a.millis - b.millis)[middle]!
    const { name } = target
    measurements.push({ what: `${name}, cold, median of ${coldRuns}`, value: visit.millis, bound: 1_000, unit: "ms" })
    const kib = FirstVisit.scriptBytes(visit) / 1024
    const bound = later.includes(target) ? 200 : FirstVisit.maxScriptBytes / 1024
    measurements.push({ what: `${name}, scripts until it is shown, as sent`, value: kib, bound, unit: "KiB" })
  }
  return measurements
}

const measureRows = async (
  { browser, recipient, sender, world }: Measured,
  rows: number,
): Promise<ReadonlyArray<Row>> => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const measurements = [
    ...(await Interactions.transactions(page, `${world.url}/address/${sender}?order=ASC`, rows)),
    ...(await Interactions.movements(page, `${world.url}/address/${recipient}?tab=movements`, rows)),
  ]
  return measurements.map((one) => ({ ...one, bound: 100, unit: "ms" as const }))
}

const measure = async (what: string, rows: number): Promise<ReadonlyArray<Row>> => {
  await Build.make("production")
  const world = await World.start({ blocks: 10, chain: { pollMillis: 200 } })
  const browser = await ChromiumBrowser.launch()
  try {
    const measured = { world, browser, ...(await LongHistory.make(world, rows)) }
    return [
      ...(what === "rows" ? [] : await measureLoad(measured)),
      ...(what === "load" ? [] : await measureRows(measured, rows)),
    ]
  } finally {
    await browser.close()
    await world.close()
  }
}

const parameters = process.argv.slice(2)
const what = ["load", "rows"].includes(parameters[0] ?? "") ? parameters.shift()! : "both"
const rows = Number(parameters[0] ?? 100_000)
if (!Number.isSafeInteger(rows) || rows < 100) {
  throw new Error("Invalid parameters: expected [load|rows] [number of rows, 100 or more].")
}
const results = await measure(what, rows)
const lines = results.map(({ bound, unit, value, what }) => {
  const text = value.toFixed(unit === "KiB" ? 1 : 0)
  return `${what.padEnd(60)} ${text.padStart(8)} ${unit.padEnd(3)}  bound ${bound} ${value < bound ? "" : "EXCEEDED"}`
})
process.stdout.write(`${rows} rows\n${lines.join("\n")}\n`)
process.exitCode = results.every(({ bound, value }) => value < bound) ? 0 : 1
