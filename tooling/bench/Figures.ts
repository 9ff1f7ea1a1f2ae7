/**
 * Measured figures of a benchmark: one value per round for each subject and measure, their medians, ratios within a round,
 * and the line that names command, machine and date.
 */
import { cpus, release, type } from "node:os"

/** Values of one measure of one subject, in the order of the rounds. */
export interface Figure {
  readonly subject: string
  readonly measure: string
  readonly values: ReadonlyArray<number>
}

/** A quantile of some numbers, between its two neighbours; 0 when there is none. */
export const quantile = (numbers: ReadonlyArray<number>, part: number): number => {
  const sorted = numbers.toSorted((one, other) => one - other)
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? below
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (numbers: ReadonlyArray<number>): number => quantile(numbers, 0.5)

export interface Figures {
  readonly add: (subject: string, measure: string, value: number) => void
  readonly values: (subject: string, measure: string) => ReadonlyArray<number>
  /** The median of the rounds; undefined when nothing was measured. */
  readonly median: (subject: string, measure: string) => number | undefined
  /** The median of the ratios within each round of a figure to the values of another one; undefined when there are none. */
  readonly ratio: (subject: string, measure: string, base: ReadonlyArray<number>) => number | undefined
  readonly all: () => ReadonlyArray<Figure>
}

/** An empty collection of figures. */
export const make = (): Figures => {
  const figures = new Map<string, Figure & { readonly values: Array<number> }>()
  const keyOf = (subject: string, measure: string) => `${subject}\n${measure}`
  const values = (subject: string, measure: string) => figures.get(keyOf(subject, measure))?.values ?? []
  const middle = (list: ReadonlyArray<number>) => (list.length === 0 ? undefined : median(list))
  return {
    add: (subject, measure, value) => {
      const key = keyOf(subject, measure)
      const figure = figures.get(key) ?? { subject, measure, values: [] }
      figure.values.push(value)
      figures.set(key, figure)
    },
    values,
    median: (subject, measure) => middle(values(subject, measure)),
    ratio: (subject, measure, base) =>
      base.length === 0 ? undefined : middle(values(subject, measure).map((value, round) => value / base[round]!)),
    all: () => [...figures.values()],
  }
}

/** A number with some digits after the point; empty when it is undefined. */
export const cell = (number: number | undefined, digits: number): string => number?.toFixed(digits) ?? ""

const machine = () =>
  `${cpus()[0]?.model ?? "?"} (${cpus().length} cores), ${type()} ${release()}, Node ${process.version}`
const today = () => new Date().toISOString().slice(0, 10)
const quoted = (word: string) => (/^[\w./,:=-]+$/.test(word) ? word : `"${word}"`)
const command = (benchmark: string) =>
  ["pnpm bench", ...[benchmark, ...process.argv.slice(2)].filter((word) => word !== "").map(quoted)].join(" ")

/** As in "`pnpm bench rpc --rounds 3` on AMD EPYC (2 cores), ..., 2026-11-20, median of 3 rounds". */
export const provenance = (benchmark: string, rounds?: number): string => {
  const method = rounds === undefined ? "" : rounds === 1 ? ", one round" : `, median of ${rounds} rounds`
  return `\`${command(benchmark)}\` on ${machine()}, ${today()}${method}\n`
}

/** The same with every figure, as one line of JSON. Measures carry their unit. */
export const toJson = (benchmark: string, figures: Figures): string =>
  JSON.stringify({ benchmark, command: command(benchmark), machine: machine(), date: today(), figures: figures.all() })
