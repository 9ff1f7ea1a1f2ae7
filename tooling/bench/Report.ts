/** What a benchmark prints and writes after measuring: tables, a comparison with an older commit, a results file. */
import type { BenchOptions } from "./BenchOptions.ts"
import * as Figures from "./Figures.ts"
import { published } from "./Published.ts"
import * as Results from "./Results.ts"

const headerLines = 2

const ofRun = new Set(["--installed", "--root", "--suffix", "--root-installed"])

/** The arguments of this process without those that `run.ts` adds, each of which has a value. */
const givenArguments = (): ReadonlyArray<string> =>
  process.argv.slice(2).filter((word, at, all) => !ofRun.has(word) && !ofRun.has(all[at - 1] ?? ""))

const show = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

/** A row for each figure that the older commit also has. For a measure that ends in "/s", higher is better. */
const comparison = (figures: Figures.Figures, suffix: string): ReadonlyArray<string> => {
  const rows = figures.all().flatMap(({ measure, subject, values }) => {
    const others = figures.values(`${subject}${suffix}`, measure)
    if (others.length === 0) return []
    const ratios = Figures.spread(figures.ratios(subject, measure, `${subject}${suffix}`), 3)
    const better = measure.endsWith("/s") ? "higher" : "lower"
    return [[`${subject}, ${measure}`, show(Figures.median(values)), show(Figures.median(others)), ratios, better]]
  })
  return Figures.table(["", "this commit", suffix.trim(), "ratio", "better"], rows)
}

/** Reports the figures of a benchmark, with the tables of documents and one of its own. Only the figures of this checkout are written. */
export const finish = (
  benchmark: string,
  { checkouts, isSmallest, json, rounds, runtime, savedAs }: BenchOptions<string> & { readonly runtime?: string },
  figures: Figures.Figures,
  own?: Figures.Table,
): void => {
  if (isSmallest) return console.log(`${benchmark}: ${figures.subjects().join("; ")}`)
  const [, against] = checkouts
  const isOther = (subject: string) => against !== undefined && subject.endsWith(against.suffix)
  const local = figures.all().filter(({ subject }) => !isOther(subject))
  const command = savedAs ?? ["pnpm bench", benchmark, ...givenArguments()].join(" ")
  const results = Results.make({ benchmark, command, rounds, runtime, figures: local })
  if (savedAs !== undefined) Results.write(results)
  if (json) return console.log(JSON.stringify({ ...results, rows: Results.rowsOf(figures.all()) }))
  console.log(`${Results.provenance(results)}\n`)
  for (const table of [...Object.values(published[benchmark]?.tables ?? {}), ...(own === undefined ? [] : [own])]) {
    const lines = table(Figures.make(local))
    // A part that was not measured only has a header.
    if (lines.length > headerLines) console.log(`${lines.join("\n")}\n`)
  }

  if (against !== undefined) console.log(`${comparison(figures, against.suffix).join("\n")}\n`)
}
