/** A table of any length that keeps only the visible rows in the page. It grows as the user scrolls. */
import { memo, type ReactNode, useEffect, useRef, useSyncExternalStore } from "react"
import { ErrorNotice, Notice, Skeleton } from "../display/Page.tsx"
import * as Rows from "./HistoryRows.ts"
import type { Shown } from "./useHistory.ts"
import { usePosition } from "./usePosition.ts"
import { useRowWindow } from "./useRowWindow.ts"

/** A column. */
export interface Column {
  readonly name: string
  readonly isNumeric?: boolean
}

interface VirtualRowsProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column>
  readonly history: Shown<Row>
  readonly keyOf: (row: Row) => string
  /** Returns the cells of a row, one per column. Keeps its identity while the cells are unchanged. */
  readonly cells: (row: Row, isReverted: boolean) => ReadonlyArray<ReactNode>
  /** Shown for an empty history: what that means, and what to do. */
  readonly empty: ReactNode
  /** Name of the column layout in the style sheet. */
  readonly layout: string
}

/** Heights of a row, in pixels; on phones its cells are stacked. */
const rowHeight = 44
const phoneHeight = 124

/** Number of rows drawn above and below the visible ones. */
const overscan = 6

/** Number of rows before the end of the list at which the next page is read. */
const ahead = 20

const phone = matchMedia("(max-width: 900px)")

const useIsPhone = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      phone.addEventListener("change", listener)
      return () => phone.removeEventListener("change", listener)
    },
    () => phone.matches,
  )

const Footer = <Row,>({ empty, history, label }: Pick<VirtualRowsProps<Row>, "empty" | "history" | "label">) => {
  if (history.error !== null) return <ErrorNotice error={history.error} onRetry={history.retry} />
  if (history.isLoading) return <Skeleton label={label} rows={history.count === 0 ? 10 : 2} />
  if (history.isComplete && history.count === 0) return <div className="empty">{empty}</div>
  return history.isComplete ? (
    <p className="end">End of the history</p>
  ) : (
    <button type="button" className="button" onClick={history.loadMore}>
      Load more
    </button>
  )
}

interface TableRowProps<Row> extends Pick<VirtualRowsProps<Row>, "cells" | "columns"> {
  readonly id: string
  readonly index: number
  readonly row: Row
  readonly isReverted: boolean
  readonly height: number
  /** Pixels from the top of the list. */
  readonly top: number
}

const TableRow = <Row,>({ cells, columns, height, id, index, isReverted, row, top }: TableRowProps<Row>) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    className="row"
    data-key={id}
    data-reverted={isReverted}
    style={{ height, transform: `translateY(${top}px)` }}
  >
    {cells(row, isReverted).map((cell, at) => (
      <span
        role="cell"
        key={columns[at]?.name}
        data-name={columns[at]?.name}
        className={columns[at]?.isNumeric === true ? "numeric" : ""}
      >
        {cell}
      </span>
    ))}
  </div>
)

/** A row that is already on screen is not drawn again. Sound: `memo` takes the same props. */
const KeptRow = memo(TableRow) as typeof TableRow

export const VirtualRows = <Row,>({ cells, columns, empty, history, keyOf, label, layout }: VirtualRowsProps<Row>) => {
  const box = useRef<HTMLDivElement>(null)
  const height = useIsPhone() ? phoneHeight : rowHeight
  const { count, loadMore, rows } = history
  const onScreen = useRowWindow(box, height)
  const first = Math.max(0, Math.min(onScreen.first - overscan, count))
  const end = Math.max(first, Math.min(onScreen.end + overscan, count))
  usePosition(box, { live: rows.live.length, added: history.added, height })
  useEffect(() => {
    if (end > count - ahead) loadMore()
  }, [count, end, loadMore])
  return (
    <div className="history">
      {history.isReloaded ? (
        <Notice title="A reorg replaced rows of this list. It was read again." tone="neutral" />
      ) : null}
      <div
        role="table"
        aria-label={label}
        aria-rowcount={history.isComplete ? count + 1 : -1}
        className={`rows ${layout}`}
      >
        <div role="rowgroup" className="rows-head">
          <div role="row" aria-rowindex={1} className="row">
            {columns.map(({ isNumeric = false, name }) => (
              <span role="columnheader" key={name} className={isNumeric ? "numeric" : ""}>
                {name}
              </span>
            ))}
          </div>
        </div>
        <div ref={box} role="rowgroup" className="rows-body" style={{ height: count * height }}>
          {Array.from({ length: end - first }, (_, at) => {
            const index = first + at
            const entry = Rows.at(rows, index)
            if (entry === undefined) return null
            const key = keyOf(entry.row)
            return (
              <KeptRow
                key={`${key} ${entry.isReverted}`}
                id={key}
                index={index}
                row={entry.row}
                isReverted={entry.isReverted}
                height={height}
                top={index * height}
                columns={columns}
                cells={cells}
              />
            )
          })}
        </div>
      </div>
      <Footer history={history} empty={empty} label={label} />
    </div>
  )
}
