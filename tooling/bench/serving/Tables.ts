/** The serving tables, and the names of their subjects. */
import * as Figures from "../Figures.ts"

export const page = "`daybook serve`"
export const pageByHand = "node:http and node:sqlite by hand"

export const transactions = "page of 25 transactions"
export const movements = "page of 25 movements"
export const fewerMovements = "page of fewer than 25 movements"

/** The same page from a number of processes. */
export const ofProcesses = (count: number): string => `page of 25, processes: ${count}`

export const during = "pages while the chain is indexed"
export const after = "pages after it"

export const relayed = { block: "a block of 20 transactions", newest: "the newest block's hashes" }
export const ways = {
  uncached: "relayed, cache off",
  cached: "relayed, cache on",
  byHand: "relayed by hand",
  direct: "to the node",
}

export const bodies = {
  page: "page of 25",
  receipts: "receipts of a block, relayed",
  small: "number of the newest block, relayed",
}

const columns = [
  ["requests/s", 0],
  ["CPU us", 0],
  ["p50 ms", 2],
  ["p99 ms", 2],
] as const

const header = columns.map(([measure]) => measure)

const cells = (figures: Figures.Figures, subject: string): ReadonlyArray<string> =>
  columns.map(([measure, digits]) => Figures.cell(figures.median(subject, measure), digits))

/** The measured subjects of a table, each with the ratio of its requests per second to those of another. */
const compared =
  (subjects: ReadonlyArray<readonly [subject: string, base: string]>): Figures.Table =>
  (figures) =>
    Figures.table(
      ["", ...header, "ratio of requests"],
      subjects
        .filter(([subject]) => figures.values(subject, "requests/s").length > 0)
        .map(([subject, base]) => [
          subject,
          ...cells(figures, subject),
          Figures.spread(figures.ratios(subject, "requests/s", base), 2),
        ]),
    )

/** A page from the service and from the handwritten server. */
export const hand = compared([page, pageByHand].map((subject) => [subject, pageByHand] as const))

/** Pages of movements compared with those of transactions. */
export const movementsTable = compared(
  [transactions, movements, fewerMovements].map((subject) => [subject, transactions] as const),
)

/** Calls over each path to the node. */
export const relay = compared(
  Object.values(relayed).flatMap((call) =>
    Object.values(ways).map((way) => [`${call}: ${way}`, `${call}: ${ways.direct}`] as const),
  ),
)

/** Responses in each content coding. */
export const codings: Figures.Table = (figures) =>
  Figures.table(
    ["", "bytes", ...header],
    figures
      .subjects()
      .filter((subject) => Object.values(bodies).some((body) => subject.startsWith(`${body}: `)))
      .map((subject) => [subject, Figures.cell(figures.median(subject, "bytes"), 0), ...cells(figures, subject)]),
  )

/** Parts that are only measured when named. */
export const named = compared([
  [ofProcesses(1), ofProcesses(1)],
  [ofProcesses(2), ofProcesses(1)],
  [during, after],
  [after, after],
])
