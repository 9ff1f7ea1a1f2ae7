/**
 * Results of a benchmark, committed in `results/`: the measured commit, command, machine, date, and each figure with its median and
 * quartiles. The tables of documents are generated from them.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, release, type } from "node:os"
import { join } from "node:path"
import * as Figures from "./Figures.ts"

export interface Row extends Figures.Figure {
  readonly median: number
  readonly quartiles: readonly [number, number]
}

export interface Results {
  readonly benchmark: string
  /** Full hash. */
  readonly commit: string
  readonly command: string
  readonly machine: string
  readonly date: string
  readonly rounds: number
  readonly rows: ReadonlyArray<Row>
}

/** The folder of the files, relative to the root of the repository. */
export const folder = "tooling/bench/results"

const root = join(import.meta.dirname, "../..")
const pathOf = (benchmark: string, base: string) => join(base, folder, `${benchmark}.json`)

/** A number with five significant digits, which is more than any machine reproduces. */
const rounded = (value: number): number => Number(value.toPrecision(5))

/** Figures with their medians and quartiles. */
export const rowsOf = (figures: ReadonlyArray<Figures.Figure>): ReadonlyArray<Row> =>
  figures.map(({ measure, subject, values: exact }) => {
    const values = exact.map(rounded)
    const [lower, upper] = Figures.quartiles(values)
    const quartiles = [rounded(lower), rounded(upper)] as const
    return { subject, measure, median: rounded(Figures.median(values)), quartiles, values }
  })

/** Results of figures measured on this machine now. */
export const make = (options: {
  readonly benchmark: string
  readonly command: string
  readonly rounds: number
  /** The runtime of the subjects. Default: this Node.js. */
  readonly runtime?: string | undefined
  readonly figures: ReadonlyArray<Figures.Figure>
}): Results => {
  const git = execFileSync("git", ["-C", root, "rev-parse", "HEAD"], { encoding: "utf8" })
  return {
    benchmark: options.benchmark,
    commit: git.trim(),
    command: options.command,
    machine: `${cpus()[0]?.model ?? "?"} (${cpus().length} cores), ${type()} ${release()}, ${options.runtime ?? `Node ${process.version}`}`,
    date: new Date().toISOString().slice(0, 10),
    rounds: options.rounds,
    rows: rowsOf(options.figures),
  }
}

/** Each row is on its own line, so that a diff of two files is readable. */
const format = ({ rows, ...rest }: Results): string => {
  const head = JSON.stringify(rest, null, 2).slice(0, -2)
  return `${head},\n  "rows": [\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(",\n")}\n  ]\n}\n`
}

/** Writes the file of a benchmark. */
export const write = (results: Results, base = root): void => {
  mkdirSync(join(base, folder), { recursive: true })
  writeFileSync(pathOf(results.benchmark, base), format(results))
}

/** Reads the file of a benchmark; undefined if it was not measured. */
export const read = (benchmark: string, base = root): Results | undefined => {
  const path = pathOf(benchmark, base)
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Results) : undefined
}

/** Such as "Measured with `pnpm bench measure rpc` at 1a2b3c4d5 on AMD EPYC (2 cores), ..., 2026-11-20; medians of 3 rounds.". */
export const provenance = ({ command, commit, date, machine, rounds }: Results): string =>
  `Measured with \`${command}\` at ${commit.slice(0, 9)} on ${machine}, ${date}; medians${rounds === 1 ? " of one round" : ` of ${rounds} rounds, with quartiles in parentheses`}.`
