/**
 * The rows of a page: which row ids it takes, and how many rows fit their number and their bytes. The texts of a row are read only when
 * the bytes before it leave room. Pure.
 */
import type { PageQuery, PageRow, PageRows, Position } from "../ChainReader.ts"
import * as RowId from "./RowId.ts"

/** A row whose bytes are known; `read` gives its texts, `null` for a row that does not belong to the page. */
export interface Found {
  readonly position: Position
  readonly bytes: number
  readonly read: () => Omit<PageRow, keyof Position> | null
}

/** Position just outside the first row of a page. One outside the bounds counts only if it lies further on. */
export const startOf = ({ after, from, order, to }: Omit<PageQuery, "key">): Position => {
  if (order === "ASC") return after !== null && after.block >= from ? after : { block: from, index: -1 }
  return after !== null && after.block <= to ? after : { block: to + 1, index: -1 }
}

/** Row ids of a page, both ends inclusive. */
export const rangeOf = (query: Omit<PageQuery, "key">): { readonly first: number; readonly last: number } => {
  const { block, index } = startOf(query)
  const [first, end] = RowId.range(query.from, query.to)
  const [start] = RowId.range(block, block)
  return query.order === "ASC"
    ? { first: start + index + 1, last: end - 1 }
    : { first, last: start + Math.max(index, 0) - 1 }
}

/** Rows read beyond the page: they show whether more follow. */
export const lookahead = 1

/** Rows of at most this size are read at once; all of them together fit the limit. */
export const inlineBytes = ({ limit, maxBytes }: PageQuery): number =>
  maxBytes === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(maxBytes / (limit + lookahead))

/** The rows that fit. */
export const fit = (found: Iterable<Found>, { limit, maxBytes = Infinity }: PageQuery): PageRows => {
  const rows: Array<PageRow> = []
  let total = 0
  for (const { bytes, position, read } of found) {
    if (rows.length === limit || (rows.length > 0 && total + bytes > maxBytes)) return { rows, hasMore: true }
    const texts = read()
    if (texts === null) continue
    total += bytes
    rows.push({ ...position, ...texts })
  }
  return { rows, hasMore: false }
}
