/** Speed and resource usage of indexers over a recorded chain. Latencies are those that were measured. */
import * as Figures from "../Figures.ts"

/** The subject to which ratios are computed: the faster baseline of a round. */
export const base = "the faster baseline"

const latenciesOf = (figures: Figures.Figures): ReadonlyArray<number> => [
  ...new Set(figures.all().flatMap(({ measure }) => (/^\d+ ms/.test(measure) ? [Number.parseInt(measure, 10)] : []))),
]

const subjectsOf = (figures: Figures.Figures) => figures.subjects().filter((subject) => subject !== base)

/** Blocks per second and the ratio to the faster baseline, by node latency. */
export const speed: Figures.Table = (figures) => {
  const latencies = latenciesOf(figures)
  const rate = (latency: number) => `${latency} ms: blocks/s`
  return Figures.table(
    ["", ...latencies.map((one) => `blocks/s at ${one} ms`), ...latencies.map((one) => `ratio at ${one} ms`)],
    subjectsOf(figures).map((subject) => [
      subject,
      ...latencies.map((latency) => Figures.cell(figures.median(subject, rate(latency)), 0)),
      ...latencies.map((latency) => Figures.spread(figures.ratios(subject, rate(latency), base), 2)),
    ]),
  )
}

const columns = [
  ["CPU s per 1,000 blocks", 2],
  ["CPU s of the busiest thread", 2],
  ["peak MB", 0],
  ["bytes per transaction", 0],
  ["bytes per byte of document", 2],
] as const

/** CPU time, memory and disk at the lowest latency. */
export const resources: Figures.Table = (figures) => {
  const [latency = 0] = latenciesOf(figures)
  return Figures.table(
    ["", ...columns.map(([title]) => title)],
    subjectsOf(figures).map((subject) => [
      subject,
      ...columns.map(([title, digits]) => Figures.cell(figures.median(subject, `${latency} ms: ${title}`), digits)),
    ]),
  )
}
