/** A table whose rows are all in memory; shows the first ones and a button for more. Histories use `VirtualRows`. */
import type { ReactNode } from "react"
import { TableBox } from "./Page.tsx"
import { useFirst } from "./useFirst.tsx"

/** A column. */
export interface Column<Row> {
  readonly name: string
  /** The name is for screen readers only. */
  readonly isNameHidden?: boolean
  /** Numbers, aligned at their end. */
  readonly isNumeric?: boolean
  /** Text that may have several lines. */
  readonly isWide?: boolean
  readonly cell: (row: Row, at: number) => ReactNode
}

/** Attributes of a row. */
interface Marks {
  readonly "data-hash"?: string | null
  readonly "data-asset"?: string
  readonly "data-reverted"?: boolean
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row, at: number) => string
  readonly marksOf?: (row: Row) => Marks
}

/** Number of rows shown initially and added by the button. */
const step = 100

const classOf = ({ isNumeric = false, isWide = false }: Pick<Column<never>, "isNumeric" | "isWide">) =>
  isNumeric ? { className: "numeric" } : isWide ? { className: "wide" } : {}

/** On phones the cells of a row are stacked. Roles are explicit, because browsers drop the implicit ones if the layout is not a table. */
export const Table = <Row,>({ columns, keyOf, label, marksOf, rows }: TableProps<Row>) => {
  const [shown, more] = useFirst(rows, step)
  return (
    <>
      <TableBox label={label}>
        <table className="stacks" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ isNameHidden = false, isNumeric = false, name }) => (
                <th scope="col" role="columnheader" key={name} {...classOf({ isNumeric })}>
                  {isNameHidden ? <span className="visually-hidden">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row, at) => (
              <tr role="row" key={keyOf(row, at)} {...marksOf?.(row)}>
                {columns.map((column) => (
                  <td
                    role="cell"
                    key={column.name}
                    {...(column.isNameHidden === true ? {} : { "data-name": column.name })}
                    {...classOf(column)}
                  >
                    {column.cell(row, at)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      {more}
    </>
  )
}
