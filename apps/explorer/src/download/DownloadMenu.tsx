/** Buttons that save all rows of a tab as CSV or NDJSON. */
import { toJson } from "@daybook/rest/promise"
import { useRef, useState } from "react"
import { formatInteger } from "../display/Numbers.ts"
import { explain } from "../service/Errors.ts"
import * as Csv from "./Csv.ts"
import type { Columns } from "./Tables.ts"
import { ForeignText } from "../display/ForeignText.tsx"

type Format = "csv" | "ndjson"

interface DownloadMenuProps<Row> {
  /** Name of the file, without its ending. */
  readonly name: string
  readonly columns: Columns<Row>
  /** All rows, read anew. */
  readonly rows: (signal: AbortSignal) => Promise<AsyncIterable<Row> | ReadonlyArray<Row>>
}

type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Reading"; readonly count: number }
  | { readonly _tag: "Done"; readonly count: number }
  | { readonly _tag: "Failed"; readonly reason: string }

/** Rows between two reports of progress. */
const reportEvery = 500

const types: Readonly<Record<Format, string>> = { csv: "text/csv;charset=utf-8", ndjson: "application/x-ndjson" }

const save = (parts: ReadonlyArray<string>, name: string, format: Format): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type: types[format] }))
  const link = document.createElement("a")
  link.href = url
  link.download = `${name}.${format}`
  link.click()
  URL.revokeObjectURL(url)
}

const stateText = (state: State): string => {
  switch (state._tag) {
    case "Idle":
      return ""
    case "Reading":
      return `${formatInteger(state.count)} rows read`
    case "Done":
      return `${formatInteger(state.count)} rows saved`
    case "Failed":
      return state.reason
  }
}

export const DownloadMenu = <Row,>({ columns, name, rows }: DownloadMenuProps<Row>) => {
  const [state, setState] = useState<State>({ _tag: "Idle" })
  const controller = useRef<AbortController | null>(null)

  const read = async (format: Format, signal: AbortSignal): Promise<void> => {
    const parts = format === "csv" ? [Csv.line(Object.keys(columns))] : []
    const readers = Object.values(columns)
    let count = 0
    for await (const row of await rows(signal)) {
      parts.push(format === "csv" ? Csv.line(readers.map((reader) => reader(row))) : `${JSON.stringify(toJson(row))}\n`)
      if (++count % reportEvery === 0) setState({ _tag: "Reading", count })
    }
    save(parts, name, format)
    setState({ _tag: "Done", count })
  }

  const start = (format: Format) => {
    controller.current?.abort()
    controller.current = new AbortController()
    const { signal } = controller.current
    setState({ _tag: "Reading", count: 0 })
    read(format, signal).catch((error: unknown) => {
      if (signal.aborted) return
      const { detail, title } = explain(error)
      setState({ _tag: "Failed", reason: `${title}. ${detail}` })
    })
  }

  const cancel = () => {
    controller.current?.abort()
    setState({ _tag: "Idle" })
  }

  return (
    <div className="download">
      <span role="status">
        <ForeignText text={stateText(state)} />
      </span>
      {state._tag === "Reading" ? (
        <button type="button" className="button" onClick={cancel}>
          Cancel
        </button>
      ) : null}
      <button type="button" className="button" onClick={() => start("csv")}>
        CSV
      </button>
      <button type="button" className="button" onClick={() => start("ndjson")}>
        NDJSON
      </button>
    </div>
  )
}
