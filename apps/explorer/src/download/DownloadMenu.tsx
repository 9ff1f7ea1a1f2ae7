/** Buttons that save all rows of a tab as CSV or NDJSON. */
import { useEffect, useRef, useState } from "react"
import { formatInteger } from "../display/Numbers.ts"
import { explain } from "../service/Errors.ts"
import type { Contents, Format } from "./RowFile.ts"
import type { Rows } from "./Tables.ts"
import { ForeignText } from "../text/ForeignText.tsx"

type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Reading"; readonly count: number }
  | { readonly _tag: "Done"; readonly count: number }
  | { readonly _tag: "Failed"; readonly reason: string }

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

export const DownloadMenu = <Table extends keyof Rows>(contents: Contents<Table>) => {
  const [state, setState] = useState<State>({ _tag: "Idle" })
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])

  const read = async (format: Format, signal: AbortSignal): Promise<void> => {
    const { save } = await import("./RowFile.ts")
    const onProgress = (count: number) => setState({ _tag: "Reading", count })
    setState({ _tag: "Done", count: await save(format, contents, { signal, onProgress }) })
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
