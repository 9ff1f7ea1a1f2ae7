/** Command line of a mutation run: parses the options with their defaults, and formats them for `--help`. */
import { parseArgs } from "node:util"

/** Options of a run. */
export interface RunOptions {
  readonly files: ReadonlyArray<string>
  /** Undefined to run every mutant. */
  readonly count: number | undefined
  readonly seed: number
  readonly patience: number
  readonly jobs: number
  readonly minutes: number
  readonly output: string | undefined
  readonly threshold: number
}

const about =
  "Changes operators, conditions, branches and blocks of the sources that matter, and lists the changes that no test detects."

/** Options by name, each with its value, default and meaning. */
const options = {
  files: ["TEXT", undefined, "only sources whose path contains the text; repeatable"],
  count: ["N", undefined, "a sample of whole declarations with about N mutants, of each target its share"],
  seed: ["N", 1, "chooses the sample"],
  patience: ["N", 1, "multiplies the time limits of mutants and tests, for a busy machine"],
  jobs: ["N", 2, "test processes at a time"],
  minutes: ["N", 120, "time of the whole run; a target that has not ended by then fails it"],
  output: ["FILE", undefined, "every mutant with its outcome as JSON, written after each target"],
  threshold: ["N", 95, "fails below this share of detected mutants, in percent"],
} as const satisfies Readonly<Record<string, readonly [value: string, usual: number | undefined, about: string]>>

/** The text that `--help` prints. */
export const help = (): string => {
  const lines = Object.entries(options).map(([name, [value, usual, what]]) => {
    const shown = usual === undefined ? "" : ` (${usual})`
    return `  --${`${name} ${value}`.padEnd(14)} ${what}${shown}`
  })
  return ["mutate [options]", "", about, "", ...lines, `  --${"help".padEnd(14)} prints this help`].join("\n")
}

type NumberName = {
  [Name in keyof typeof options]: (typeof options)[Name][0] extends "N" ? Name : never
}[keyof typeof options]

/** Parses the arguments; undefined if they request help. Throws on invalid arguments. */
export const read = (args: ReadonlyArray<string>): RunOptions | undefined => {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: "string", multiple: true, default: [] },
      count: text,
      seed: text,
      patience: text,
      jobs: text,
      minutes: text,
      output: text,
      threshold: text,
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  const numberOf = (name: NumberName): number | undefined => {
    const given = values[name]
    if (given === undefined) return undefined
    const number = Number(given)
    if (given === "" || !Number.isFinite(number))
      throw new TypeError(`Invalid option "--${name}": expected a number, received "${given}".`)
    return number
  }
  return {
    files: values.files,
    output: values.output,
    count: numberOf("count"),
    seed: numberOf("seed") ?? options.seed[1],
    patience: numberOf("patience") ?? options.patience[1],
    jobs: numberOf("jobs") ?? options.jobs[1],
    minutes: numberOf("minutes") ?? options.minutes[1],
    threshold: numberOf("threshold") ?? options.threshold[1],
  }
}
