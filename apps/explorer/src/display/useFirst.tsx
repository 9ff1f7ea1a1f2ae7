/** Long lists in parts: a browser that draws thousands of rows at once is unresponsive meanwhile. */
import { type ReactNode, useState } from "react"
import { formatInteger } from "./Numbers.ts"

/** The first rows of a list, and a button that adds as many again, `null` once all rows are shown. */
export const useFirst = <Row,>(
  rows: ReadonlyArray<Row>,
  step: number,
): readonly [shown: ReadonlyArray<Row>, more: ReactNode] => {
  const [count, setCount] = useState(step)
  const left = rows.length - count
  if (left <= 0) return [rows, null]
  return [
    rows.slice(0, count),
    <button type="button" className="button" onClick={() => setCount(count + step)}>
      Show {formatInteger(Math.min(step, left))} of {formatInteger(left)} more
    </button>,
  ]
}
