/** CPU time per call of an RPC client compared with undici and `JSON.parse`, and calls per second. */
import * as Figures from "../Figures.ts"

const titles = {
  "hydrated single": "150 transactions, one by one",
  "hydrated batch": "150 transactions, 20 at a time",
  "hashes single": "150 hashes, one by one",
  "hashes batch": "150 hashes, 20 at a time",
}

export const table: Figures.Table = (figures) => {
  const subjects = figures.subjects()
  const cell = (subject: string, name: string) => {
    const [cpu, rate] = [`${name} CPU us`, `${name} calls/s`]
    const ratios = figures.ratios(subject, cpu, subjects[0]!)
    if (ratios.length === 0) return ""
    const micros = Figures.cell(figures.median(subject, cpu), 0)
    return `${Figures.spread(ratios, 2)}, ${micros} us, ${Figures.cell(figures.median(subject, rate), 0)}/s`
  }
  return Figures.table(
    ["ratio of CPU, CPU of a call, calls per second", ...Object.values(titles)],
    subjects.map((subject) => [subject, ...Object.keys(titles).map((name) => cell(subject, name))]),
  )
}
