/** Measured figures of a benchmark: one value per round for each subject and measure, their medians, and ratios within a round. */

/** Values of one measure of one subject, in round order. */
export interface Figure {
  readonly subject: string
  readonly measure: string
  readonly values: ReadonlyArray<number>
}

/** A quantile of some numbers, interpolated between its two neighbours; 0 if there are none. */
export const quantile = (numbers: ReadonlyArray<number>, part: number): number => {
  const sorted = numbers.toSorted((one, other) => one - other)
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? below
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (numbers: ReadonlyArray<number>): number => quantile(numbers, 0.5)

/** The lower and the upper quartile. */
export const quartiles = (numbers: ReadonlyArray<number>): readonly [number, number] => [
  quantile(numbers, 0.25),
  quantile(numbers, 0.75),
]

export interface Figures {
  readonly add: (subject: string, measure: string, value: number) => void
  readonly values: (subject: string, measure: string) => ReadonlyArray<number>
  /** The median of the rounds; undefined if nothing was measured. */
  readonly median: (subject: string, measure: string) => number | undefined
  /** Ratios, within each round, of a figure to the same measure of another subject. */
  readonly ratios: (subject: string, measure: string, base: string) => ReadonlyArray<number>
  /** Subjects in the order in which they were added. */
  readonly subjects: () => ReadonlyArray<string>
  readonly all: () => ReadonlyArray<Figure>
}

/** A collection of figures, empty or with given ones. */
export const make = (given: ReadonlyArray<Figure> = []): Figures => {
  const keyOf = (subject: string, measure: string) => `${subject}\n${measure}`
  const figures = new Map<string, Figure & { readonly values: Array<number> }>()
  const values = (subject: string, measure: string) => figures.get(keyOf(subject, measure))?.values ?? []
  const add = (subject: string, measure: string, value: number) => {
    const key = keyOf(subject, measure)
    const figure = figures.get(key) ?? { subject, measure, values: [] }
    figure.values.push(value)
    figures.set(key, figure)
  }
  for (const figure of given) for (const value of figure.values) add(figure.subject, figure.measure, value)
  return {
    add,
    values,
    median: (subject, measure) => {
      const list = values(subject, measure)
      return list.length === 0 ? undefined : median(list)
    },
    ratios: (subject, measure, base) => {
      const others = values(base, measure)
      return values(subject, measure).flatMap((value, round) =>
        others[round] === undefined ? [] : [value / others[round]],
      )
    },
    subjects: () => [...new Set([...figures.values()].map(({ subject }) => subject))],
    all: () => [...figures.values()],
  }
}

/** A number with some digits after the decimal point; empty if it is undefined. */
export const cell = (number: number | undefined, digits: number): string => number?.toFixed(digits) ?? ""

/** The median of some numbers and their quartiles, such as "0.83 (0.81 to 0.84)"; empty if there are none. */
export const spread = (numbers: ReadonlyArray<number>, digits: number): string => {
  if (numbers.length === 0) return ""
  const ends = quartiles(numbers).map((number) => number.toFixed(digits))
  return `${median(numbers).toFixed(digits)} (${ends.join(" to ")})`
}

/** Makes the lines of a Markdown table. */
export type Table = (figures: Figures) => ReadonlyArray<string>

/** The lines of a Markdown table. */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> => [
  `| ${header.join(" | ")} |`,
  `|---|${header
    .slice(1)
    .map(() => "--:|")
    .join("")}`,
  ...rows.map((cells) => `| ${cells.join(" | ")} |`),
]
