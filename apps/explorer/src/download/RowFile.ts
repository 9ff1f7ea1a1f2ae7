/** Files with all rows of a tab. */
import { toJson } from "@daybook/rest/promise"
import * as Csv from "./Csv.ts"
import * as Tables from "./Tables.ts"

export type Format = "csv" | "ndjson"

/** What a file holds. */
export interface Contents<Row> {
  /** Name of the file, without its ending. */
  readonly name: string
  /** The columns of a file as CSV. */
  readonly columns: (tables: typeof Tables) => Tables.Columns<Row>
  /** All rows, read anew. */
  readonly rows: (signal: AbortSignal) => Promise<AsyncIterable<Row> | ReadonlyArray<Row>>
}

interface Options {
  readonly signal: AbortSignal
  readonly onProgress: (count: number) => void
}

/** Rows between two reports of progress. */
const reportEvery = 500

const types: Readonly<Record<Format, string>> = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" }

const download = (parts: ReadonlyArray<string>, name: string, format: Format): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type: types[format] }))
  const link = document.createElement("a")
  link.href = url
  link.download = `${name}.${format}`
  link.click()
  URL.revokeObjectURL(url)
}

/** Reads all rows and saves them; gives their number. */
export const save = async <Row>(
  format: Format,
  { columns, name, rows }: Contents<Row>,
  { onProgress, signal }: Options,
): Promise<number> => {
  const named = columns(Tables)
  const readers = Object.values(named)
  const parts = format === "csv" ? [Csv.line(Object.keys(named))] : []
  let count = 0
  for await (const row of await rows(signal)) {
    parts.push(format === "csv" ? Csv.line(readers.map((reader) => reader(row))) : `${JSON.stringify(toJson(row))}\n`)
    if (++count % reportEvery === 0) onProgress(count)
  }
  download(parts, name, format)
  return count
}
