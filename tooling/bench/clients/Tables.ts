/** The clients, including their import, grouped by what a call requests. */
import * as Figures from "../Figures.ts"

const measures = ["import ms", "import CPU ms", "first call ms", "first call CPU ms", "first call thread ms"]

const tableOf =
  (call: string): Figures.Table =>
  (figures) =>
    Figures.table(
      ["client", "import", "CPU of it", "first call", "CPU of it", "main thread", "CPU of a call, warm"],
      figures
        .subjects()
        .filter((subject) => figures.values(subject, `${call}: import ms`).length > 0)
        .map((subject) => [
          subject,
          ...measures.map((measure) => `${Figures.cell(figures.median(subject, `${call}: ${measure}`), 0)} ms`),
          `${Figures.spread(figures.values(subject, `${call}: call CPU us`), 0)} us`,
        ]),
    )

/** A page of 100 transactions. */
export const rest = tableOf("page")

/** A block of 150 transactions. */
export const rpc = tableOf("block")
