/**
 * Plain-text tables.
 */

/** A column: its heading and the alignment of its cells. */
export interface Column {
  readonly heading: string
  readonly align: "left" | "right"
}

/** A line of headings and one line per row; each column is as wide as its widest cell. */
export const layout = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> => {
  const headings = columns.map(({ heading }) => heading)
  const widths = columns.map((_, at) => Math.max(...[headings, ...rows].map((row) => (row[at] ?? "").length)))
  const write = (row: ReadonlyArray<string>) =>
    columns
      .map(({ align }, at) =>
        align === "left" ? (row[at] ?? "").padEnd(widths[at] ?? 0) : (row[at] ?? "").padStart(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd()
  return [headings, ...rows].map(write)
}
