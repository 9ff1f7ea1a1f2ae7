/**
 * Measures the repository. `pnpm house` prints a table. `--base REV` adds a column with the same figures at another commit, and
 * `--list KEY` prints the places behind a figure. `--gate` fails on a function over 100 lines in a source, on a word of the list, and on a
 * citation that does not resolve. It also fails on a sentence over 35 words, on an empty heading in a document, and on 50 decision pages.
 * A spread of an object literal fails too: an option is `T | undefined`, or there are two literals.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { measure } from "./Measures.ts"
import type { Measure } from "./Measures.ts"
import { report, root, run } from "./Workspace.ts"

/** The largest number of places that `--gate` accepts, by the key of a measure. */
const limits: ReadonlyMap<string, number> = new Map([
  ["functions-100", 0],
  ["words", 0],
  ["citations", 0],
  ["sentences-documents", 0],
  ["sentences-sources", 0],
  ["sentences-tests", 0],
  ["empty-headings", 0],
  ["spreads", 0],
  ["conditional-spreads", 0],
  ["decisions", 49],
])

/** The places of each measure that exceeds its limit, with its label. */
export const exceeded = (measures: ReadonlyArray<Measure>): ReadonlyArray<string> =>
  measures
    .filter(({ key, places }) => places.length > (limits.get(key) ?? Infinity))
    .flatMap(({ key, label, places }) =>
      places.map((place) => `${label.trim()}, at most ${limits.get(key) ?? 0}: ${place}`),
    )

const valueOf = (measured: Measure | undefined): string =>
  measured === undefined ? "-" : (measured.value ?? String(measured.places.length))

/** The table as lines: a measure, its value before when there is one, and its value now. Labels are unique. */
export const table = (
  now: ReadonlyArray<Measure>,
  before?: { readonly name: string; readonly measures: ReadonlyArray<Measure> },
): ReadonlyArray<string> => {
  const idOf = ({ key, label }: Measure): string => `${key} ${label}`
  const byId = (all: ReadonlyArray<Measure>) => new Map(all.map((one) => [idOf(one), one]))
  const [old, current] = [byId(before?.measures ?? []), byId(now)]
  const ordered = now.map(idOf)
  let previous = -1
  for (const id of old.keys()) {
    if (!current.has(id)) ordered.splice(previous + 1, 0, id)
    previous = ordered.indexOf(id)
  }
  const rows = [
    ["measure", ...(before === undefined ? [] : [before.name]), before === undefined ? "value" : "now"],
    ...ordered.map((id) => [
      (current.get(id) ?? old.get(id))?.label ?? "",
      ...(before === undefined ? [] : [valueOf(old.get(id))]),
      valueOf(current.get(id)),
    ]),
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

const execute = async (command: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const { code, output } = await run(command, args)
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${output.trim()}`)
}

/** Measures the repository at a commit, which is unpacked into a temporary folder. */
const measureAt = async (revision: string): Promise<ReadonlyArray<Measure>> => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-house-"))
  try {
    const archive = join(folder, "archive.tar")
    const tree = join(folder, "tree")
    mkdirSync(tree)
    await execute("git", "archive", "--format=tar", `--output=${archive}`, revision)
    await execute("tar", "-xf", archive, "-C", tree)
    return measure(tree)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values: options } = parseArgs({
    options: { base: { type: "string" }, list: { type: "string" }, gate: { type: "boolean", default: false } },
  })
  const now = measure(root)
  if (options.list !== undefined) {
    const chosen = now.filter(({ key }) => key === options.list)
    const keys = [...new Set(now.map(({ key }) => key))].join(", ")
    if (chosen.length === 0) throw new Error(`Invalid --list: expected one of ${keys}, received "${options.list}".`)
    for (const one of new Set(chosen.flatMap(({ places }) => places))) console.log(one)
  } else if (options.gate) {
    report("house", exceeded(now), "functions, words, citations and documents are within the limits")
  } else {
    const before =
      options.base === undefined ? undefined : { name: options.base, measures: await measureAt(options.base) }
    for (const line of table(now, before)) console.log(line)
  }
}
