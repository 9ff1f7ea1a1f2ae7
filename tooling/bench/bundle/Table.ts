/** What a web page downloads. */
import * as Figures from "../Figures.ts"

export const table: Figures.Table = (figures) =>
  Figures.table(
    ["a web page that requests one block, or all rows of a wallet", "KiB after gzip"],
    figures.subjects().map((subject) => [subject, Figures.cell(figures.median(subject, "gzip KiB"), 1)]),
  )
