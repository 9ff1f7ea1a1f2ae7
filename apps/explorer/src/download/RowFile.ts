/** Files with all rows of a tab. */
import { toJson } from "@daybook/rest/promise"
import * as Csv from "./Csv.ts"
import { type Rows, tables } from "./Tables.ts"

export type Format = "csv" | "ndjson"

/** Contents of a file. */
export interface Contents<Table extends keyof Rows> {
  /** File name without extension. */
  readonly name: string
  readonly table: Table
  /** Reads all rows again. */
  readonly rows: (signal: AbortSignal) => Promise<AsyncIterable<Rows[Table]> | ReadonlyArray<Rows[Table]>>
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

/** Reads all rows and saves them; returns their number. */
export const save = async <Table extends keyof Rows>(
  format: Format,
  { name, rows, table }: Contents<Table>,
  { onProgress, signal }: Options,
): Promise<number> => {
  const columns = tables[table]
  const readers = Object.values(columns)
  const parts = format === "csv" ? [Csv.line(Object.keys(columns))] : []
  let count = 0
  for await (const row of await rows(signal)) {
    parts.push(format === "csv" ? Csv.line(readers.map((reader) => reader(row))) : `${JSON.stringify(toJson(row))}\n`)
    if (++count % reportEvery === 0) onProgress(count)
  }
  download(parts, name, format)
  return count
}
